"""Shapes, types and formats of operators as the profilers write them."""

from __future__ import annotations

from math import prod
from typing import Final

Shape = tuple[int, ...]

_BYTES: Final = {
    "BOOL": 1,
    "INT8": 1,
    "UINT8": 1,
    "HIFLOAT8": 1,
    "FLOAT8_E4M3FN": 1,
    "FLOAT8_E5M2": 1,
    "INT16": 2,
    "UINT16": 2,
    "FLOAT16": 2,
    "BF16": 2,
    "BFLOAT16": 2,
    "HALF": 2,
    "INT32": 4,
    "UINT32": 4,
    "FLOAT": 4,
    "FLOAT32": 4,
    "INT64": 8,
    "UINT64": 8,
    "DOUBLE": 8,
    "FLOAT64": 8,
    "COMPLEX64": 8,
    "COMPLEX128": 16,
}


def shapes(text: str) -> list[Shape]:
    """Shapes of a text such as "4096,1024;1024" in order; one that is not given is ().

    Raises ValueError when a dimension is no number.
    """
    return [
        tuple(int(cell) for cell in part.split(",") if cell.strip()) for part in text.split(";")
    ]


def types(text: str) -> list[str]:
    """Data types of a text such as "DT_BF16;FLOAT", without their prefix."""
    return [part.strip().upper().removeprefix("DT_") for part in text.split(";")]


def formats(text: str) -> list[str]:
    """Memory formats of a text such as "FORMAT_ND;NC1HWC0", without their prefix."""
    return [part.strip().upper().removeprefix("FORMAT_") for part in text.split(";")]


def size(shape: Shape) -> int:
    """How many elements a tensor has; 0 for one that is not given."""
    return prod(shape) if shape else 0


def bytes_of(shape: Shape, kind: str) -> int | None:
    """How many bytes a tensor takes; None for an unknown type."""
    width = _BYTES.get(kind)
    return None if width is None else size(shape) * width


def moved_bytes(
    input_shapes: str, input_types: str, output_shapes: str, output_types: str
) -> int | None:
    """The bytes of all inputs and outputs once: the least an operator has to move."""
    total = 0
    for texts, kinds in ((input_shapes, input_types), (output_shapes, output_types)):
        try:
            listed = shapes(texts)
        except ValueError:
            return None
        for shape, kind in zip(listed, types(kinds), strict=False):
            if shape:
                found = bytes_of(shape, kind)
                if found is None:
                    return None
                total += found
    return total or None
