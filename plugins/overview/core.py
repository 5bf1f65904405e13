"""The headless part of the overview: the import doctor, the page about a profile, packs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.formats.chrome_trace import Progress
    from studio.model.items import FactValue
    from studio.perf.doctor import Diagnosis
    from studio.perf.overview import Overview


# -- what a project scan asks ---------------------------------------------------------------------
def is_pack(path: Path) -> bool:
    """Whether a file is a packed profile."""
    from studio.perf.pack import read_manifest

    try:
        read_manifest(path)
    except StudioError:
        return False
    return True


def pack_facts(path: Path) -> Mapping[str, FactValue]:
    """What is known of a packed profile without reading its tables."""
    from studio.perf.pack import read_manifest

    info = read_manifest(path)["info"]
    names = ("rank", "world_size", "framework", "level", "chip")
    facts: dict[str, FactValue] = {name: info[name] for name in names if info.get(name) is not None}
    return facts


# -- commands -------------------------------------------------------------------------------------
def doctor(path: Path, full: bool = False, job: Progress | None = None) -> Diagnoses:
    """Look over the profiles at a path."""
    from studio.perf.doctor import diagnose
    from studio.perf.several import profile_paths

    try:
        places = profile_paths(path)
    except StudioError:
        if not path.exists():
            raise
        places = [path]
    return Diagnoses(tuple(diagnose(place, job, full=full) for place in places))


@dataclass(frozen=True)
class Diagnoses:
    """What `studio profile doctor` prints: one diagnosis per profile."""

    diagnoses: tuple[Diagnosis, ...]

    @property
    def exit_code(self) -> int:
        """1 when something keeps any of the profiles from being read, else 0."""
        return max((diagnosis.exit_code for diagnosis in self.diagnoses), default=0)

    def to_json(self) -> object:
        """The diagnoses as plain values."""
        return [diagnosis.to_json() for diagnosis in self.diagnoses]

    def to_csv(self) -> str:
        """What there is to say, one line each."""
        from studio.kernel.render import to_csv

        remarks = [
            {"profile": str(each.path), "rank": each.rank, **remark.to_json()}
            for each in self.diagnoses
            for remark in each.remarks
        ]
        return to_csv(remarks)

    def to_text(self) -> str:
        """The diagnoses for people."""
        return "\n\n".join(diagnosis.to_text() for diagnosis in self.diagnoses)


def summary(path: Path, rank: int = -1, step: int = -1, job: Progress | None = None) -> Overviews:
    """Gather the overview of the profiles at a path, of all steps or one."""
    from studio.perf.overview import overview, overview_of_step
    from studio.perf.several import profiles_at

    pages = []
    for profile in profiles_at(path, rank=rank if rank >= 0 else None, job=job):
        page = overview(profile, job)
        if step >= 0:
            page = overview_of_step(profile, page, step, job)
        pages.append((profile.info.rank, page))
    if step >= 0 and not any(len(page.steps) for _, page in pages):
        raise StudioError(tr("{path} has no step {step}.", path=path, step=step), path=path)
    return Overviews(tuple(pages))


@dataclass(frozen=True)
class Overviews:
    """What `studio profile overview` prints: one page per rank."""

    pages: tuple[tuple[int | None, Overview], ...]

    def to_json(self) -> object:
        """The pages as plain values."""
        return [{"rank": rank, **page.to_json()} for rank, page in self.pages]

    def to_csv(self) -> str:
        """The figures, one line per rank."""
        from studio.kernel.render import to_csv

        return to_csv([{"rank": rank, **_figures(page)} for rank, page in self.pages])

    def to_text(self) -> str:
        """The pages for people."""
        return "\n\n".join(_page_text(page) for _, page in self.pages)


def _figures(page: Overview) -> dict[str, object]:
    """The figures of a page as plain values."""
    shares, peak = page.shares, page.peak
    return {
        "headline": page.diagnosis.headline(),
        "step_ns": page.step_ns,
        "steps": len(page.steps),
        "computing_share": shares and shares.computing,
        "communication_share": shares and shares.communication,
        "scheduling_share": shares and shares.scheduling,
        "memory_share": shares and shares.memory,
        "peak_component": peak and peak.component,
        "peak_bytes": peak and peak.bytes,
        "peak_at_ns": peak and peak.at_ns,
    }


def _page_text(page: Overview) -> str:
    """The page as lines: the doctor, the figures, the operators that take most, the gaps."""
    from studio.kernel.render import to_table

    figures: dict[str, object] = {}
    if page.step_ns is not None:
        figures[tr("Step time")] = f"{page.step_ns:,} ns"
    if page.shares is not None:
        for title, share in (
            (tr("Computing"), page.shares.computing),
            (tr("Communication"), page.shares.communication),
            (tr("Scheduling"), page.shares.scheduling),
            (tr("Memory copies"), page.shares.memory),
        ):
            figures[title] = tr("not recorded") if share is None else f"{share:.1%}"
    if page.peak is not None:
        figures[tr("Peak memory")] = f"{page.peak.bytes:,} B"
    parts = [page.diagnosis.headline(), to_table(figures)]
    for title, table in ((tr("Top operators"), page.operators), (tr("Longest gaps"), page.gaps)):
        if len(table):
            parts.append(f"{title}\n{to_table(table)}")
    return "\n\n".join(part for part in parts if part)


def pack(path: Path, output: Path, job: Progress | None = None) -> Packed:
    """Write the tables of a profile into one file."""
    from studio.perf.doctor import examine
    from studio.perf.load import load_profile
    from studio.perf.pack import write_pack
    from studio.perf.sources import PACK_SUFFIX

    if output.suffix != PACK_SUFFIX:
        raise StudioError(
            tr("The name of a packed profile ends with {suffix}.", suffix=PACK_SUFFIX), path=output
        )
    profile = load_profile(path, job)
    remarks = [remark.to_json() for remark in examine(profile, job).remarks]
    rows = write_pack(profile, output, findings=remarks, job=job)
    return Packed(str(output), output.stat().st_size, rows)


@dataclass(frozen=True, slots=True)
class Packed:
    """What `studio pack` prints: the file, its size, and the rows of every table in it."""

    path: str
    bytes: int
    rows: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The pack as plain values."""
        return {"path": self.path, "bytes": self.bytes, "rows": self.rows}
