"""What the cards and lists of an overview say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.i18n import tr, trn
from studio.perf.cause_texts import cause_meaning, cause_title
from studio.ui.barlist import Bar
from studio.ui.sharebar import Part
from studio.ui.text import format_bytes, format_ns, format_percent, thousands
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    import pandas as pd

    from studio.perf.memory_peak import MemoryAt
    from studio.perf.overview import Overview
    from studio.perf.shares import StepShares

Figure = tuple[str, str, str]
"""Value, detail and tool tip of a card."""

SHARES = {
    "computing": "computing",
    "communication": "communication",
    "scheduling": "free",
    "memory": "memory_copy",
}
"""The four shares and the colours of their kinds of work."""

PARTS = {
    "computing": "computing",
    "communication": "not_overlapped",
    "scheduling": "other_free",
    "memory": "memory",
}
"""What the view of steps calls the shares."""


def share_title(share: str) -> str:
    """Name one of the four shares."""
    return {
        "computing": tr("Computing"),
        "communication": tr("Communication"),
        "scheduling": tr("Scheduling"),
        "memory": tr("Memory copies"),
    }[share]


def share_meaning(share: str) -> str:
    """Say what one of the four shares counts."""
    return {
        "computing": tr("Operators ran on the device, alone or beside communication."),
        "communication": tr("Communication ran while nothing computed (not overlapped)."),
        "scheduling": tr("The device was idle: it waited for the host, a launch or a stream."),
        "memory": tr("Nothing ran but memory copies and memory calls."),
    }[share]


def step_figure(overview: Overview) -> Figure:
    """The step time: the median, how many steps, their range."""
    median = overview.step_ns
    if median is None:
        return "–", tr("not recorded"), tr("No step was recorded.")
    table = overview.steps
    known = table["stage_ns"].dropna() if table["stage_ns"].notna().any() else table["span_ns"]
    known = known.dropna()
    count = len(known)
    detail = trn("{n} training step", "{n} training steps", count)
    if count > 1:
        least, most = int(known.min()), int(known.max())
        detail = f"{detail} · {format_ns(least)} – {format_ns(most)}"
    tip = tr("Median step time on the device: {time}", time=exact(median))
    return format_ns(median), detail, f"{tip}\n{tr('Click to see all steps')}"


def share_figure(shares: StepShares | None, share: str) -> Figure:
    """One of the four shares."""
    part: float | None = None if shares is None else getattr(shares, share)
    if shares is None or part is None:
        return "–", tr("not recorded"), share_meaning(share)
    time = round(part * shares.span_ns)
    tip = f"{share_meaning(share)}\n{exact(time)}\n{tr('Click to see all steps')}"
    return format_percent(part), format_ns(time), tip


def share_parts(shares: StepShares) -> list[Part]:
    """The four shares as parts of a bar."""
    found: dict[str, float | None] = {share: getattr(shares, share) for share in SHARES}
    return [
        Part(share, share_title(share), format_percent(part), part, SHARES[share])
        for share, part in found.items()
        if part is not None
    ]


def peak_figure(peak: MemoryAt | None, form: str) -> Figure:
    """The largest memory that was allocated; the form of the profile says how to record it."""
    if peak is None:
        package = "torch" if form == "Kineto trace" else "torch_npu"
        advice = tr(
            "Record with {package}.profiler.profile(..., profile_memory=True).", package=package
        )
        return "–", tr("not recorded"), advice
    detail = peak.component
    if peak.reserved_bytes is not None:
        reserved = format_bytes(peak.reserved_bytes)
        detail = tr("{component} · {size} reserved", component=peak.component, size=reserved)
    tip = tr("Largest memory allocated: {bytes} bytes", bytes=thousands(peak.bytes))
    return format_bytes(peak.bytes), detail, f"{tip}\n{tr('Click to see memory over time')}"


def operator_bars(table: pd.DataFrame, semantic: str) -> list[Bar]:
    """Operators, the longest total first."""
    largest = _largest(table, "total_ns")
    bars = []
    for row in _rows(table):
        name = _text(row.get("type")) or _text(row.get("name")) or tr("(no type)")
        total, count = int(row["total_ns"]), int(row["count"])
        average = format_ns(round(total / max(count, 1)))
        detail = f"{thousands(count)} × {average}"
        core = _text(row.get("core"))
        value = f"{format_ns(total, zeros=True)}  {format_percent(float(row['share'])):>7}"
        tip = "\n".join(part for part in (name, core, exact(total), detail) if part)
        bars.append(Bar(name, value, total / largest, semantic, detail, tip))
    return bars


def gap_bars(table: pd.DataFrame) -> list[Bar]:
    """The longest gaps, with their main cause."""
    largest = _largest(table, "duration_ns")
    bars = []
    for row in _rows(table):
        cause = _text(row["cause"])
        duration = int(row["duration_ns"])
        after = _text(row["launched_by"]) or _text(row["after"])
        detail = tr("before {name}", name=after) if after else ""
        tip = [cause_title(cause), cause_meaning(cause), exact(duration)]
        tip += [tr("after {name}", name=name) for name in (_text(row["before"]),) if name]
        tip += [tr("before {name}", name=name) for name in (_text(row["after"]),) if name]
        if (step := row["step"]) == step and step is not None and str(step) != "<NA>":
            tip.append(tr("step {step}", step=step))
        share = duration / largest
        bars.append(
            Bar(
                cause_title(cause),
                format_ns(duration, zeros=True),
                share,
                "free",
                detail,
                "\n".join(tip),
            )
        )
    return bars


def _largest(table: pd.DataFrame, column: str) -> int:
    return max(int(table[column].max()), 1) if len(table) else 1


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
