"""Plain folders of tensor files; names of msprobe's kind are understood."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.dumps.model import Call, Part, Value
from studio.tensors.dumps.names import parse_call, parse_value
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import SUFFIXES, open_tensor_file

if TYPE_CHECKING:
    from studio.kernel.job_context import JobContext

_SINGLE = ".npy"


def read_part(root: Path, job: JobContext | None = None) -> Part:
    """Index the tensors in a folder and below, or in a single file."""
    calls: dict[str, list[Value]] = {}
    faults: list[str] = []
    base = root if root.is_dir() else root.parent
    files = _files(root) if root.is_dir() else [root]
    for place, path in enumerate(files):
        if job is not None:
            job.check()
            job.report(place / len(files), path.name)
        relative = path.relative_to(base).as_posix()
        stem = relative.removesuffix(path.suffix) if root.is_dir() else path.stem
        for member, dtype, shape in _tensors(path, faults):
            name = f"{stem}:{member}" if member else stem
            known = parse_value(stem) if not member else None
            call, role, where = known or (name, "output", member or "0")
            calls.setdefault(call, []).append(
                Value(name, role, where, "Tensor", dtype, shape, file=relative, member=member)
            )
    return Part(
        folder=".",
        data_folder=".",
        task="tensor",
        calls=tuple(_call(name, values) for name, values in calls.items()),
        faults=tuple(faults),
    )


def _files(root: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        found += [Path(folder, name) for name in names if name.casefold().endswith(SUFFIXES)]
    if not found:
        raise TensorError(tr("{path} holds no tensors.", path=root), path=root)
    return sorted(found, key=lambda path: natural(path.relative_to(root).as_posix()))


def _tensors(path: Path, faults: list[str]) -> list[tuple[str, str, tuple[int, ...] | None]]:
    # One tensor per file is not worth opening tens of thousands of files for.
    if path.suffix.casefold() == _SINGLE or parse_value(path.stem):
        return [("", "", None)]
    try:
        tensors = open_tensor_file(path)
    except TensorError as error:
        faults.append(tr("{file}: {reason}", file=path.name, reason=error.message))
        return [("", "", None)]
    for name, reason in tensors.refused.items():
        text = tr("{file}: {reason}", file=f"{path.name}:{name}", reason=reason)
        faults.append(text)
    return [(name, tensor.type.name, tensor.shape) for name, tensor in tensors.items()]


def _call(name: str, values: list[Value]) -> Call:
    api, count, phase, module = parse_call(name)
    order = {"input": 0, "parameter": 1, "output": 2}
    values.sort(key=lambda value: (order.get(value.role, 3), natural(value.place)))
    return Call(name, api, count, phase, module, values=tuple(values))


def natural(name: str) -> list[tuple[int, int | str]]:
    """Return a key that sorts 9 before 10."""
    pieces = re.split(r"(\d+)", name)
    return [(0, int(piece)) if piece.isdigit() else (1, piece) for piece in pieces if piece]
