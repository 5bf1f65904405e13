"""Dumps of msprobe, old and new: `dump.json` (or `debug.json`), `stack.json`, `construct.json`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.tensors.dumps.lenient_json import read_json
from studio.tensors.dumps.model import Call, Part
from studio.tensors.dumps.msprobe_values import values_of
from studio.tensors.dumps.names import parse_call
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATA = "dump_tensor_data"
MAIN = ("dump.json", "debug.json")
_STEP = re.compile(r"^step_?(\d+)$")
_RANK = re.compile(r"^rank_?(\d+)$")
_DEPTH = 3


def part_folders(root: Path) -> list[Path]:
    """Return the folders that hold a dump of msprobe, by step and rank; searched a few levels."""
    found = [folder for folder in _folders(root, 0) if main_file(folder) is not None]
    return sorted(found, key=lambda folder: (*_numbers(root, folder), folder.as_posix()))


def main_file(folder: Path) -> Path | None:
    """Return the JSON file of a folder that holds the dump of a rank."""
    return next((folder / name for name in MAIN if (folder / name).is_file()), None)


def read_part(root: Path, folder: Path) -> Part:
    """Read all that is known of one rank in one step but for the elements of tensors."""
    path = main_file(folder)
    if path is None:
        raise TensorError(tr("holds no dump.json"), path=folder)
    content, doubled = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get("data"), dict):
        raise TensorError(tr("{file} is no dump of msprobe", file=path.name), path=path)
    faults = [tr("{key} is listed twice; the last one counts", key=key) for key in doubled]
    parents = _construct(folder, faults)
    stacks, places = _stacks(folder, faults)
    entries = content["data"] or dict.fromkeys(parents)
    calls = tuple(
        _call(name, entry, parents.get(name, ""), places.get(name, -1))
        for name, entry in entries.items()
    )
    step, rank = _numbers(root, folder)
    return Part(
        folder=_relative(root, folder),
        data_folder=_relative(root, _data_folder(folder, content)),
        step=step if step >= 0 else None,
        rank=rank if rank >= 0 else None,
        task=str(content.get("task") or ""),
        level=str(content.get("level") or ""),
        framework=str(content.get("framework") or ""),
        calls=calls,
        stacks=tuple(stacks),
        faults=tuple(faults),
    )


def _folders(folder: Path, depth: int) -> Iterator[Path]:
    yield folder
    if depth == _DEPTH:
        return
    try:
        with os.scandir(folder) as entries:
            below = [e.name for e in entries if e.is_dir() and e.name != DATA]
    except OSError:
        return
    for name in below:
        yield from _folders(folder / name, depth + 1)


def _numbers(root: Path, folder: Path) -> tuple[int, int]:
    """Return step and rank from the names of folders, -1 when they do not say."""
    steps, ranks = [-1], [-1]
    # A rank's folder is often opened by itself: its own name and its parent's count too.
    names = folder.relative_to(root.parent.parent if root.parent != root else root).parts
    for name in names[-3:]:
        if match := _STEP.match(name):
            steps.append(int(match[1]))
        if match := _RANK.match(name):
            ranks.append(int(match[1]))
    return steps[-1], ranks[-1]


def _call(name: str, entry: Any, parent: str, stack: int) -> Call:  # noqa: ANN401 - JSON
    api, count, phase, module = parse_call(name)
    values = tuple(values_of(name, phase, entry))
    return Call(name, api, count, phase, module, parent, stack, values)


def _construct(folder: Path, faults: list[str]) -> dict[str, str]:
    path = folder / "construct.json"
    if not path.is_file():
        return {}
    try:
        content, _ = read_json(path)
    except TensorError as error:
        faults.append(error.message)
        return {}
    if not isinstance(content, dict):
        return {}
    parents = {}
    for name, parent in content.items():
        # Merged data and MindSpore list several parents; the first is the one that counts.
        first = parent[0] if isinstance(parent, list) and parent else parent
        parents[name] = first if isinstance(first, str) else ""
    return parents


def _stacks(folder: Path, faults: list[str]) -> tuple[list[tuple[str, ...]], dict[str, int]]:
    path = folder / "stack.json"
    if not path.is_file():
        return [], {}
    try:
        content, _ = read_json(path)
    except TensorError as error:
        faults.append(error.message)
        return [], {}
    stacks: list[tuple[str, ...]] = []
    places: dict[str, int] = {}
    for key, entry in content.items() if isinstance(content, dict) else ():
        match entry:
            case [list(names), list(frames)]:  # 26.x: calls grouped by their stack
                pass
            case list(frames):  # older: one stack for each call
                names = [key]
            case str(text):
                names, frames = [key], [text]
            case _:
                continue
        for name in names:
            if isinstance(name, str):
                places[name] = len(stacks)
        stacks.append(tuple(map(str, frames)))
    return stacks, places


def _data_folder(folder: Path, content: dict[str, Any]) -> Path:
    beside = folder / DATA
    if beside.is_dir():
        return beside
    # Some tools keep the files beside the JSON; a recorded path is only good where it was made.
    recorded = content.get("dump_data_dir")
    if isinstance(recorded, str) and recorded and os.path.isdir(recorded):
        return folder / recorded
    return folder


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
