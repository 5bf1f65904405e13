"""Compiling kernels with numba, with the machine code kept in the user's cache folder.

Only kernels import this module: importing it imports numba.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numba
from numba import config
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

from studio.formats.engine import kernel_folder

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def kernel(function: F) -> F:
    """Compile a function at its first call, without holding Python's lock while it runs.

    The folder of the machine code is named by a digest of all kernels, since numba does not notice
    when a kernel that is called by another one has changed.
    """
    return cast("F", _Later(function, _with_cache))


class _Later:
    """A function of which numba hears when it is first called, or compiled into another one.

    Telling numba of a function takes a millisecond or more; where the machine code is loaded, all
    that was compiled into it need not be told of. Threads tell one after another, since telling
    changes numba's settings for a moment.
    """

    _turn: ClassVar = threading.RLock()

    def __init__(self, function: Callable[..., Any], tell: Callable[[Any], Any]) -> None:
        self._tell = tell
        functools.update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:  # noqa: ANN401
        return self._told(*values)

    @functools.cached_property
    def _told(self) -> Any:  # noqa: ANN401
        with self._turn:  # a cached property has no lock of its own since Python 3.12
            if "_told" not in self.__dict__:
                function = self.__wrapped__  # type: ignore[attr-defined]  # of `update_wrapper`
                self.__dict__["_told"] = self._tell(function)
            return self.__dict__["_told"]

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401
        """What numba asks of every global that a kernel names."""
        return self._told._numba_type_


def _with_cache(function: Callable[..., Any]) -> Any:  # noqa: ANN401
    options: Any = config
    cache: Any = _Kept
    before = options.CACHE_DIR
    options.CACHE_DIR = str(kernel_folder())
    try:
        compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
        if all(hasattr(cache, method) for method in _METHODS):
            compiled._cache = cache(function)
        else:
            compiled.enable_caching()
    finally:
        options.CACHE_DIR = before
    return compiled


_METHODS = ("_load_overload", "_guard_against_spurious_io_errors")
"""What `_Kept` takes from numba's own cache; a numba without them keeps code in its usual way."""


class _Kept(FunctionCache):
    """Numba's cache, without setting up the compiler for machine code that is only loaded.

    That took longer than all else that loading does. What code needs that runs is set up here; a
    compilation that follows sets up the rest itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """The machine code for a signature, None when there is none."""
        rtsys.initialize(target_context)
        cache: Any = self
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(sig, target_context)


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
    return _Later(function, compiler(**options))
