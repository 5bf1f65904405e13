"""From a row of a comparison to its line, to what was found about that line, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.ui.source import split_source
from studio.tensors.dumps.names import parse_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from plugins.precision.core.dump_row import DumpRow
    from studio.api import Studio
    from studio.model.findings import Finding
    from studio.model.locations import Location


_OPERATORS = "operators.view"


def file_of(studio: Studio, source: str) -> tuple[Path, int] | None:
    """Return the project's file and the line of "file:line", None when it is not in the project."""
    file, line = split_source(source)
    if not line or studio.project is None:
        return None
    found = studio.project.paths.resolve(file)
    return (found[0], line) if found else None


def findings_of(studio: Studio, source: str) -> list[Finding]:
    """Return what any plugin found about the line that made a value."""
    place = file_of(studio, source)
    if place is None or studio.project is None:
        return []
    path, line = place
    return [
        finding
        for finding in studio.project.findings.of_file(path)
        if finding.location.line is not None
        and finding.location.line <= line <= (finding.location.end_line or finding.location.line)
    ]


def show_finding(studio: Studio, finding: Finding) -> bool:
    """Go to a finding and make its place the shared selection, for lists of findings."""
    studio.select(source=finding.location)
    return studio.reveal(finding.location)


def find_operator(studio: Studio, row: DumpRow) -> bool:
    """Show the operators of the project's first profile that are named like a row's call."""
    profile = first_profile(studio)
    name = operator_of(row)
    if profile is None or not name:
        return False
    return studio.open(profile, opener=_OPERATORS, find=name) is not None


def first_profile(studio: Studio) -> Path | None:
    """The first profile of the project."""
    items = studio.project.items_of("profile") if studio.project is not None else []
    return items[0].path if items else None


def operator_of(row: DumpRow) -> str:
    """The part of an operator's name that profiles share: "linear" of Functional.linear."""
    call = parse_call(row.call)
    if call.module or not call.phase:
        return ""
    return call.api.rsplit(".", 1)[-1].strip("_")


def rows_of_line(studio: Studio, rows: Iterable[DumpRow], location: Location) -> Iterator[int]:
    """Yield the rows whose calls were made by a line of a file, deviating ones first."""
    places: dict[str, bool] = {}
    fine = []
    for number, row in enumerate(rows):
        if not row.source:
            continue
        if row.source not in places:
            # Names first: resolving a path costs more than comparing its end.
            name, line = split_source(row.source)
            same = line == location.line and name.replace("\\", "/").endswith(location.path.name)
            places[row.source] = same and file_of(studio, row.source) == (
                location.path,
                location.line,
            )
        if places[row.source]:
            if row.deviates:
                yield number
            else:
                fine.append(number)
    yield from fine
