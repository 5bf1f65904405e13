"""Write large tables as CSV text, faster than cell by cell through JSON."""

from __future__ import annotations

import csv
import io
import json
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


def csv_text(
    columns: Sequence[str], rows: Iterable[Sequence[object]], lists: Collection[str] = ()
) -> str:
    """Return CSV text; None is an empty cell. The columns in `lists` are written as JSON."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    places = [place for place, name in enumerate(columns) if name in lists]
    writer.writerows(_listed(rows, places) if places else rows)
    return stream.getvalue()


def _listed(rows: Iterable[Sequence[object]], places: list[int]) -> Iterator[Sequence[object]]:
    for row in rows:
        cells = list(row)
        for place in places:
            if cells[place] is not None:
                cells[place] = _json(cells[place])
        yield cells


@lru_cache(maxsize=4096)
def _json(value: object) -> str:
    return json.dumps(value)
