"""The columns of the tables about steps, and which part a column stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.steps.ui.parts import part_meaning, part_title
from studio.i18n import tr
from studio.perf.cause_texts import cause_meaning, cause_title
from studio.perf.gaps import CAUSES
from studio.perf.steps import FREE, TIMES
from studio.ui.table import Column

if TYPE_CHECKING:
    import pandas as pd


def step_columns(table: pd.DataFrame) -> list[Column]:
    """The columns of the breakdown that have values."""
    own = tr("Send and receive between pipeline stages while nothing computed")
    columns = [
        Column("step", tr("Step"), kind="int", total="alike"),
        Column("source", tr("Source"), tip=tr("computed from intervals, published, or host only")),
        _time("span_ns", part_title("span"), part_meaning("span")),
        _time("stage_ns", "Stage", tr("The whole step without the vendor's bubble")),
        _time("computing_ns", part_title("computing"), part_meaning("computing")),
        _time("communication_ns", part_title("communication"), part_meaning("communication")),
        _time("not_overlapped_ns", tr("Not overlapped"), part_meaning("not_overlapped")),
        _time("overlapped_ns", tr("Overlapped"), part_meaning("overlapped")),
        _time("free_ns", part_title("free"), part_meaning("free")),
        *(
            _time(f"free_{cause}_ns", f"{tr('Idle')}: {cause_title(cause)}", cause_meaning(cause))
            for cause in CAUSES
        ),
        _time("copies_ns", tr("All memory copies"), tr("Whatever ran beside them")),
        _time("preparing_ns", tr("Preparing"), tr("From the host's begin to the first operator")),
        _time("bubble_ns", tr("Bubble (vendor)"), tr("The sum of receive operations")),
        _time("own_bubble_ns", tr("Bubble (own)"), own),
    ]
    return [column for column in columns if table[column.key].notna().any()]


def source_title(source: str) -> str:
    """Say where the numbers of a step come from."""
    return {
        "computed": tr("computed"),
        "published": tr("published"),
        "host": tr("host only"),
    }.get(source, source)


def part_of_column(key: str) -> str:
    """The part that a column of the breakdown stands for; "" for other columns."""
    name = key.removesuffix("_ns")
    if name == key or f"{name}_ns" not in (*TIMES, *FREE):
        return ""
    return "all_copies" if name == "copies" else name.removeprefix("free_")


def time_columns(table: pd.DataFrame) -> list[Column]:
    """The columns of the published step times."""
    from studio.perf.step_times import meanings

    tips = meanings()
    whole = tr("Other steps, what lies between them, and what the profiler calls bubble")
    host = tr("The host begins before the device and may still be busy after it")
    titles = {"stage_ns": "Stage", "whole_run_ns": "E2E", "host_ns": tr("Step time (host)")}
    return [
        Column("step", tr("Step"), kind="int", total="alike"),
        *(Column(k, t, "ms", kind="ns", digits=9, tip=tips[k]) for k, t in titles.items()),
        Column("whole_apart_ns", "E2E − Stage", "ms", kind="ns", digits=9, tip=whole),
        Column("host_apart_ns", tr("Host − Stage"), "ms", kind="ns", digits=9, tip=host),
    ]


def with_differences(table: pd.DataFrame) -> pd.DataFrame:
    """The published step times, and how far they are from Stage."""
    return table.assign(
        whole_apart_ns=table["whole_run_ns"] - table["stage_ns"],
        host_apart_ns=table["host_ns"] - table["stage_ns"],
    )


def interval_columns() -> list[Column]:
    """The columns of the intervals of a part."""
    since = tr("Since the begin of the step")
    return [
        Column("offset_ns", tr("Start"), "ms", kind="ns", digits=8, tip=since, total="least"),
        Column("duration_ns", tr("Duration"), "µs", kind="ns", digits=8, heat=True),
    ]


def _time(key: str, title: str, tip: str) -> Column:
    return Column(key, title, "ms", kind="ns", tip=tip, heat=key in ("span_ns", "free_ns"))
