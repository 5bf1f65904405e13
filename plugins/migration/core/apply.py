"""Writing a migrated copy of a file or project; the original is never touched."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core.inplace import (
    AppliedInPlace,
    Patch,
    apply_in_place,
    choice,
    new_text,
    show_patch,
)
from plugins.migration.core.report import MigrationReport, json_text
from plugins.migration.core.scan import context_of, scan_project
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.encoding import encode
from studio.model.tree import Found, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugins.migration.core.model import FileResult, ScanContext
    from studio.kernel.job_context import JobContext
    from studio.model.findings import Finding

REPORTS = ("migration-report.json", "migration-report.csv")
"""Their presence marks a folder as an earlier result, which may be replaced."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written where."""

    report: MigrationReport
    out: Path
    changed: tuple[Path, ...]
    failed: tuple[Path, ...] = ()
    not_copied: tuple[str, ...] = ()

    def to_json(self) -> object:
        """The counts, the changed files and the summary of the scan."""
        return {
            "root": os.fspath(self.report.root),
            "out": os.fspath(self.out),
            "changed": [self.report.relative(path) for path in self.changed],
            "failed": [self.report.relative(path) for path in self.failed],
            "not_copied": list(self.not_copied),
            "summary": self.report.summary(),
        }

    def to_text(self) -> str:
        """What was done, in a few sentences."""
        count = trn("{n} file changed", "{n} files changed", len(self.changed))
        where = tr("The migrated copy is in {path}.", path=self.out)
        listed = tr("What is left to do is listed in {name}.", name=REPORTS[1])
        lines = [f"{count}. {where} {listed}"]
        left = [self.report.relative(path) for path in self.failed]
        if left:
            lines.append(tr("Left as they are: {files}", files=", ".join(left)))
        if self.not_copied:
            lines.append(tr("Could not be read: {files}", files=", ".join(self.not_copied)))
        return "\n".join(lines)


def apply_command(
    path: Path,
    out: Path | None = None,
    torch: str = "",
    chip: str = "",
    strategy: str = "",
    only: Sequence[str] = (),
    safe_only: bool = False,
    fused: bool = False,
    in_place: bool = False,
    dry_run: bool = False,
    force: bool = False,
    job: JobContext | None = None,
) -> Applied | AppliedInPlace | Patch:
    """Apply the changes to a copy or in place, or only show them.

    Without `safe_only` the changes that ask for a look are made as well, with `fused` also those
    that only make the program faster.
    """
    source = Path(os.path.abspath(path))
    context = context_of(torch, chip, strategy)
    wanted = choice(only, safe_only=safe_only, fused=fused)
    if in_place and out is not None:
        raise StudioError(tr("Give --out or --in-place, not both."), exit_code=2)
    if dry_run or in_place:
        report = scan_project(source, context, job, without=out)
        return show_patch(report, wanted) if dry_run else apply_in_place(report, wanted)
    if out is None:
        raise StudioError(tr("Give --out with a folder, --in-place or --dry-run."), exit_code=2)
    return apply_to_copy(source, Path(os.path.abspath(out)), context, wanted, force=force, job=job)


def apply_to_copy(
    source: Path,
    target: Path,
    context: ScanContext,
    wanted: Callable[[Finding], bool],
    *,
    force: bool = False,
    job: JobContext | None = None,
) -> Applied:
    """Copy a file or project to a new folder with the changes applied, and a report beside them.

    The copy is built beside its place and moved there at the end, so that nothing half-written
    stays.
    """
    _check_target(source, target, force=force)
    report = scan_project(source, context, job, without=target)
    found = Found() if source.is_file() else walk(source)
    building = _place_to_build(target)
    try:
        missing = _copy(source, found, building, without=target)
        applied = replace(_change_all(report, building, target, wanted), not_copied=missing)
        # File names may hold bytes that are no text; a report names them with escapes.
        for name, text, encoding in (
            (REPORTS[0], json_text(report), "utf-8"),
            (REPORTS[1], report.to_csv(), "utf-8-sig"),
        ):
            (building / name).write_bytes(text.encode(encoding, "backslashreplace"))
        _put_in_place(building, target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return applied


def _place_to_build(target: Path) -> Path:
    """A new folder beside the target."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        problem = error.strerror or str(error)
        text = tr("{path} cannot be written: {problem}.", path=target, problem=problem)
        raise StudioError(text, path=target) from error


def _check_target(source: Path, target: Path, *, force: bool) -> None:
    if not source.exists():
        raise StudioError(tr("{path} does not exist.", path=source), path=source)
    inside = source.resolve()
    if target.resolve() == inside or inside.is_relative_to(target.resolve()):
        text = tr("{path} would replace the project itself; choose another folder.", path=target)
        raise StudioError(text, path=target, exit_code=2)
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_dir():
        text = tr("{path} is a file; choose a folder.", path=target)
        raise StudioError(text, path=target, exit_code=2)
    ours = all((target / name).is_file() for name in REPORTS)
    if any(target.iterdir()) and not ours and not force:
        text = tr("{path} is not empty; choose another folder or add --force.", path=target)
        raise StudioError(text, path=target, exit_code=2)


def _copy(source: Path, found: Found, building: Path, *, without: Path) -> tuple[str, ...]:
    """Copy what belongs to the project, links as links; returns what could not be read."""
    if source.is_file():
        return () if _copy_file(source, building / source.name) else (source.name,)

    def wanted(names: list[str]) -> list[str]:
        return [name for name in names if not (source / name).is_relative_to(without)]

    for name in wanted(found.folders):
        (building / name).mkdir(parents=True, exist_ok=True)
    for name in wanted(found.links):
        os.symlink(os.readlink(source / name), building / name)
    # Reading a pipe or socket may never end: only plain files are copied.
    plain = [name for name in wanted(found.files) if (source / name).is_file()]
    return tuple(name for name in plain if not _copy_file(source / name, building / name))


def _copy_file(source: Path, place: Path) -> bool:
    """Copy a file with its mode; a copy of a read-only file can be written by its owner."""
    try:
        data = source.read_bytes()
    except OSError:
        return False
    place.write_bytes(data)
    shutil.copystat(source, place)
    place.chmod(place.stat().st_mode | 0o200)
    return True


def _change_all(
    report: MigrationReport, building: Path, target: Path, wanted: Callable[[Finding], bool]
) -> Applied:
    changed: list[Path] = []
    failed: list[Path] = []
    for result in report.results:
        chosen = [finding for finding in result.findings if wanted(finding)]
        place = building / report.relative(result.path)
        if chosen and place.is_file():
            (changed if _change(result, place, chosen) else failed).append(result.path)
    return Applied(report, target, tuple(changed), tuple(failed))


def _change(result: FileResult, place: Path, chosen: list[Finding]) -> bool:
    """Change one file of the copy; False if the outcome would be no valid Python."""
    if place.is_symlink():
        return False
    new = new_text(result, chosen)
    if new is None:
        return False
    decoded, text = new
    place.write_bytes(encode(text, decoded.encoding, bom=decoded.bom, lossy=decoded.lossy))
    return True


def _put_in_place(building: Path, target: Path) -> None:
    building.chmod(0o755 & ~_umask())
    if target.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.parent))
        os.replace(target, old / "copy")
        os.replace(building, target)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.replace(building, target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
