"""Names of element types, as frameworks and files write them, and types that NumPy lacks.

bfloat16 and the 8-bit floats exist in NumPy only through `ml_dtypes`, which is imported when the
first such tensor is read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.tensors.values import RAW_TYPES, ElementType

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bf16": "bfloat16",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "boolean": "bool",
    # safetensors
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "f8_e4m3": "float8_e4m3fn",
    "f8_e5m2": "float8_e5m2",
    "f8_e8m0": "float8_e8m0fnu",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u64": "uint64",
    "u32": "uint32",
    "u16": "uint16",
    "u8": "uint8",
    "c64": "complex64",
}
_PLAIN = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
) | {"float16", "float32", "float64", "complex64", "complex128"}


@lru_cache(maxsize=256)
def canonical(name: str) -> str:
    """Return NumPy's name of a type ("torch.bfloat16", "BFloat16", "BF16" → "bfloat16")."""
    short = name.rsplit(".", 1)[-1].strip().casefold()
    return _ALIASES.get(short, short)


@lru_cache(maxsize=256)
def named_type(name: str, little_endian: bool = True) -> ElementType | None:
    """Return the element type of that name, None when nobody here knows it."""
    plain = canonical(name)
    if plain in RAW_TYPES:
        return ElementType(plain, np.dtype(f"V{RAW_TYPES[plain]}"))
    if plain in _PLAIN:
        return ElementType(plain, np.dtype(plain).newbyteorder("<" if little_endian else ">"))
    return None


def decode(name: str, raw: NDArray[Any]) -> NDArray[np.float64]:
    """Turn the bytes of a type that NumPy lacks into float64, exactly."""
    import ml_dtypes

    kind = np.dtype(getattr(ml_dtypes, name))
    wide: NDArray[np.float64] = np.ascontiguousarray(raw).view(kind).astype(np.float64)
    return wide


def short_name(name: str) -> str:
    """Return the name of a type as people say it ("bf16", "fp32", "int64")."""
    plain = canonical(name)
    if plain == "bfloat16":
        return "bf16"
    if plain.startswith("float8"):
        return "fp8" + plain.removeprefix("float8")
    return plain.replace("float", "fp") if plain.startswith("float") else plain
