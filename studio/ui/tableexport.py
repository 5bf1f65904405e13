"""What a table shows, written to a file with all its digits: CSV, tab-separated, Markdown, XLSX."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
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

    CSV begins with a byte order mark, so that spreadsheets read it as UTF-8. Raises StudioError for
    more rows than a sheet can hold, and where the file cannot be written.
    """
    match path.suffix.lower():
        case ".xlsx":
            data = _workbook(extract, job)
        case ".md":
            data = written(extract, "md", job).encode()
        case ".tsv":
            data = written(extract, "tsv", job).encode()
        case _:
            data = written(extract, "csv", job).encode("utf-8-sig")
    write_content(path, data)
    return path


def _delimited(extract: Extract, delimiter: str, heading: bool, job: JobContext | None) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    if heading:
        writer.writerow(extract.headings())
    writer.writerows(extract.rows(job))
    return buffer.getvalue()


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
    """A number that a double holds; None for other texts and for larger ones."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) <= _EXACT else None


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
