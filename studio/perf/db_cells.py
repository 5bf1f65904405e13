"""Columns of the Ascend databases as the tables of `schema` take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.cells import VALUE, state_of
from studio.perf.frames import Coded, Known, coded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.formats.database import Database, DbColumn

    Ids = NDArray[np.int64]
    Columns = dict[str, DbColumn]


def match(wanted: Ids, known: Ids) -> tuple[Ids, NDArray[np.bool_]]:
    """Where each wanted id stands in `known`, and whether it is there."""
    if not len(known):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    order = np.argsort(known, kind="stable")
    place = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)]
    return place, known[place] == wanted


def interval(rows: Columns, chosen: Ids) -> dict[str, Any]:
    """Start and duration of the chosen rows."""
    if "start_ns" not in rows or "end_ns" not in rows:
        return {}
    start = rows["start_ns"].values[chosen]
    return {"start_ns": start, "duration_ns": rows["end_ns"].values[chosen] - start}


def taken(rows: Columns, name: str, chosen: Ids, none: int | None = None) -> Known:
    """One column of the chosen rows; numbers equal to `none` are none."""
    values, known = rows[name].values[chosen], rows[name].known[chosen]
    return Known(values, known if none is None else known & (values != none))


def known(column: DbColumn) -> Known:
    """A column as the tables take it."""
    return Known(column.values, column.known)


def texts_of(database: Database, ids: Known) -> Coded:
    """Look up texts by number; "N/A" is no text."""
    strings = database.strings
    distinct, codes = np.unique(ids.values, return_inverse=True)
    texts = [strings.get(int(number), "") for number in distinct.tolist()]
    texts = [text.strip('"') if state_of(text) == VALUE else "" for text in texts]
    numbered = coded(texts)
    found = numbered.codes[codes] if len(texts) else np.zeros(0, np.int32)
    return Coded(np.where(ids.known, found, -1).astype(np.int32), numbered.texts)


def enumerated(database: Database, table: str, column: DbColumn) -> Coded:
    """Look up the texts of an enumeration; numbers without one stay numbers."""
    meanings = {number: text for number, text, *_ in database.pairs(table)}
    pairs = zip(column.values.tolist(), column.known.tolist(), strict=True)
    return coded([meanings.get(number, str(number)) if known else "" for number, known in pairs])


def threads(rows: Columns) -> Coded | None:
    """Process and thread from the global number, which holds both."""
    if "thread" not in rows:
        return None
    distinct, codes = np.unique(rows["thread"].values, return_inverse=True)
    texts = [f"{number >> 32}/{number & 0xFFFFFFFF}" for number in distinct.tolist()]
    return Coded(codes.astype(np.int32), texts)


def as_text(column: DbColumn | None, shape: str) -> Coded | None:
    """Numbers as texts of a shape such as "NPU:{}"."""
    if column is None:
        return None
    distinct, codes = np.unique(column.values, return_inverse=True)
    texts = [shape.format(number) for number in distinct.tolist()]
    return Coded(np.where(column.known, codes, -1).astype(np.int32), texts)
