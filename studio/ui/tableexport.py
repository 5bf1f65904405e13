"""What a table shows, written to a file with all its digits: CSV, tab-separated, Markdown, XLSX."""

from __future__ import annotations

import io
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.csv_rows import RowWriter
from studio.kernel.errors import StudioError
from studio.ui.exporting import write_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from studio.kernel.job_context import JobContext
    from studio.ui.columns import Values

_AT_ONCE = 10_000
_MOST_IN_XLSX = 1_048_576
_EXACT = 2**53
_FORMULA = ("=", "+", "-", "@")
"""What a text begins with that a spreadsheet would work out."""


@dataclass(frozen=True)
class Extract:
    """Lines of a view: `lines` are rows of `columns`, or -1 - n for the row n of `heads`."""

    columns: Sequence[Values]
    lines: NDArray[np.int64]
    heads: Sequence[Values] = ()

    def headings(self) -> list[str]:
        """The titles of the columns."""
        return [values.column.heading for values in self.columns]

    def rows(self, job: JobContext | None = None) -> Iterator[list[str]]:
        """The cells of each line with all their digits; "" without a value."""
        for number, line in enumerate(self.lines.tolist()):
            if job is not None and number % _AT_ONCE == 0:
                job.check()
                job.report(number / len(self.lines))
            columns = self.columns if line >= 0 else self.heads
            yield [values.exact(line if line >= 0 else -1 - line) for values in columns]


def delimited(extract: Extract, delimiter: str, *, heading: bool = True) -> str:
    """Lines as comma- or tab-separated text."""
    return _delimited(extract, delimiter, heading, None)


def markdown(extract: Extract, job: JobContext | None = None) -> str:
    """Lines as a table of Markdown; numbers stand to the right."""
    lines = [
        _line(extract.headings()),
        _line(["---:" if values.numeric else "---" for values in extract.columns]),
    ]
    lines += [_line(row) for row in extract.rows(job)]
    return "\n".join(lines) + "\n"


def written(extract: Extract, form: str, job: JobContext | None = None) -> str:
    """Lines with their heading as text: "csv", "tsv" or "md"."""
    if form == "md":
        return markdown(extract, job)
    return _delimited(extract, "\t" if form == "tsv" else ",", True, job)


def write_table(path: Path, extract: Extract, job: JobContext | None = None) -> Path:
    """Write lines in the format that the name of the file asks for (.csv, .tsv, .md, .xlsx).

    CSV begins with a byte order mark, so that spreadsheets read it as UTF-8, and texts in it that
    they would take for formulas with an apostrophe. Raises StudioError for more
    rows than a sheet can hold, and where the file cannot be written.
    """
    match path.suffix.lower():
        case ".xlsx":
            data = _workbook(extract, job)
        case ".md":
            data = written(extract, "md", job).encode()
        case ".tsv":
            data = written(extract, "tsv", job).encode()
        case _:
            data = _delimited(extract, ",", True, job, for_sheets=True).encode("utf-8-sig")
    write_content(path, data)
    return path


def _delimited(
    extract: Extract,
    delimiter: str,
    heading: bool,
    job: JobContext | None,
    *,
    for_sheets: bool = False,
) -> str:
    buffer = io.StringIO()
    writer = RowWriter(buffer, delimiter)
    texts = [for_sheets and not values.numeric for values in extract.columns]
    if heading:
        writer.writerow(extract.headings())
    for cells in extract.rows(job):
        writer.writerow(
            [_plain(cell) if text else cell for cell, text in zip(cells, texts, strict=True)]
        )
    return buffer.getvalue()


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula: names in a trace are anybody's."""
    if len(text) < 2 or not text.lstrip("\t\r").startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _workbook(extract: Extract, job: JobContext | None) -> bytes:
    """A workbook of one sheet; numbers that a spreadsheet would round are written as texts."""
    import xlsxwriter

    if len(extract.lines) >= _MOST_IN_XLSX:
        text = tr("A sheet holds {count} rows at most; export as CSV.", count=_MOST_IN_XLSX - 1)
        raise StudioError(text)
    buffer = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(buffer, options) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, extract.headings(), bold)
        numeric = [values.numeric for values in extract.columns]
        for row, cells in enumerate(extract.rows(job), 1):
            for column, text in enumerate(cells):
                number = _number(text) if numeric[column] else None
                if number is not None:
                    sheet.write_number(row, column, number)
                elif text:
                    sheet.write_string(row, column, text)
    return buffer.getvalue()


def _number(text: str) -> float | None:
    """A number that a double holds; None for other texts and for more digits than that has."""
    try:
        number = float(text)
    except ValueError:
        return None
    same = abs(number) <= _EXACT and Decimal(repr(number)) == Decimal(text)
    return number if same else None


def _line(cells: Sequence[str]) -> str:
    escaped = (" ".join(cell.replace("|", "\\|").splitlines()) for cell in cells)
    return f"| {' | '.join(escaped)} |"
