"""Synchronous dumps of MindSpore: one `.npy` file per tensor, or one table of statistics.

File names have ten parts and are read from the right, since scopes may hold dots:
`{type}.{scope}.{task}.{stream}.{time}.{input|output}.{slot}.{format}[.{dtype}].npy`.
"""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.tensors.dtypes import canonical
from studio.tensors.dumps.cache import cached_listing
from studio.tensors.dumps.lenient_json import number
from studio.tensors.dumps.model import Call, Part, Value

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_FILE = re.compile(
    r"^(?P<type>[^.]+)\.(?P<scope>.+)\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)"
    r"\.(?P<io>input|output)[._](?P<slot>\d+)(?:\.(?P<format>[^.]+))?(?:\.(?P<dtype>[^.]+))?\.npy$"
)
_STATISTICS, _LONG_NAMES = "statistic.csv", "mapping.csv"
_RANK = re.compile(r"^rank_(\d+)$")
_CLASS = re.compile(r"-[A-Za-z]\w*$")
_OPERATOR = re.compile(r"-op\d+$")


def part_folders(root: Path) -> list[Path]:
    """Return the folders of iterations that hold files or statistics, by name."""
    found = []
    for folder, folders, files in os.walk(root):
        folders.sort(key=lambda name: (len(name), name))
        if len(folder) > len(str(root)) + 4096:
            folders.clear()
        if _STATISTICS in files or any(_FILE.match(name) for name in files[:200]):
            found.append(root.__class__(folder))
    return found


def read_part(root: Path, folder: Path) -> Part:
    """Index the tensors of one iteration; headers are not read, large indexes are kept."""
    files = sorted(os.listdir(folder))
    tables = [folder / _STATISTICS, folder / _LONG_NAMES, *_orders(folder)]
    # The root is part of the answer: places in it are relative to it.
    names = [str(root), *files]
    return cached_listing(folder, names, tables, lambda: _read(root, folder, files))


def _read(root: Path, folder: Path, files: list[str]) -> Part:
    values: dict[tuple[str, str], list[tuple[int, Value]]] = defaultdict(list)
    faults: list[str] = []
    recorded = folder / _STATISTICS
    names = _mapping(folder)
    for file in files:
        match = _FILE.match(names.get(file, file))
        if match:
            value = Value(
                name=f"{match['type']}.{match['scope']}.{match['io']}.{match['slot']}",
                role=match["io"],
                place=match["slot"],
                kind="Tensor",
                dtype=canonical(match["dtype"] or ""),
                file=file,
            )
            values[match["type"], match["scope"]].append((int(match["time"]), value))
    statistics = not values and recorded.is_file()
    if statistics:
        _read_statistics(recorded, values, faults)
    order = _execution_order(folder)
    calls = [_call(key, found, order) for key, found in values.items()]
    calls.sort(key=lambda entry: entry[0])
    rank = next((int(m[1]) for p in folder.parts[::-1] if (m := _RANK.match(p))), None)
    return Part(
        folder=folder.relative_to(root).as_posix(),
        data_folder=folder.relative_to(root).as_posix(),
        step=int(folder.name) if folder.name.isdigit() else None,
        rank=rank,
        task="statistics" if statistics else "tensor",
        level="kernel",
        framework="mindspore",
        calls=tuple(call for _, call in calls),
        faults=tuple(faults),
    )


def module_of(scope: str) -> str:
    """Return the module path in a scope: `Default/network-Net/layers-CellList/0-Block/MatMul-op1`.

    Underscores in place of slashes are what file names have; `-Class` ends each step of the path.
    """
    steps = scope.split("/")[1:-1] if "/" in scope else _steps(scope)
    return ".".join(_CLASS.sub("", step) for step in steps)


def _steps(scope: str) -> list[str]:
    steps, words = [], []
    for word in scope.split("_")[1:]:
        words.append(word)
        if _CLASS.search(word):
            steps.append("_".join(words))
            words = []
    return [step for step in steps if not _OPERATOR.search(step)]


def _call(
    key: tuple[str, str], found: list[tuple[int, Value]], order: dict[str, tuple[int, str]]
) -> tuple[tuple[int, int, str], Call]:
    kind, scope = key
    place, full = order.get(scope, (1 << 40, scope))
    backward = scope.startswith("Gradients")
    found.sort(key=lambda entry: (entry[1].role, int(entry[1].place)))
    parameter = kind == "Parameter"
    match = _OPERATOR.search(scope)
    call = Call(
        name=f"{kind}.{full}",
        api=kind,
        number=int(match[0][3:]) if match else -1,
        phase="backward" if backward else "forward",
        module=scope if parameter else "",
        parent=module_of(full),
        values=tuple(value for _, value in found),
    )
    # Parameters are inputs of the graph: they come first.
    return (-1 if parameter else place, min(time for time, _ in found), scope), call


def _mapping(folder: Path) -> dict[str, str]:
    """Return the long names of files that were given a short one."""
    try:
        with (folder / _LONG_NAMES).open(encoding="utf-8", newline="") as file:
            return {row[0].strip(): row[1].strip() for row in csv.reader(file) if len(row) > 1}
    except OSError:
        return {}


def _execution_order(folder: Path) -> dict[str, tuple[int, str]]:
    """Map scopes as in file names to their place in the graph and their full name."""
    for path in _orders(folder):
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))[1:]
        except OSError:
            continue
        return {row[0].replace("/", "_"): (place, row[0]) for place, row in enumerate(rows) if row}
    return {}


def _orders(folder: Path) -> list[Path]:
    """Where the order of execution of an iteration can stand."""
    name = f"ms_execution_order_graph_{folder.parent.name}.csv"
    return [above / "execution_order" / name for above in folder.parents[:4]]


def _read_statistics(
    path: Path, values: dict[tuple[str, str], list[tuple[int, Value]]], faults: list[str]
) -> None:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            kind, scope = row.get("Op Type"), row.get("Op Name")
            io, slot = row.get("IO") or "", row.get("Slot") or ""
            if not kind or not scope or io not in ("input", "output") or not slot.isdigit():
                faults.append(tr("a row of {file} is incomplete", file=path.name))
                continue
            value = Value(
                name=f"{kind}.{scope}.{io}.{slot}",
                role=io,
                place=slot,
                kind="Tensor",
                dtype=canonical(row.get("Data Type") or ""),
                shape=_shape(row.get("Shape") or ""),
                max=_cell(row, ("Max Value",)),
                min=_cell(row, ("Min Value",)),
                mean=_cell(row, ("Avg Value",)),
                norm=_cell(row, ("L2 Value", "L2Norm Value")),
                checksum=row.get("MD5") or "",
            )
            time = row.get("Timestamp") or "0"
            values[kind, scope].append((int(time) if time.isdigit() else 0, value))


def _shape(text: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def _cell(row: dict[str, Any], names: Iterable[str]) -> int | float | bool | None:
    text = next((row[name] for name in names if row.get(name)), None)
    return number(text)
