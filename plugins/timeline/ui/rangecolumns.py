"""The columns of the statistics of a stretch of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.table import Column
from studio.ui.timeaxis import UNITS

if TYPE_CHECKING:
    from plugins.timeline.core.summary import Summary

_NUMBER = 116


def name_columns(summary: Summary) -> list[Column]:
    """The columns by name."""
    rows = summary.rows
    unit, small = _units(int(rows["total_ns"].max()) if len(rows) else 0)
    columns = [
        Column("name", tr("Name"), width=360),
        Column("count", tr("Count"), kind="int", width=_NUMBER),
        Column("total_ns", tr("Total"), unit, kind="ns", heat=True, tip=_total(), width=_NUMBER),
        Column(
            "self_ns",
            tr("Self"),
            unit,
            kind="ns",
            width=_NUMBER,
            tip=tr("Sum without the slices inside each slice"),
        ),
        Column("covered_ns", tr("Covered"), unit, kind="ns", width=_NUMBER, tip=_covered()),
        Column("avg_ns", tr("Average"), small, kind="ns", width=_NUMBER),
        Column(
            "p50_ns",
            tr("Median"),
            small,
            kind="ns",
            width=_NUMBER,
            tip=tr("Half of the slices are not longer"),
        ),
        Column(
            "p99_ns",
            tr("99 %"),
            small,
            kind="ns",
            width=_NUMBER,
            tip=tr("Of a hundred slices, 99 are not longer"),
        ),
        Column("min_ns", tr("Shortest"), small, kind="ns", width=_NUMBER),
        Column("max_ns", tr("Longest"), small, kind="ns", width=_NUMBER),
        Column(
            "unfinished",
            tr("Without end"),
            kind="int",
            width=_NUMBER,
            tip=tr("Slices whose end is not in the file; they are in no sum"),
        ),
    ]
    return [column for column in columns if column.key in rows.columns]


def group_columns(summary: Summary) -> list[Column]:
    """The columns by lane, process or category."""
    rows = summary.rows
    unit, _ = _units(int(rows["covered_ns"].max()) if len(rows) else 0)
    titles = {"lane": tr("Lane"), "process": tr("Process"), "category": tr("Category")}
    return [
        *(Column(key, titles[key], width=220) for key in titles if key in rows.columns),
        Column("count", tr("Count"), kind="int"),
        Column("total_ns", tr("Total"), unit, kind="ns", tip=_total()),
        Column("covered_ns", tr("Covered"), unit, kind="ns", heat=True, tip=_covered()),
        Column(
            "share",
            tr("Busy"),
            kind="percent",
            tip=tr("Covered time as a share of the selected stretch"),
        ),
    ]


def counter_columns() -> list[Column]:
    """The columns of counters."""
    return [
        Column("counter", tr("Counter"), width=240),
        Column("process", tr("Process"), width=160),
        Column("samples", tr("Samples"), kind="int", tip=tr("Samples within the stretch")),
        Column(
            "at_start", tr("Value at the start"), kind="float", tip=tr("The value that holds there")
        ),
        Column(
            "at_end", tr("Value at the end"), kind="float", tip=tr("The value that holds there")
        ),
        Column("min", tr("Least"), kind="float"),
        Column("max", tr("Greatest"), kind="float"),
        Column("avg", tr("Average"), kind="float", tip=tr("Each value counts as long as it holds")),
        Column("known", tr("Recorded"), kind="percent", tip=tr("Part of the time with a value")),
    ]


def _total() -> str:
    return tr("Sum of the durations within the stretch; overlapping time counts for each")


def _covered() -> str:
    return tr("Time in which at least one of them runs; never counted twice")


def _units(longest: int) -> tuple[str, str]:
    unit = next(name for name, size in reversed(UNITS) if longest >= size or size == 1)
    return unit, "µs" if unit in ("ms", "s") else unit
