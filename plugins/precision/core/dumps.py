"""Recognise folders that hold the tensors of a run."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from studio.model.items import FactValue

_ENOUGH = 2
_MAIN = ("dump.json", "debug.json")
_DATA = "dump_tensor_data"
_STEP = re.compile(r"^step_?\d+$")
_RANK = re.compile(r"^(rank_?|proc)\d+$")
_MINDSPORE = ("execution_order", ".dump_metadata")
_HEAD = 4096


def is_dump(path: Path) -> bool:
    """Tell whether a folder is the whole of a dump.

    That is a folder with the steps or ranks of msprobe or MindSpore, or one that directly holds two
    or more `.npy` files: a single one is more often a data set; it can still be compared by hand.
    """
    if path.name == _DATA or _is_part(path):
        return False
    names = _names(path)
    if any(name in names for name in _MAIN) or _parts(path, names):
        return True
    return len(list(islice(_tensors(path), _ENOUGH))) == _ENOUGH


def dump_facts(path: Path) -> Mapping[str, FactValue]:
    """Say what wrote a dump and how many steps and ranks it has, or how many tensors."""
    names = _names(path)
    parts = _parts(path, names)
    if parts or any(name in names for name in _MAIN):
        steps = {p.name for p in (path, *path.iterdir()) if _STEP.match(p.name)}
        ranks = {part.name for part in parts if _RANK.match(part.name)}
        facts: dict[str, FactValue] = {"steps": max(len(steps), 1), "ranks": max(len(ranks), 1)}
        return facts | _head(parts[0] if parts else path)
    sizes = [entry.stat().st_size for entry in _tensors(path)]
    return {"tensors": len(sizes), "MiB": round(sum(sizes) / 2**20, 2)}


def _parts(path: Path, names: set[str]) -> list[Path]:
    """Return the folders of ranks in a dump, by step."""
    steps = [path / name for name in sorted(names) if _STEP.match(name)] or [path]
    found = []
    for step in steps:
        for name in sorted(_names(step)):
            if _RANK.match(name):
                inside = _names(step / name)
                if inside & {*_MAIN, *_MINDSPORE}:
                    found.append(step / name)
    return found


def _is_part(path: Path) -> bool:
    """Whether a folder is a step, rank or iteration of a dump that is recognised above it."""
    if _STEP.match(path.name):
        return bool(_parts(path, _names(path)))
    if any(_RANK.match(above.name) and _names(above) & {*_MINDSPORE} for above in path.parents[:4]):
        return True
    above = path.parent
    if not _RANK.match(path.name) or not _names(path) & {*_MAIN, *_MINDSPORE}:
        return False
    return bool(_STEP.match(above.name) or _parts(above, _names(above)))


def _head(part: Path) -> dict[str, FactValue]:
    """Read task, level and framework from the beginning of the JSON file."""
    for name in _MAIN:
        try:
            with (part / name).open(encoding="utf-8", errors="replace") as file:
                head = file.read(_HEAD)
        except OSError:
            continue
        found = re.findall(r'"(task|level|framework)"\s*:\s*("(?:[^"\\]|\\.)*")', head)
        return {key: str(json.loads(value)) for key, value in found}
    return {"framework": "mindspore"}


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        # A folder that cannot be listed is no dump; the explorer tells why.
        return set()


def _tensors(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".npy") and entry.is_file():
                    yield entry
    except OSError:
        # See above.
        return
