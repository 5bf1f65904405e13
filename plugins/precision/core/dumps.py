"""Recognise folders that hold the tensors of a run."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from studio.model.items import FactValue

_ENOUGH = 2


def is_dump(path: Path) -> bool:
    """Tell whether a folder directly holds two or more `.npy` files.

    A single one is more often a data set than a dump; it can still be compared by hand.
    """
    return len(list(islice(_tensors(path), _ENOUGH))) == _ENOUGH


def dump_facts(path: Path) -> Mapping[str, FactValue]:
    """Count the tensors directly in a folder and their size on disk."""
    sizes = [entry.stat().st_size for entry in _tensors(path)]
    return {"tensors": len(sizes), "MiB": round(sum(sizes) / 2**20, 2)}


def _tensors(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".npy") and entry.is_file():
                    yield entry
    except OSError:
        # A folder that cannot be listed is no dump; the explorer tells why.
        return
