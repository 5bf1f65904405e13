"""A comparison below each other instead of side by side. No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from studio.ui.difflines import GAP, Alignment, Change, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def unified(alignment: Alignment) -> Alignment:
    """The same comparison with one line per row: of each change, what was, then what is.

    Changes keep their numbers; rows of equal lines keep both of their lines.
    """
    rows: list[Row] = []
    changes: list[Change] = []
    at = 0
    for change in alignment.changes:
        rows += alignment.rows[at : change.first]
        first = len(rows)
        rows += _below_each_other(alignment.rows[change.first : change.last + 1])
        changes.append(Change(first, len(rows) - 1, change.left, change.right))
        at = change.last + 1
    rows += alignment.rows[at:]
    return replace(alignment, rows=tuple(rows), changes=tuple(changes))


def _below_each_other(rows: Iterable[Row]) -> Iterator[Row]:
    come: list[Row] = []
    for row in rows:
        if row.change < 0:
            yield from come
            come = []
            yield row
            continue
        if row.left != GAP:
            yield Row(row.left, GAP, row.change, row.right)
        if row.right != GAP:
            come.append(Row(GAP, row.right, row.change, row.left))
    yield from come
