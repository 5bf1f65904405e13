"""How groupings and columns of operators are called and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.perf.doctor_texts import device_activity
from studio.ui.table import Column

if TYPE_CHECKING:
    import pandas as pd


def grouping_title(by: str) -> str:
    """Name a grouping."""
    return {
        "type": tr("Type"),
        "name": tr("Name"),
        "shape": tr("Name and shape"),
        "core": tr("Core type"),
        "state": tr("Static or dynamic shape"),
        "stream": tr("Stream"),
        "step": tr("Step"),
        "operator": tr("Framework operator"),
        "stack": tr("Call stack"),
        "module": tr("Module"),
        "category": tr("Category"),
        "kernel": tr("Every single one"),
    }[by]


def kind_title(kind: str) -> str:
    """Name which operators are shown."""
    return {
        "compute": tr("Computing"),
        "communication": tr("Communication"),
        "all": tr("Computing and communication"),
    }[kind]


def columns_of(table: pd.DataFrame) -> list[Column]:
    """The columns of a table of operators; those without any value are left out."""
    known = _known()
    return [
        known.get(name) or _counter(name)
        for name in map(str, table.columns)
        if name == "count" or table[name].notna().any()
    ]


def occurrence_columns(table: pd.DataFrame) -> list[Column]:
    """The columns of single operators."""
    wanted = ["offset_ns", "duration_ns", "wait_ns", "step", "stream", "name", "input_shapes"]
    known = _known()
    return [known[name] for name in wanted if name in table and table[name].notna().any()]


def _known() -> dict[str, Column]:
    most = tr("99 of 100 take at most this long")
    each = tr("Operations per byte")
    own = tr("While nothing else ran on the device")
    over = tr("How long they took on average in 24 equal parts of the time")
    within = tr("By the operator of the framework that it was launched in")
    columns = [
        Column("type", tr("Type"), tip=tr("Type of the operator, such as MatMulV2")),
        Column("name", tr("Name"), width=220),
        Column("core", tr("Core type"), tip=tr("The cores it runs on")),
        Column("state", tr("Shape"), tip=tr("Static or dynamic shape")),
        Column("stream", tr("Stream"), kind="int", total="alike"),
        Column("step", tr("Step"), kind="int", total="alike"),
        Column("row", tr("Row"), kind="int", tip=tr("Number of the row in its file, from 0")),
        Column("input_shapes", tr("Input shapes"), width=200),
        Column("input_types", tr("Input types"), width=120),
        Column("operator", tr("Framework operator"), width=220),
        Column("stack", tr("Call stack"), width=320),
        Column("module", tr("Module"), width=220),
        Column("category", tr("Category"), width=160, tip=within),
        Column(
            "part",
            tr("Part"),
            width=120,
            tip=tr("The core it ran on; conversions change the type or the layout of data"),
        ),
        Column("count", tr("Count"), kind="int"),
        Column("trend", tr("Over time"), kind="trend", tip=over),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("self_ns", tr("Self"), "ms", kind="ns", tip=own, heat=True),
        Column("share", tr("Share"), kind="percent", tip=tr("Part of the sum of all totals")),
        Column("avg_ns", tr("Average"), "µs", kind="ns", heat=True, total="mean"),
        Column("min_ns", tr("Shortest"), "µs", kind="ns", total="least"),
        Column("max_ns", tr("Longest"), "µs", kind="ns", total="largest"),
        Column("p50_ns", tr("Median"), "µs", kind="ns", total="median"),
        Column("p99_ns", "p99", "µs", kind="ns", tip=most, total="largest"),
        Column("wait_ns", tr("Wait before"), "µs", kind="ns", tip=tr("As the profiler counts it")),
        Column(
            "offset_ns",
            tr("Start"),
            "ms",
            kind="ns",
            digits=7,
            tip=tr("Since the first one"),
            total="least",
        ),
        Column("duration_ns", tr("Duration"), "µs", kind="ns", heat=True),
        Column("start_ns", tr("Start"), "ns", kind="int", total="least"),
        Column(
            "flops", tr("Operations"), kind="int", tip=tr("Floating-point operations, from shapes")
        ),
        Column("flops_share", "MFU", kind="percent", tip=tr("Of the chip's peak while they ran")),
        Column("moved_bytes", tr("Data moved"), "MiB", kind="bytes", tip=tr("Inputs and outputs")),
        Column("intensity", tr("Intensity"), kind="float", tip=each, total="mean"),
        Column("bound", tr("Limited by"), tip=tr("The busiest unit of the core")),
        Column("bound_share", tr("Busy"), kind="percent", tip=tr("How busy that unit was")),
    ]
    return {column.key: column for column in columns}


def _counter(name: str) -> Column:
    """A counter, under the name that the vendor's files give it."""
    tip = counter_meaning(name)
    if name.endswith("_ns"):
        return Column(name, name.removesuffix("_ns"), "µs", kind="ns", tip=tip)
    if name.endswith(("_ratio", "_rate", "utilization")):
        return Column(name, name, kind="percent", tip=tip, heat=True)
    return Column(name, name, tip=tip)


def counter_meaning(name: str) -> str:
    """Say which unit of the core a counter is about."""
    units = {
        "mac": tr("matrix unit (cube)"),
        "vec": tr("vector unit"),
        "scalar": tr("scalar unit"),
        "mte1": tr("copies from L1 to L0"),
        "mte2": tr("copies from memory to the core"),
        "mte3": tr("copies from the core to memory"),
        "fixpipe": tr("results of the matrix unit on their way out"),
        "icache": tr("misses of the instruction cache"),
        "cube": tr("matrix unit (cube)"),
    }
    found = next((text for unit, text in units.items() if unit in name.split("_")), "")
    general = tr("Performance counter of the core")
    return f"{general}: {found}" if found else general


def where_from(form: str) -> str:
    """What holds operators, and how to record them; by the form of the profile."""
    if form == "Kineto trace":
        return tr(
            "The trace has no operators of the device. Record them with "
            "activities=[ProfilerActivity.CPU, ProfilerActivity.{device}].",
            device=device_activity(form),
        )
    return tr(
        "kernel_details.csv, a database or a timeline holds operators of the device. Record them "
        "with activities=[ProfilerActivity.NPU]; communication needs profiler_level Level1."
    )


def formula_title(kind: str) -> str:
    """Name a class of operators whose operations can be counted (`studio.perf.flops`)."""
    return {
        "matmul": tr("matmul"),
        "grouped matmul": tr("grouped matmul"),
        "convolution": tr("convolution"),
        "attention": tr("attention"),
        "attention gradient": tr("attention gradient"),
    }.get(kind, kind)
