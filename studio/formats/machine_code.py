"""Calling kernels as machine code that is kept in files, without the compiler that made it.

A file holds a line of JSON (`Head`) and an object file of this processor. It is made where it is
lacking. The code is called as numba arranges it: a place for the result, one for errors, and the
arguments in plain parts, of an array its two owners (none here), length, size of an element,
address, shape and strides. `compiling` makes sure that the code is arranged so.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import llvmlite.binding as llvm
import msgspec
import numpy as np

from studio.formats import engine
from studio.formats.jit import TUPLE
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from studio.formats.jit import Kernel, Kinds

_TURN: Final = threading.RLock()
_RESULTS: Final[dict[str, Any]] = {
    "none": ctypes.c_void_p,
    "bool": ctypes.c_bool,
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
}
_PARTS: Final[dict[str, Any]] = {
    "ptr": ctypes.c_void_p,
    "i64": ctypes.c_int64,
    "double": ctypes.c_double,
}
_FINE: Final = (0, -2)
"""What code returns when it ends well; -2 with nothing as the result."""


class Head(msgspec.Struct, frozen=True):
    """What must be known of an object file to call it."""

    symbol: str
    result: str
    """The type of what is returned: a key of `_RESULTS`."""
    count: int
    """How many of that type are returned as a tuple, 0 for one alone."""
    digest: str
    """What `digest_of` makes of these and the object file: code that is called wrongly crashes."""


def code_for(kernel: Kernel, kinds: Kinds) -> Code:
    """The machine code of a kernel for arguments of these kinds; made if there is none."""
    path = engine.code_folder() / _file_name(kernel, kinds)
    with _TURN:
        with suppress(OSError, ValueError):
            return Code(path.read_bytes(), kinds)
        from studio.formats.compiling import machine_code

        head, body = machine_code(kernel, kinds)
        data = msgspec.json.encode(head) + b"\n" + body
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
        return Code(data, kinds)


def digest_of(body: bytes, symbol: str, result: str, count: int) -> str:
    """The SHA-256 of an object file and of how it is called, in hexadecimal digits."""
    return hashlib.sha256(f"{symbol}\n{result}\n{count}\n".encode() + body).hexdigest()


class Code:
    """The machine code of a kernel in memory; raises ValueError for a file that is damaged."""

    def __init__(self, data: bytes, kinds: Kinds) -> None:
        line, _, body = data.partition(b"\n")
        head = msgspec.json.decode(line, type=Head)
        told = digest_of(body, head.symbol, head.result, head.count)
        if told != head.digest or head.result not in _RESULTS:
            msg = "a damaged object file"
            raise ValueError(msg)
        self._symbol, self._single = head.symbol, not head.count
        self._place = _RESULTS[head.result] * max(head.count, 1)
        self._engine = _loaded(body)
        types = [_PARTS[part] for part in ("ptr", "ptr", *parts_of(kinds))]
        address = self._engine.get_function_address(head.symbol)
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address)

    def __call__(self, values: Iterable[Any]) -> Any:  # noqa: ANN401
        """Run it; raises RuntimeError when it does not end well."""
        found, fault = self._place(), ctypes.c_void_p()
        parts: list[Any] = [ctypes.addressof(found), ctypes.addressof(fault)]
        _flatten(values, parts)
        status = self._call(*parts)
        if status not in _FINE:
            msg = f"{self._symbol} ended with status {status}"
            raise RuntimeError(msg)
        return found[0] if self._single else tuple(found)


def _loaded(body: bytes) -> Any:  # noqa: ANN401
    with suppress(RuntimeError):  # what newer ones say, which need not be told
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    code = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    code.add_object_file(llvm.ObjectFileRef.from_data(body))
    code.finalize_object()
    return code


def parts_of(kinds: Kinds) -> Iterator[str]:
    """The plain parts in which arguments of these kinds are given, as LLVM names their types."""
    for kind in kinds:
        if kind in ("int", "float"):
            yield "i64" if kind == "int" else "double"
        elif kind[0] == TUPLE:
            yield from parts_of(kind[1:])
        else:
            yield from ("ptr", "ptr", "i64", "i64", "ptr", *["i64"] * (2 * kind[1]))


def _flatten(values: Iterable[Any], parts: list[Any]) -> None:
    for value in values:
        if isinstance(value, np.ndarray):
            address = value.__array_interface__["data"][0]
            parts += (None, None, value.size, value.itemsize, address)
            parts += value.shape
            parts += value.strides
        elif isinstance(value, tuple):
            _flatten(value, parts)
        else:
            parts.append(value)


def _file_name(kernel: Kernel, kinds: Kinds) -> str:
    module = kernel.function.__module__
    told = hashlib.sha256(repr(kinds).encode()).hexdigest()[:16]
    return f"{module}.{kernel.function.__qualname__}-{told}.o"
