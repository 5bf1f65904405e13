"""Plain folders of tensor files; names of msprobe's kind are understood."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.dumps.cache import cached_folder
from studio.tensors.dumps.model import Call, Part, Value
from studio.tensors.dumps.names import parse_call, parse_value
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import SUFFIXES, open_tensor_file

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext

_SINGLE = ".npy"
_OFTEN = 64
_PIECE = re.compile(r"(\d+)")


def read_part(root: Path, job: JobContext | None = None) -> Part:
    """Index the tensors in a folder and below, or in a single file."""
    if not root.is_dir():
        return _read(root.parent, [root.name], job)
    names = _files(root)
    if not any(map(_holds_many, names)):
        # Names are all that is known of these: listing them is as fast as a cache.
        return _read(root, names, job)
    return cached_folder(root, names, lambda: _read(root, names, job))


def _read(base: Path, files: list[str], job: JobContext | None) -> Part:
    calls: dict[str, list[Value]] = {}
    faults: list[str] = []
    for place, file in enumerate(files):
        if job is not None and place % _OFTEN == 0:
            job.check()
            job.report(place / len(files), file)
        stem = file[: file.rindex(".")]
        known = parse_value(stem)
        for member, dtype, shape in _tensors(base, file, faults):
            name = f"{stem}:{member}" if member else stem
            call, role, where = (None if member else known) or (name, "output", member or "0")
            calls.setdefault(call, []).append(
                Value(name, role, where, "Tensor", dtype, shape, file=file, member=member)
            )
    return Part(
        folder=".",
        data_folder=".",
        task="tensor",
        calls=tuple(_call(name, values) for name, values in calls.items()),
        faults=tuple(faults),
    )


def _files(root: Path) -> list[str]:
    """Return the files of tensors below a folder, relative to it, in natural order."""
    found = []
    start = len(str(root)) + 1
    for folder, folders, names in os.walk(root):
        folders.sort()
        inside = folder[start:].replace(os.sep, "/")
        before = f"{inside}/" if inside else ""
        found += [before + name for name in names if name.casefold().endswith(SUFFIXES)]
    if not found:
        raise TensorError(tr("{path} holds no tensors.", path=root), path=root)
    return sorted(found, key=natural)


def _tensors(
    base: Path, file: str, faults: list[str]
) -> list[tuple[str, str, tuple[int, ...] | None]]:
    if not _holds_many(file):
        return [("", "", None)]
    path = base / file
    try:
        tensors = open_tensor_file(path)
    except TensorError as error:
        faults.append(tr("{file}: {reason}", file=path.name, reason=error.message))
        return [("", "", None)]
    for name, reason in tensors.refused.items():
        text = tr("{file}: {reason}", file=f"{path.name}:{name}", reason=reason)
        faults.append(text)
    return [(name, tensor.type.name, tensor.shape) for name, tensor in tensors.items()]


def _holds_many(file: str) -> bool:
    """Whether a file may hold several tensors; just one is not worth opening a file for."""
    return not file.casefold().endswith(_SINGLE) and not parse_value(file[: file.rindex(".")])


def _call(name: str, values: list[Value]) -> Call:
    api, count, phase, module = parse_call(name)
    order = {"input": 0, "parameter": 1, "output": 2}
    values.sort(key=lambda value: (order.get(value.role, 3), natural(value.place)))
    return Call(name, api, count, phase, module, values=tuple(values))


def natural(name: str) -> list[tuple[int, int | str]]:
    """Return a key that sorts 9 before 10."""
    pieces = _PIECE.split(name)
    return [(0, int(piece)) if piece.isdigit() else (1, piece) for piece in pieces if piece]
