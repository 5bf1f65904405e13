"""Kernels: functions that work on numbers and arrays as machine code, which is made once and kept.

Importing this imports no compiler. The machine code of a kernel is loaded when it is first called
with arguments of certain kinds (`machine_code`); only where there is none numba makes it
(`compiling`), which takes half a second to import and seconds to work. Python's lock is not held
while a kernel runs.

Kernels and what they call take whole numbers, floats, arrays and tuples of these. A kernel neither
makes arrays nor raises errors: what it finds it writes to arrays that it was given, or returns as a
number, a tuple of whole numbers, or nothing.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.formats.machine_code import Code

F = TypeVar("F", bound="Callable[..., Any]")

Kind = Any
Kinds = tuple[Kind, ...]

_LEAST: Final = -(2**63)
_LARGEST: Final = 2**63 - 1

TUPLE: Final = "tuple"
"""With what the kind of a tuple begins."""


def kernel(function: F) -> F:
    """Have a function run as machine code when Python calls it; kernels may call it, too."""
    return cast("F", Kernel(function))


def inner(function: F) -> F:
    """Have a function compiled that only kernels call."""
    return cast("F", Part(function))


def inlined(function: F) -> F:
    """The same for one whose code is put into that of its callers, since it is small or used a lot.

    Left to itself the compiler puts in little: calls were half of what reading an event takes.
    """
    return cast("F", Part(function, forceinline=True))


class Part:
    """A function that is compiled into kernels; the compiler hears of it when one is compiled."""

    def __init__(self, function: Callable[..., Any], **options: bool) -> None:
        self.function = function
        self.options = options
        functools.update_wrapper(cast("Any", self), function)

    @functools.cached_property
    def _numba_type_(self) -> Any:  # noqa: ANN401
        """What numba asks of every global that a kernel names."""
        from studio.formats.compiling import told

        return told(self)._numba_type_


def instruction(module: str, name: str) -> Any:  # noqa: ANN401
    """A machine instruction for kernels, which a module makes for the compiler under a name."""
    return Instruction(module, name)


class Instruction:
    """A machine instruction; the compiler hears of it when a kernel that has it is compiled."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    @functools.cached_property
    def _numba_type_(self) -> Any:  # noqa: ANN401
        from studio.formats.compiling import type_of_instruction

        return type_of_instruction(getattr(import_module(self._module), self._name))


class Kernel(Part):
    """A function whose machine code is loaded when Python calls it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._codes: dict[Kinds, Code] = {}

    def __call__(self, *values: Any) -> Any:  # noqa: ANN401
        """Run the machine code with these arguments."""
        kinds = tuple([kind_of(value) for value in values])
        code = self._codes.get(kinds)
        if code is None:
            from studio.formats.machine_code import code_for

            code = self._codes[kinds] = code_for(self, kinds)
        return code(values)


def kind_of(value: Any) -> Kind:  # noqa: ANN401
    """What of an argument the machine code depends on.

    Of numbers only whether they are whole; for an array the type of its elements, its dimensions
    and whether it has no gaps; for a tuple `TUPLE` and the kinds in it. Raises TypeError for
    others, and OverflowError for whole numbers of more than 64 bits.
    """
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.c_contiguous
    if isinstance(value, tuple):
        return (TUPLE, *[kind_of(part) for part in value])
    if isinstance(value, (int, np.integer)):
        if not _LEAST <= value <= _LARGEST:
            msg = f"{value} is too large for a kernel"
            raise OverflowError(msg)
        return "int"
    if isinstance(value, (float, np.floating)):
        return "float"
    msg = f"kernels take no {type(value).__name__}"
    raise TypeError(msg)
