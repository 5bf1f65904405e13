"""A comparison along the network: the error of each call in order, and the tree of modules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.precision.core.diagnosis import Diagnosis, diagnose_comparison
from plugins.precision.core.dump_result import DumpComparison
from plugins.precision.core.dumping import Options, compare_indexed
from plugins.precision.core.errors_of_calls import errors_of
from plugins.precision.core.result import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plugins.precision.core.align.change import Change
    from plugins.precision.core.dump_result import PartResult
    from plugins.precision.core.dump_row import DumpRow
    from studio.kernel.job_context import JobContext

_NUMBER = re.compile(r"^\d+[_.-]")
_SEVERITY = (
    Status.EMPTY,
    Status.OK,
    Status.REVIEW,
    Status.NO_CANDIDATE,
    Status.NO_BASE,
    Status.UNREADABLE,
    Status.SHAPE,
    Status.DIFFERS,
)


@dataclass(frozen=True, slots=True)
class Point:
    """One call in the order of the run."""

    part: str
    call: str
    module: str
    status: Status
    change: Change
    error: float
    """The relative error of what comes out."""
    added: float
    """The part of it that what goes in does not explain."""
    row: int
    """The row of the comparison that shows it best."""


@dataclass(slots=True)
class Module:
    """A module with what is called in it; the worst verdict of all that is below it."""

    name: str
    path: str
    status: Status = Status.EMPTY
    deviating: int = 0
    total: int = 0
    children: dict[str, Module] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the view of a comparison shows."""

    result: DumpComparison
    diagnosis: Diagnosis
    points: tuple[Point, ...]
    added: tuple[float | None, ...]
    """For each row the error its call adds; None where it is not an output."""
    modules: Module


def overview(
    base: str | Path,
    candidate: str | Path,
    rtol: float = -1.0,
    scale_tol: float = -1.0,
    noise: str = "",
    mapping: str = "",
    standard: str = "",
    job: JobContext | None = None,
) -> Overview:
    """Compare two dumps and prepare what their view shows."""
    options = Options(
        mapping=mapping, noise=noise, standard=standard, rtol=rtol, scale_tol=scale_tol
    )
    result = compare_indexed(Path(base), Path(candidate), options, job)
    if not isinstance(result, DumpComparison):
        raise TypeError("the strict mode gives rows")
    return overview_of(result)


def overview_of(result: DumpComparison) -> Overview:
    """Prepare what the view of a comparison shows."""
    points: list[Point] = []
    added: list[float | None] = []
    for part in result.parts:
        points += _points(part, len(added), added)
    modules = _tree(result.dump_rows())
    return Overview(result, diagnose_comparison(result), tuple(points), tuple(added), modules)


def module_of_row(row: DumpRow) -> str:
    """Return the path of the module a row belongs to, from its file's name when not recorded."""
    return row.module or ("" if row.call != row.name else _NUMBER.sub("", row.name))


def worst(statuses: Iterable[Status]) -> Status:
    """Return the verdict that matters most."""
    return max(statuses, key=_SEVERITY.index, default=Status.EMPTY)


def _points(part: PartResult, start: int, added: list[float | None]) -> Iterator[Point]:
    known = {entry.place: entry for entry in errors_of(part)}
    before = 0.0
    for place, (pair, rows) in enumerate(zip(part.pairs, part.rows, strict=True)):
        entry = known.get(place)
        error = entry.error_out if entry else 0.0
        own = entry.added if entry else 0.0
        if rows and all(row.role == "output" for row in rows):
            # Files of tensors alone: what comes before stands for what goes in.
            own, before = max(0.0, error - before), error
        added += [own if row.role == "output" and entry else None for row in rows]
        if rows:
            best = max(range(len(rows)), key=lambda n: _weight(rows[n]))
            yield Point(
                part=part.label,
                call=pair.name,
                module=module_of_row(rows[0]),
                status=worst(row.status for row in rows),
                change=pair.change,
                error=error,
                added=own,
                row=start + best,
            )
        start += len(rows)


def _weight(row: DumpRow) -> tuple[bool, bool, float]:
    error = row.relative_error
    return row.deviates, row.role == "output", error if error is not None and error == error else 0


def _tree(rows: Iterable[DumpRow]) -> Module:
    root = Module("", "")
    for row in rows:
        above = [root]
        for name in filter(None, module_of_row(row).split(".")):
            node = above[-1]
            path = f"{node.path}.{name}" if node.path else name
            above.append(node.children.setdefault(name, Module(name, path)))
        for node in above:
            node.status = worst((node.status, row.status))
            node.total += 1
            node.deviating += row.deviates
    return root
