"""One tolerant reader for all CSV tables that the Ascend profilers write.

A `Layout` says which columns to look for, under which names, and what is in them; the order of
columns and unknown ones do not matter. Rows come in parts, so that the first ones can be shown
while the rest of a large file is still read. What cannot be read is counted with its line.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats import cells
from studio.formats.csv_dialect import Dialect, sniff
from studio.formats.engine import use_kernels
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.cells import States
    from studio.formats.chrome_trace import Progress
    from studio.formats.faults import FaultLog

FAST_ENCODINGS: Final = frozenset({"utf-8", "utf-8-sig", "gb18030"})
"""Encodings in which delimiters, quotes and digits are bytes of their own."""

ROWS: Final = 16384
"""How many rows one part has at most."""

_FIRST_ROWS: Final = 1024
_LARGEST_CELL: Final = 1 << 26
_UNITS: Final = frozenset({"s", "ms", "us", "ns", "b", "byte", "kb", "mb", "gb", "%"})


@dataclass(frozen=True, slots=True)
class Field:
    """One column: the names it has had, without unit and in small letters, and what it holds.

    `kind` is "text", "whole", "number", "time" (to whole nanoseconds), "size" (to bytes) or "share"
    (0–1, from per cent when the header says so); `unit` counts where the header names none. Whole
    numbers equal to `none` stand for no value; plain numbers are multiplied by `scale`.
    """

    names: tuple[str, ...]
    kind: str = "text"
    unit: str = ""
    none: int | None = None
    scale: float = 1.0

    def without_none(
        self, whole: NDArray[np.int64], states: States
    ) -> tuple[NDArray[np.int64], States]:
        """Whole numbers, of which those that stand for no value are not applicable."""
        if self.none is not None:
            states[(whole == self.none) & (states == cells.VALUE)] = cells.NOT_APPLICABLE
        return whole, states

    def scaled(self, plain: NDArray[np.float64], unit: str) -> NDArray[np.float64]:
        """Plain numbers in the unit of the tables."""
        if self.kind == "share":
            return plain / 100 if unit == "%" else plain
        return plain if self.scale == 1 else plain * self.scale


class Texts(dict[str, int]):
    """Texts and their numbers in order of first appearance; blanks and "N/A" have negative ones."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __missing__(self, cell: str) -> int:
        text = cells.clean(cell)
        state = cells.state_of(text)
        if state:
            number = -state
        elif (number := self._numbers.get(text, -1)) < 0:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        if len(cell) < 4096:
            self[cell] = number
        return number


class Lines:
    """The lines on which the rows of a chunk end; a cell may hold line breaks."""

    def __init__(self, before: int, chunk: list[list[str]], kept: list[int] | None = None) -> None:
        self._before = before
        self._chunk = chunk
        self._kept = kept
        self._ends: list[int] = []

    def only(self, kept: list[int]) -> Lines:
        """The lines of some of the rows."""
        return Lines(self._before, self._chunk, kept)

    def of(self, place: int) -> int:
        """The line of one row."""
        if not self._ends:  # only counted when something is wrong
            breaks = (sum(cell.count("\n") for cell in row) for row in self._chunk)
            self._ends = list(accumulate((1 + count for count in breaks), initial=self._before))
        return self._ends[1 + (place if self._kept is None else self._kept[place])]


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows: values and states by column; texts are numbers in `CsvTable.texts`."""

    first: int
    rows: int
    values: dict[str, NDArray[Any]]
    states: dict[str, States]


@dataclass
class CsvTable:
    """A table that is about to be read; `columns` are those of the layout that the file has."""

    path: Path
    dialect: Dialect
    columns: dict[str, int]
    layout: Mapping[str, Field]
    faults: FaultLog
    texts: dict[str, Texts] = field(default_factory=dict)

    def parts(
        self, wanted: Collection[str] | None = None, job: Progress | None = None
    ) -> Iterator[Part]:
        """Read the rows in parts; `wanted` names the columns to convert, None all."""
        chosen = {
            column: number
            for column, number in self.columns.items()
            if wanted is None or column in wanted
        }
        size = max(self.path.stat().st_size, 1)
        if self.dialect.encoding in FAST_ENCODINGS and use_kernels(size):
            yield from self._scanned(chosen, size, job)
            return
        csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
        with self.path.open("rb") as file:
            text = io.TextIOWrapper(file, self.dialect.encoding, errors="replace", newline="")
            reader = csv.reader(text, delimiter=self.dialect.delimiter)
            next(reader, None)
            first, count = 0, _FIRST_ROWS
            while True:
                line = int(reader.line_num)
                chunk = self._chunk(reader, count)
                if not chunk:
                    return
                count = ROWS
                lines, good = self._fitting(chunk, line)
                if good:
                    yield self._part(first, lines, good, chosen)
                    first += len(good)
                if job is not None:
                    job.check()
                    job.report(min(file.tell() / size, 1.0), tr("{n} rows", n=f"{first:,}"))

    def _scanned(self, chosen: dict[str, int], size: int, job: Progress | None) -> Iterator[Part]:
        """The same with compiled kernels, for large files."""
        from studio.formats.csv_scan import scan_rows
        from studio.formats.scanned_part import scanned_part

        width, first = len(self.dialect.headings), 0
        with self.path.open("rb") as file:
            for piece in scan_rows(
                file,
                width=width,
                delimiter=self.dialect.delimiter,
                encoding=self.dialect.encoding,
                rows=ROWS,
                skip=1,
            ):
                self.faults.add_all("unreadable row", piece.unreadable)
                self.faults.add_all("row of another width", piece.bad_lines)
                if piece.cells.rows:
                    yield scanned_part(self, piece.cells, first, chosen)
                    first += piece.cells.rows
                if job is not None:
                    job.check()
                    job.report(min(piece.offset / size, 1.0), tr("{n} rows", n=f"{first:,}"))

    def _chunk(self, reader: Any, count: int) -> list[list[str]]:  # noqa: ANN401 - csv.reader
        """The next rows, at most `count`; unreadable ones are counted and left out."""
        rows: list[list[str]] = []
        while len(rows) < count:
            before = len(rows)
            try:
                rows.extend(islice(reader, count - before))
            except csv.Error:
                self.faults.add("unreadable row", reader.line_num)
                continue
            if len(rows) == before:
                break
        return rows

    def _fitting(self, chunk: list[list[str]], line: int) -> tuple[Lines, list[list[str]]]:
        width = len(self.dialect.headings)
        lines = Lines(line, chunk)
        if set(map(len, chunk)) == {width}:
            return lines, chunk
        for place, row in enumerate(chunk):
            if len(row) != width and any(map(str.strip, row)):
                self.faults.add("row of another width", lines.of(place))
        kept = [place for place, row in enumerate(chunk) if len(row) == width]
        return lines.only(kept), [chunk[place] for place in kept]

    def _part(
        self, first: int, lines: Lines, rows: list[list[str]], chosen: dict[str, int]
    ) -> Part:
        by_column = list(zip(*rows, strict=True))
        values: dict[str, NDArray[Any]] = {}
        states: dict[str, States] = {}
        for column, number in chosen.items():
            values[column], states[column] = self._column(column, by_column[number])
            bad = np.flatnonzero(states[column] == cells.UNREADABLE)
            self.faults.add_all("cell is not a number", map(lines.of, bad.tolist()))
            if self.layout[column].kind == "time" and "E+" in "".join(by_column[number]):
                rounded = (row for row, cell in enumerate(by_column[number]) if "E+" in cell)
                self.faults.add_all("time rounded by a spreadsheet", map(lines.of, rounded))
        return Part(first, len(rows), values, states)

    def _column(self, column: str, texts: tuple[str, ...]) -> tuple[NDArray[Any], States]:
        spec = self.layout[column]
        if spec.kind == "text":
            table = self.texts.setdefault(column, Texts())
            codes = np.fromiter(map(table.__getitem__, texts), np.int32, len(texts))
            return np.maximum(codes, -1), np.maximum(-codes, 0).astype(np.uint8)
        if self.dialect.delimiter != ",":
            texts = tuple(text.replace(",", ".") for text in texts)
        unit = self.unit(column)
        match spec.kind:
            case "whole":
                return spec.without_none(*cells.whole_numbers(texts))
            case "time":
                return cells.times(texts, unit)
            case "size":
                return cells.sizes(texts, unit)
        plain, states = cells.numbers(texts)
        return spec.scaled(plain, unit), states

    def unit(self, column: str) -> str:
        """The unit of a column in small letters: as its heading says, else as the layout does."""
        unit = self.dialect.headings[self.columns[column]].unit.casefold()
        return unit if unit in _UNITS else self.layout[column].unit


def open_table(
    path: Path,
    layout: Mapping[str, Field],
    faults: FaultLog,
    *,
    required: Collection[str] = (),
) -> CsvTable:
    """Open a table; raises StudioError when it cannot be read or a required column is missing."""
    try:
        dialect = sniff(path)
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    columns = _found(dialect, layout)
    missing = [layout[column].names[0] for column in required if column not in columns]
    if missing:
        raise StudioError(
            tr(
                "{name} has no column “{column}”; it is another kind of table.",
                name=path.name,
                column=missing[0],
            ),
            path=path,
        )
    return CsvTable(path, dialect, columns, layout, faults)


def _found(dialect: Dialect, layout: Mapping[str, Field]) -> dict[str, int]:
    """The number of each column that the header has; brackets may be a unit or part of a name."""
    names = [heading.name for heading in dialect.headings]
    whole = [" ".join(h.text.replace("_", " ").split()).casefold() for h in dialect.headings]
    found: dict[str, int] = {}
    for column, spec in layout.items():
        for known in spec.names:
            place = next((texts.index(known) for texts in (whole, names) if known in texts), None)
            if place is not None:
                found[column] = place
                break
    return found
