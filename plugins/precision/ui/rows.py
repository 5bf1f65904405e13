"""How a comparison looks as a table: columns, words, verdicts with icon and colour."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING

from plugins.precision.core.result import Status
from plugins.precision.core.words import change_word, word
from plugins.precision.ui.source import short_source
from studio.i18n import tr
from studio.ui.columns import Column
from studio.ui.tablemodel import Mark

if TYPE_CHECKING:
    from plugins.precision.core.result import Row

VERDICT, CHANGE = 0, 3
"""Places of columns."""

_LOOKS = {
    Status.OK: ("ok", "ok"),
    Status.REVIEW: ("eye", "warn"),
    Status.DIFFERS: ("error", "error"),
    Status.SHAPE: ("error", "error"),
    Status.NO_BASE: ("warn", "warn"),
    Status.NO_CANDIDATE: ("warn", "warn"),
    Status.UNREADABLE: ("cancel", "error"),
    Status.EMPTY: ("info", "muted"),
}


def look(status: Status) -> tuple[str, str]:
    """Return the icon of a verdict and the theme token of its colour."""
    return _LOOKS[status]


def columns() -> list[Column]:
    """Return the columns of the table; each tip gives the definition."""
    return [
        Column("verdict", tr("Verdict"), tip=tr("What the comparison says about this tensor")),
        Column("name", tr("Tensor"), tip=tr("Name of the file in both runs")),
        Column("reason", tr("Why"), width=280),
        Column(
            "change",
            tr("Call"),
            tip=tr("What became of the call from the base to the candidate"),
        ),
        Column(
            "error",
            tr("Relative error"),
            kind="float",
            tip=tr("√(Σ (c − b)² / Σ b²); estimated where only statistics were dumped"),
        ),
        Column(
            "added",
            tr("Added error"),
            kind="float",
            tip=tr("The part of the output's error that the errors of the inputs do not explain"),
        ),
        Column(
            "max_rel",
            tr("Max rel"),
            kind="float",
            tip=tr("max |c − b| / |b|; infinite where b is 0 and c is not"),
        ),
        Column("max_abs", tr("Max abs"), kind="float", tip=tr("max |c − b|")),
        Column(
            "cosine",
            tr("Cosine"),
            kind="float",
            digits=10,
            tip=tr("Σ b·c / (|b|·|c|); near 1 even for errors that matter"),
        ),
        Column("rmse", tr("RMSE"), kind="float", tip=tr("√(Σ (c − b)² / n)")),
        Column(
            "share",
            tr("Beyond tolerance"),
            kind="percent",
            tip=tr("Share of elements with |c − b| > rtol·|b| + scale tolerance·rms(b)"),
            heat=True,
        ),
        Column("shape", tr("Shape")),
        Column("dtype", tr("Type")),
        Column(
            "noise",
            tr("Noise"),
            kind="float",
            tip=tr("Relative error of the third run, which is what chance alone makes"),
        ),
        Column("source", tr("Source"), tip=tr("Line of the program that made the call")),
    ]


def cells(row: Row, added: float | None = None) -> dict[str, object]:
    """Return one row of the table; NaN as a maximum sorts with the infinities."""
    change = getattr(row, "change", None)
    return {
        "verdict": word(row.status),
        "name": row.name,
        "reason": row.reason,
        "cosine": row.cosine,
        "max_abs": _sortable(row.max_abs),
        "max_rel": _sortable(row.max_rel),
        "rmse": row.rmse,
        "share": _share(row),
        "shape": _sides(_shape(row.shape_base), _shape(row.shape_candidate)),
        "dtype": _sides(row.dtype_base, row.dtype_candidate),
        "change": None if change is None else change_word(change),
        "error": _sortable(getattr(row, "relative_error", None)),
        "added": added,
        "noise": getattr(row, "noise", None),
        "source": short_source(getattr(row, "source", "")) or None,
    }


def verdict_mark(row: Row | None) -> Mark | None:
    """Return icon and colour of a verdict."""
    return None if row is None else Mark(*look(row.status))


def maximum_mark(name: str, row: Row | None) -> Mark | None:
    """Write NaN where a maximum is not a number; the table itself only knows infinity."""
    value = getattr(row, name, None)
    return Mark(text="NaN") if value is not None and isnan(value) else None


MAXIMA = {"max_abs": "max_abs", "max_rel": "max_rel", "error": "relative_error"}
"""Columns that hold a maximum, with its name in a row."""


def _sortable(value: float | None) -> float | None:
    if value is None:
        return None
    return inf if isnan(value) else float(value)


def _share(row: Row) -> float | None:
    return row.differing / row.elements if row.differing is not None and row.elements else None


def _shape(shape: tuple[int, ...] | None) -> str | None:
    if shape is None:
        return None
    return "×".join(map(str, shape)) if shape else tr("scalar")


def _sides(base: str | None, candidate: str | None) -> str | None:
    if base is None or candidate is None or base == candidate:
        return base or candidate
    return f"{base} → {candidate}"
