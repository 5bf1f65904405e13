"""Large columns in a file without a name, of which memory only holds what is looked at.

A table of millions of rows has many columns that nobody asks for. In a file they cost no memory;
the system reads those that are used, and may let go of them again. The file vanishes with the last
of its columns, also when the program is killed.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.paths import cache_dir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def kept_in_file(parts: list[Array], kind: np.dtype[Any]) -> Array:
    """Join parts to one column of a type in a file; the list is emptied on the way."""
    count = sum(map(len, parts))
    if not count:
        return np.zeros(0, kind)
    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        while parts:
            file.write(np.ascontiguousarray(parts.pop(0).astype(kind, copy=False)).data)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, kind, count)
