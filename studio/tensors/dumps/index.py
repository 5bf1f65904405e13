"""Recognise a dump and index it: names, shapes, statistics and places, but no elements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.dumps import files, mindspore, msprobe
from studio.tensors.dumps.cache import cached_part
from studio.tensors.dumps.collecting import without_collection
from studio.tensors.dumps.model import DumpIndex, Part
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from studio.kernel.job_context import JobContext


def index_dump(path: str | Path, job: JobContext | None = None) -> DumpIndex:
    """Index a dump of msprobe or MindSpore, a folder of tensor files, or a single such file.

    Raises TensorError when there is nothing to read.
    """
    given = Path(path)
    if not given.exists():
        raise TensorError(tr("{path} does not exist.", path=given), path=given)
    root = given.absolute()
    if root.name in msprobe.MAIN:
        root = root.parent
    kind, folders = _recognised(root)
    if kind == "msprobe":
        parts = [_msprobe(root, folder, i, len(folders), job) for i, folder in enumerate(folders)]
    elif kind == "mindspore":
        parts = []
        for done, folder in enumerate(folders):
            if job is not None:
                job.check()
                job.report(done / len(folders), folder.relative_to(root).as_posix())
            with without_collection():
                parts.append(mindspore.read_part(root, folder))
    else:
        parts = [files.read_part(root, job)]
    return DumpIndex(root if root.is_dir() else root.parent, kind, tuple(parts))


def dump_kind(root: Path) -> str:
    """Return "msprobe", "mindspore" or "files" for what a folder holds."""
    return _recognised(root)[0]


def _recognised(root: Path) -> tuple[str, list[Path]]:
    """Return what a folder holds, and the folders of its parts."""
    if root.is_dir():
        if folders := msprobe.part_folders(root):
            return "msprobe", folders
        if folders := mindspore.part_folders(root):
            return "mindspore", folders
    return "files", []


def _msprobe(root: Path, folder: Path, done: int, of: int, job: JobContext | None) -> Part:
    if job is not None:
        job.check()
        job.report(done / of, folder.relative_to(root).as_posix())
    names = (*msprobe.MAIN, "stack.json", "construct.json")
    with without_collection():
        return cached_part(
            [folder / name for name in names], str(root), lambda: msprobe.read_part(root, folder)
        )
