"""Memory records as curves and peaks; what is not recorded is never taken for zero."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.formats.csv_dialect import sniff
from studio.formats.memory_record import ALIASES
from studio.formats.profile_info import OUTPUT, framework_of, is_profile_folder, rank_of
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.memory_rows import pieces, place_of_largest, pools_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.faults import Fault
    from studio.model.items import FactValue
    from studio.perf.memory_rows import Pools
    from studio.perf.profile import Profile

KINDS = ("allocated", "reserved", "active")
"""What is recorded of each component."""

_COMPONENTS = ("PTA+GE", "PTA", "GE", "APP", "WORKSPACE", "PyTorch")


@dataclass(frozen=True, eq=False)
class Curve:
    """One kind of memory of one component on one device; NaN bytes where none are recorded.

    Values are whole numbers where all are recorded; long curves stand in files.
    """

    component: str
    device: str
    kind: str
    times: NDArray[np.int64]
    values: NDArray[np.float64] | NDArray[np.int64]

    @property
    def key(self) -> str:
        """What tells this curve from all others."""
        return f"{self.device}|{self.component}|{self.kind}"


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest value of one curve: bytes, and the time of its first appearance."""

    component: str
    device: str
    kind: str
    peak_bytes: int
    at_ns: int
    first_ns: int
    last_ns: int
    records: int
    not_recorded: int


@dataclass(frozen=True)
class Memory:
    """The curves of one file, and what was wrong in it."""

    path: Path
    curves: tuple[Curve, ...]
    peaks: tuple[Peak, ...]
    faults: tuple[Fault, ...]
    records: int
    is_text: bool = False
    """Whether it comes from a CSV file, whose MB are MiB."""
    timed: bool = True
    """Whether times were recorded; else the numbers of the events stand for nanoseconds."""


@dataclass(frozen=True)
class PeakList:
    """What `studio memory peaks` prints."""

    peaks: tuple[Peak, ...]

    def to_json(self) -> object:
        """The peaks as plain values: bytes and nanoseconds as whole numbers."""
        return [asdict(peak) for peak in self.peaks]

    def __iter__(self) -> Iterator[Peak]:
        return iter(self.peaks)


# -- what a project scan asks ---------------------------------------------------------------------
def is_memory_record(path: Path) -> bool:
    """Whether a table has the columns of a memory record."""
    try:
        columns = sniff(path).columns(ALIASES)
    except OSError:
        return False
    return {"time", "component"} <= columns.keys() and bool(columns.keys() & set(KINDS))


def is_memory_dump(path: Path) -> bool:
    """Whether a file is a memory snapshot of PyTorch or a database of msMemScope."""
    from studio.formats.torch_snapshot import is_snapshot

    if path.suffix != ".db":
        return is_snapshot(path)
    from studio.formats.database import Database, is_database

    return is_database(path) and bool(Database(path).find("memscope_dump"))


def memory_facts(path: Path) -> Mapping[str, FactValue]:
    """What is known of a memory record without reading it."""
    facts: dict[str, FactValue] = {"bytes": path.stat().st_size}
    if (rank := rank_of(path)) is not None:
        facts["rank"] = rank
    if (framework := framework_of(path)) is not None:
        facts["framework"] = framework
    return facts


# -- reading --------------------------------------------------------------------------------------
def profile_of(path: Path) -> Path:
    """The profile that a path belongs to: for a memory record in a profile folder that folder."""
    inside = path.parent.name in OUTPUT and path.is_file()
    folder = path.parent.parent
    return folder if inside and is_profile_folder(folder) else path


def load(path: Path, job: Progress | None = None) -> Memory:
    """Read the memory of a profile, of a record alone, or of a PyTorch trace."""
    from studio.perf.opened import open_profile

    return memory_of(open_profile(path, job), path, job)


def memory_of(profile: Profile, path: Path, job: Progress | None = None) -> Memory:
    """The curves of a profile; raises StudioError when it holds no memory at all."""
    from studio.perf.profile import EVENT_NUMBERS

    if "memory" not in profile.offered and "allocations" not in profile.offered:
        raise StudioError(
            tr(
                "{path} holds no memory record: no memory_record.csv, database or snapshot. "
                "Record with profile_memory=True.",
                path=path,
            ),
            path=path,
        )
    frame = profile.table("memory", job)
    curves = tuple(curves_of(pools_of(profile, job)))
    if not curves and profile.info.form == "Kineto trace":
        raise StudioError(
            tr(
                "{name} recorded no device memory; record it with profile_memory=True.",
                name=path.name,
            ),
            path=path,
        )
    faults = profile.faults().get("memory", ())
    source = profile.sources.first("memory")
    is_text = source is not None and source.suffix == ".csv"
    timed = profile.info.settings.get("times") != EVENT_NUMBERS
    peaks = tuple(map(peak_of, curves))
    return Memory(path, curves, peaks, faults, len(frame), is_text, timed)


def curves_of(pools: Pools) -> Iterator[Curve]:
    """The curves of all pools by device, component and kind; times in order.

    A kind that a component never records has no curve.
    """
    for device, component in sorted(pools, key=_order):
        rows = pools.rows(device, component)
        for kind in KINDS:
            values = rows.sizes_or_gaps(f"{kind}_bytes")
            if values is not None:
                yield Curve(component, device, kind, rows.times, values)


def peak_of(curve: Curve) -> Peak:
    """Return the peak of a curve that has at least one value."""
    place = place_of_largest(pieces(curve.values)) or 0
    gaps = np.concatenate([np.isnan(part) for part in pieces(curve.values)])
    missing = int(np.count_nonzero(gaps))
    last = gaps.size - 1 - int(np.argmin(gaps[::-1]))
    return Peak(
        component=curve.component,
        device=curve.device,
        kind=curve.kind,
        peak_bytes=int(curve.values[place]),
        at_ns=int(curve.times[place]),
        first_ns=int(curve.times[int(np.argmin(gaps))]),
        last_ns=int(curve.times[last]),
        records=int(curve.values.size - missing),
        not_recorded=missing,
    )


# -- commands -------------------------------------------------------------------------------------
def peaks(file: Path, job: Progress | None = None) -> PeakList:
    """List the peaks of a memory record or of the one in a profile folder."""
    if not file.exists():
        raise StudioError(tr("{path} does not exist.", path=file), path=file)
    return PeakList(load(file, job=job).peaks)


def _order(key: tuple[str, str]) -> tuple[str, int, str]:
    device, component = key
    known = _COMPONENTS.index(component) if component in _COMPONENTS else len(_COMPONENTS)
    return device, known, component
