"""Element types of stored tensors: their names, and how their bytes become numbers.

NumPy has no 16-bit brain float and no 8-bit floats: such arrays are saved as raw bytes ("V2",
"V1"), and only what wrote them knows their type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RAW_TYPES = {
    "bfloat16": 2,
    "float8_e5m2": 1,
    "float8_e4m3fn": 1,
    "float8_e4m3": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
    "float8_e4m3b11fnuz": 1,
    "float8_e8m0fnu": 1,
}
"""Types that NumPy stores as raw bytes, with their size."""


@dataclass(frozen=True, slots=True)
class ElementType:
    """The type of a tensor's elements: a name a user knows, and the NumPy type of the bytes."""

    name: str
    stored: np.dtype[Any]

    @property
    def kind(self) -> str:
        """One of "bool", "int", "float", "complex"."""
        if self.name in RAW_TYPES:
            return "float"
        return {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[self.stored.kind]

    @property
    def wide(self) -> bool:
        """Whether squares of its values can leave the range of float64."""
        size = self.stored.itemsize // (2 if self.kind == "complex" else 1)
        return self.kind in ("float", "complex") and size > 4

    def numbers(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Turn stored elements into float64, complex128, or the integers they are.

        Every narrower type is contained in these exactly; extended precision is rounded to float64.
        """
        if self.name in RAW_TYPES:
            # Signalling NaNs become quiet ones, which is no news.
            with np.errstate(invalid="ignore"):
                return self._unpacked(np.ascontiguousarray(raw)).reshape(raw.shape)
        if self.kind in ("float", "complex"):
            wide = np.float64 if self.kind == "float" else np.complex128
            with np.errstate(invalid="ignore", over="ignore"):
                return raw.astype(wide)
        if self.kind == "bool":
            return raw.view(np.uint8)
        return raw.astype(self.stored.newbyteorder("="), copy=False)

    def _unpacked(self, raw: NDArray[Any]) -> NDArray[np.float64]:
        if self.name == "bfloat16":
            wide = raw.view("<u2").astype(np.uint32) << np.uint32(16)
            return wide.view(np.float32).astype(np.float64)
        if self.name == "float8_e5m2":
            # The upper byte of a half-precision number.
            half = raw.view(np.uint8).astype(np.uint16) << np.uint16(8)
            return half.view(np.float16).astype(np.float64)
        if self.name == "float8_e4m3fn":
            return _e4m3fn_values()[raw.view(np.uint8)]
        from studio.tensors.dtypes import decode

        return decode(self.name, raw)


def element_type(stored: np.dtype[Any], hint: str = "") -> ElementType | None:
    """Return the element type of stored bytes; `hint` names what raw bytes are, None if unknown."""
    if stored.kind == "V" and stored.fields is None and stored.subdtype is None:
        known = RAW_TYPES.get(hint) == stored.itemsize
        return ElementType(hint, stored) if known else None
    if stored.kind in "biufc":
        return ElementType(stored.newbyteorder("=").name, stored)
    return None


def _e4m3fn_values() -> NDArray[np.float64]:
    """The 256 values of float8_e4m3fn: bias 7, no infinities, NaN at S.1111.111."""
    code = np.arange(256)
    exponent, fraction = (code >> 3) & 15, code & 7
    value = np.where(
        exponent == 0,
        np.ldexp(fraction / 8.0, -6),
        np.ldexp(1 + fraction / 8.0, exponent - 7),
    )
    value = np.where((code & 127) == 127, np.nan, value)
    return np.where(code >= 128, -value, value)
