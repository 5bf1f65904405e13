"""Compiling kernels with numba, with the machine code kept in the user's cache folder.

Only kernels import this module: importing it imports numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba import config

from studio.formats.engine import kernel_folder

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def kernel(function: F) -> F:
    """Compile a function at its first call, without holding Python's lock while it runs.

    The folder of the machine code is named by a digest of all kernels, since numba does not notice
    when a kernel that is called by another one has changed.
    """
    options: Any = config
    before = options.CACHE_DIR
    options.CACHE_DIR = str(kernel_folder())
    try:
        compiled: Any = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    finally:
        options.CACHE_DIR = before
    return cast("F", compiled)


def inner(function: F) -> F:
    """Compile a function that only kernels call: Python cannot, so nothing is kept of it alone."""
    return cast("F", _njit(function))


def inlined(function: F) -> F:
    """The same for one whose code is put into that of its callers, since it is small or used a lot.

    Left to itself the compiler puts in little: calls were half of what reading an event takes.
    """
    return cast("F", _njit(function, forceinline=True))


def _njit(function: F, **more: bool) -> Any:  # noqa: ANN401
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        **more,
    }
    compiler: Any = numba.njit
    return compiler(**options)(function)
