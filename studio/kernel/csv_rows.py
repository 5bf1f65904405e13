"""Rows as comma- or otherwise separated text that every reader takes apart again."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO


class RowWriter:
    r"""Writes rows that end with "\n"; a cell with a carriage return is quoted as well.

    Python's own writer leaves such a cell bare, and readers then see two rows.
    """

    def __init__(self, stream: TextIO, delimiter: str = ",") -> None:
        self._plain: Any = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        self._quoted: Any = csv.writer(
            stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
        )

    def writerow(self, cells: Sequence[object]) -> None:
        """Write one row."""
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (self._quoted if returns else self._plain).writerow(cells)

    def writerows(self, rows: Iterable[Sequence[object]]) -> None:
        """Write many rows."""
        for cells in rows:
            self.writerow(cells)
