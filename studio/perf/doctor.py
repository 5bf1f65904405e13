"""The import doctor: what a profile holds, what is missing and what that costs, what looks odd."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.perf.doctor_checks import checks
from studio.perf.load import load_profile
from studio.perf.remark import ERROR, INFO, OK, WARNING, Remark, remark_of

if TYPE_CHECKING:
    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.perf.sources import Sources

SMALL_BYTES: Final = 64 << 20
"""Files up to this size are read as a whole; of larger ones only the beginning is looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """One kind of data that is there: its table, files and size."""

    table: str
    title: str
    files: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor says of one path."""

    path: Path
    form: str
    framework: str | None
    level: str | None
    rank: int | None
    found: tuple[Found, ...]
    remarks: tuple[Remark, ...]

    @property
    def exit_code(self) -> int:
        """1 when something keeps the profile from being read, else 0."""
        return int(any(remark.severity == ERROR for remark in self.remarks))

    def to_json(self) -> object:
        """The diagnosis as plain values."""
        return {
            "path": str(self.path),
            "form": self.form,
            "framework": self.framework,
            "level": self.level,
            "rank": self.rank,
            "found": [asdict(found) for found in self.found],
            "remarks": [remark.to_json() for remark in self.remarks],
        }

    def to_text(self) -> str:
        """The diagnosis for people."""
        signs = {OK: "✓", INFO: "·", WARNING: "!", ERROR: "✗"}
        lines = [f"{self.path}", self.headline(), ""]
        lines += [f"✓ {found.title}: {', '.join(found.files)}" for found in self.found]
        for remark in self.remarks:
            lines.append(f"{signs[remark.severity]} {remark.text}")
            lines += [f"    {line}" for line in (remark.cost, remark.advice) if line]
        return "\n".join(lines)

    def headline(self) -> str:
        """One line: what it is and how it does."""
        parts = [part for part in (self.framework, self.form, self.level) if part]
        if self.rank is not None:
            parts.append(tr("rank {rank}", rank=self.rank))
        bad = sum(remark.severity in (WARNING, ERROR) for remark in self.remarks)
        some = trn("{n} thing to look at", "{n} things to look at", bad)
        told = sum(remark.severity == INFO for remark in self.remarks)
        noted = trn("readable, with {n} thing to know", "readable, with {n} things to know", told)
        state = some if bad else noted if told else tr("nothing to complain about")
        return f"{' · '.join(parts)}: {state}"


def diagnose(path: Path | str, job: Progress | None = None, *, full: bool = False) -> Diagnosis:
    """Look a profile over; with `full` every table is read, however large.

    Raises StudioError only when the path is not there.
    """
    path = Path(path)
    if not path.exists():
        raise StudioError(tr("{path} does not exist.", path=path), path=path)
    try:
        profile = load_profile(path, job)
    except StudioError as error:
        unreadable = Remark("unreadable", ERROR, str(error), path=str(path))
        return Diagnosis(path, "nothing", None, None, None, (), (unreadable,))
    return examine(profile, job, full=full)


def examine(profile: Profile, job: Progress | None = None, *, full: bool = False) -> Diagnosis:
    """Look an opened profile over."""
    info, sources = profile.info, profile.sources
    return Diagnosis(
        profile.path,
        info.form,
        info.framework,
        info.level,
        info.rank,
        _found(sources),
        _remarks(profile, job, None if full else SMALL_BYTES),
    )


def _remarks(profile: Profile, job: Progress | None, largest: int | None) -> tuple[Remark, ...]:
    """What there is to say; of a packed profile it was said when its files were still there."""
    if profile.sources.get("pack"):
        return tuple(remark_of(finding) for finding in profile.findings)
    return tuple(checks(profile, job, largest=largest))


def _found(sources: Sources) -> tuple[Found, ...]:
    from studio.perf.doctor_texts import titles

    named = titles()
    if sources.get("pack"):  # the timeline in it is of any profiler
        named = {**named, "timeline": named["trace"]}
    return tuple(
        Found(
            kind,
            named.get(kind, kind),
            tuple(_relative(file, sources.path) for file in files),
            sum(file.stat().st_size for file in files),
        )
        for kind, files in sources.files.items()
    )


def _relative(file: Path, folder: Path) -> str:
    inside = file != folder and file.is_relative_to(folder)
    return file.relative_to(folder).as_posix() if inside else file.name
