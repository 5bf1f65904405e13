"""The pickle inside a PyTorch file, read without running anything.

Only what describes tensors is known here: their storages, shapes, strides and offsets, and plain
containers. Any other name ends the reading, and the message says which one it was.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.tensors.dtypes import canonical, named_type
from studio.tensors.pickle_check import pickle_end
from studio.tensors.pickle_names import spelled
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.tensors.values import ElementType

_EXPANDED_LIMIT = 1 << 28
_STORAGES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
    "UntypedStorage": "",
}
_PLAIN: dict[str, type] = {
    "collections.OrderedDict": OrderedDict,
    **{f"builtins.{t.__name__}": t for t in (set, frozenset, dict, list, tuple, complex, slice)},
    **{f"builtins.{t.__name__}": t for t in (int, float, bool, str, bytes, bytearray)},
}


@dataclass(frozen=True, slots=True)
class StorageType:
    """A kind of storage, or an element type; both are only named."""

    dtype: str


@dataclass(frozen=True, slots=True)
class Storage:
    """Bytes that tensors share: their key in the file, element type ("" for bytes) and number."""

    key: str
    dtype: str
    count: int


@dataclass(frozen=True, slots=True)
class Described:
    """A tensor as the pickle describes it; strides and offset count elements."""

    storage: Storage
    type: ElementType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


class _Rebuild:
    """Stands for a function of PyTorch; without attributes, so that no pickle can change it."""

    __slots__ = ("_make",)
    _make: Callable[..., Any]

    def __init__(self, make: Callable[..., Any]) -> None:
        object.__setattr__(self, "_make", make)

    def __setattr__(self, name: str, value: object) -> None:
        raise pickle.UnpicklingError(name)

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 - what the pickle gives
        return self._make(*arguments)


class Unpickler(pickle.Unpickler):
    """Reads one pickle; tensors become `Described`, storages `Storage`."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - see pickle
        """Return what stands for a known name; raise TensorError for all others."""
        full = f"{module}.{name}".replace("__builtin__.", "builtins.", 1)
        if full in _PLAIN:
            return _PLAIN[full]
        if full in _FUNCTIONS:
            return _Rebuild(_FUNCTIONS[full])
        if module in ("torch", "torch.storage", "torch.cuda") and name in _STORAGES:
            return StorageType(_STORAGES[name])
        if module == "torch" and named_type(name) is not None:
            return StorageType(canonical(name))
        if full in ("torch.Tensor", "torch.nn.parameter.Parameter", "torch._tensor.Tensor"):
            return StorageType("")
        raise TensorError(
            tr("contains code ({name}) and was not opened", name=spelled(module, name))
        )

    def persistent_load(self, pid: Any) -> Storage:  # noqa: ANN401 - see pickle
        """Return the storage that a persistent id names."""
        match pid:
            case ("storage", StorageType(dtype), str() as key, _, int() as count, *_):
                return Storage(key, dtype, count)
        raise TensorError(tr("names a storage in an unknown way"))


def load(data: bytes) -> Any:  # noqa: ANN401 - nested containers of anything plain
    """Read a pickle; raises TensorError for all that is not plain."""
    pickle_end(data)
    try:
        return Unpickler(io.BytesIO(data), encoding="utf-8").load()
    except TensorError:
        raise
    except Exception as error:
        raise TensorError(tr("has a damaged description of its tensors")) from error


def _tensor(
    storage: Any,  # noqa: ANN401 - checked here
    offset: Any,  # noqa: ANN401
    shape: Any,  # noqa: ANN401
    strides: Any,  # noqa: ANN401
    *rest: Any,  # noqa: ANN401
) -> Described:
    dtype = next((r.dtype for r in rest[2:3] if isinstance(r, StorageType)), "")
    name = dtype or (storage.dtype if isinstance(storage, Storage) else "")
    kind = named_type(name)
    if not isinstance(storage, Storage) or kind is None:
        raise TensorError(tr("holds a tensor of the unknown type {name}", name=repr(name)))
    shape, strides = tuple(shape), tuple(strides)
    numbers = (offset, *shape, *strides)
    if len(shape) != len(strides) or not all(type(n) is int and n >= 0 for n in numbers):
        raise TensorError(tr("its header has an impossible shape {shape}", shape=shape))
    size = kind.stored.itemsize
    unit = size if not storage.dtype else named_type(storage.dtype).stored.itemsize  # type: ignore[union-attr]
    have = storage.count * (1 if not storage.dtype else unit) // size
    last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if shape else 0
    count = prod(shape)
    if count and (offset + last >= have or (count > have and count > _EXPANDED_LIMIT)):
        text = tr("its tensor of shape {shape} is larger than its storage", shape=list(shape))
        raise TensorError(text)
    return Described(storage, kind, shape, strides, offset)


def _parameter(data: Any, *_rest: Any) -> Any:  # noqa: ANN401 - a parameter is its tensor
    return data


def _rebuild_from_type(make: Any, _kind: Any, arguments: Any, _state: Any) -> Any:  # noqa: ANN401
    return make(*arguments)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type,
    "torch.Size": tuple,
    "torch.device": lambda *parts: ":".join(map(str, parts)),
    "torch.storage.TypedStorage": lambda *_: None,
    "torch.serialization._get_layout": str,
    "_codecs.encode": lambda text, *_: str(text).encode("latin-1"),
}
