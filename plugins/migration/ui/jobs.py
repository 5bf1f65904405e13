"""What runs in the background for the window. No Qt."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core.recognise import kind_of
from plugins.migration.core.scan import (
    context_of,
    for_project,
    project_files,
    scan_files,
    scan_text,
)
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugins.migration.core.guide.guiding import Guide
    from plugins.migration.core.model import FileResult, ScanContext
    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Scanned:
    """The results by path, and what they were judged by."""

    results: list[FileResult]
    context: ScanContext


def scan(
    root: Path,
    paths: Sequence[Path] | None,
    texts: Mapping[Path, str],
    torch: str,
    chip: str,
    strategy: str,
    known: ScanContext | None,
    job: JobContext,
) -> Scanned:
    """Scan a whole project, or some of its files; `texts` are unsaved ones to take instead.

    What the project itself adds to the context is looked up by a whole scan; some files are judged
    by what is `known` since.
    """
    wanted = project_files(root) if paths is None else [path for path in paths if kind_of(path)]
    everything = wanted if paths is None else None
    context = known or for_project(context_of(torch, chip, strategy), root, everything)
    on_disk = [path for path in wanted if path not in texts and path.is_file()]
    results = list(scan_files(on_disk, context, job).values())
    for path in wanted:
        if path in texts:
            job.check()
            results.append(scan_text(texts[path], path, context))
    return Scanned(sorted(results, key=lambda result: result.path), context)


def guides(
    root: Path, file: str, texts: Mapping[Path, str], torch: str, chip: str, job: JobContext
) -> list[Guide]:
    """Ask the guide about one script, or about all that train; `texts` are unsaved ones."""
    from plugins.migration.core.guide.command import guides_of
    from plugins.migration.core.guide.guiding import guide_text

    place = root / file if file else root
    context = for_project(context_of(torch, chip), root)
    found = guides_of(place, context, job)
    return [
        guide_text(texts[one.path], one.path, context) if one.path in texts else one
        for one in found
    ]


def copy_project(root: Path, out: Path, changed: Mapping[str, bytes], job: JobContext) -> list[str]:
    """Copy a project to a new or empty folder, with other bytes for some files.

    Returns what could not be read. The copy is built beside its place, so that none is left half
    done; links stay links.
    """
    inside = root.resolve()
    if out.resolve().is_relative_to(inside) or inside.is_relative_to(out.resolve()):
        text = tr("{path} would replace the project itself; choose another folder.", path=out)
        raise StudioError(text, path=out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        text = tr("{path} is not empty; choose another folder.", path=out)
        raise StudioError(text, path=out)
    out.parent.mkdir(parents=True, exist_ok=True)
    found, left = walk(root), []
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as building:
        copy = Path(building, "copy")
        copy.mkdir()
        for name in found.folders:
            (copy / name).mkdir(parents=True, exist_ok=True)
        for name in found.links:
            os.symlink(os.readlink(root / name), copy / name)
        for number, name in enumerate(found.files):
            job.check()
            job.report(number / len(found.files), name)
            source = root / name
            if not source.is_file():
                continue  # reading a pipe or device may never end
            try:
                data = changed[name] if name in changed else source.read_bytes()
            except OSError:
                left.append(name)
                continue
            (copy / name).write_bytes(data)
            shutil.copystat(source, copy / name)
            (copy / name).chmod((copy / name).stat().st_mode | 0o200)
        if out.is_dir():
            out.rmdir()
        copy.rename(out)
    return left
