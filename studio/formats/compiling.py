"""Making the machine code of kernels with numba; only `machine_code` and `jit` import this."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

import numba
from numba import types
from numba.core.registry import cpu_target

from studio.formats.jit import TUPLE
from studio.formats.machine_code import Head, digest_of, parts_of

if TYPE_CHECKING:
    from studio.formats.jit import Kernel, Kind, Kinds, Part

_KNOWN: Final = re.compile(r"llvm\.|(mem(cpy|set|move)|pow|floor|ceil)$")
"""Functions that code may call: those of the machine and of the C library."""

_POINTER: Final = re.compile(r"(\[[^]]*\]|\{[^}]*\}|[^,( ]*)\*+")
"""A pointer as LLVM 15 writes it, with what it points to; later ones write `ptr`."""


@functools.cache
def told(part: Part) -> Any:  # noqa: ANN401
    """What numba makes of a function that is compiled into kernels, or is one."""
    compiler: Any = numba.njit
    return compiler(
        error_model="numpy",
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        **part.options,
    )(part.function)


def type_of_instruction(instruction: Any) -> Any:  # noqa: ANN401
    """The type by which numba finds an instruction."""
    context: Any = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(instruction)


def machine_code(kernel: Kernel, kinds: Kinds) -> tuple[Head, bytes]:
    """The object file of a kernel for arguments of these kinds, and how it is called.

    Raises TypeError for a kernel that does more than kernels may (see `jit`).
    """
    compiler = told(kernel)
    given = tuple(_type_of(kind) for kind in kinds)
    compiler.compile(given)
    made = compiler.overloads[given]
    symbol: str = made.fndesc.llvm_func_name
    module = made.library._final_module
    _check(kernel, module, symbol, kinds)
    body: bytes = made.library.serialize_using_object_code()[2][0]
    returned = made.signature.return_type
    count = len(returned) if isinstance(returned, types.BaseTuple) else 0
    plain: Any = types.unliteral
    names = {str(plain(part)) for part in (returned if count else (returned,))}
    if len(names) != 1 or not names <= {"none", "bool", "int64", "float64"}:
        msg = f"{kernel.function.__qualname__} returns {returned}"
        raise TypeError(msg)
    called = symbol, names.pop(), count
    return Head(*called, digest_of(body, *called)), body


def _check(kernel: Kernel, module: Any, symbol: str, kinds: Kinds) -> None:  # noqa: ANN401
    """That the code is called as `machine_code` does, and calls nothing else itself."""
    wanted = f"i32 ({', '.join(['ptr', 'ptr', *parts_of(kinds)])})"
    function = module.get_function(symbol)
    is_so = _POINTER.sub("ptr", str(function.global_value_type))
    if is_so != wanted:
        msg = f"{kernel.function.__qualname__} is compiled as {is_so}, not as {wanted}"
        raise TypeError(msg)
    named = [*module.functions, *module.global_variables]
    foreign = [part.name for part in named if part.is_declaration and not _KNOWN.match(part.name)]
    if foreign:
        msg = f"{kernel.function.__qualname__} calls {', '.join(foreign)}"
        raise TypeError(msg)


def _type_of(kind: Kind) -> Any:  # noqa: ANN401
    if kind in ("int", "float"):
        return types.int64 if kind == "int" else types.float64
    if kind[0] == TUPLE:
        made: Any = types.Tuple
        return made([_type_of(part) for part in kind[1:]])
    element, dimensions, whole = kind
    return types.Array(numba.from_dtype(element), dimensions, "C" if whole else "A")
