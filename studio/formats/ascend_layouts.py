"""The columns of every CSV table of the Ascend profilers, with all names they have had.

Names are those of the headers without unit, in small letters, with spaces for underscores. Sources:
torch_npu's profiler 2.1 to 2.7, msprof of CANN 7.0 to 8.3, MindSpore's profiler, and old exports of
MindStudio. The columns of performance counters are recognised by pattern (`is_counter`), since each
set of metrics has its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from studio.formats.ascend_csv import Field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.formats.csv_dialect import Dialect

NO_MODEL: Final = 4294967295
"""What the profilers write for "no model" and "no context"."""

KERNELS: Final[Mapping[str, Field]] = {
    "step": Field(("step id", "iteration id", "step"), "whole"),
    "device": Field(("device id",), "whole"),
    "model": Field(("model id",), "whole", none=NO_MODEL),
    "task": Field(("task id",), "whole"),
    "stream": Field(("stream id",), "whole"),
    "name": Field(("name", "op name", "kernel name")),
    "type": Field(("type", "op type")),
    "state": Field(("op state",)),
    "core": Field(("accelerator core", "task type", "core type")),
    "start_ns": Field(("start time", "task start time"), "time", "us"),
    "duration_ns": Field(("duration", "task duration"), "time", "us"),
    "wait_ns": Field(("wait time", "task wait time"), "time", "us"),
    "blocks": Field(("block dim", "block num"), "whole"),
    "mix_blocks": Field(("mix block dim", "mix block num"), "whole"),
    "hf32": Field(("hf32 eligible",)),
    "input_shapes": Field(("input shapes",)),
    "input_types": Field(("input data types",)),
    "input_formats": Field(("input formats",)),
    "output_shapes": Field(("output shapes",)),
    "output_types": Field(("output data types",)),
    "output_formats": Field(("output formats",)),
    "context": Field(("context id",), "whole", none=NO_MODEL),
}
"""kernel_details.csv, and op_summary_*.csv of msprof."""

STEPS: Final[Mapping[str, Field]] = {
    "device": Field(("device id",), "whole"),
    "step": Field(("step",), "whole"),
    "computing_ns": Field(("computing",), "time", "us"),
    "not_overlapped_ns": Field(("communication(not overlapped)",), "time", "us"),
    "overlapped_ns": Field(("overlapped",), "time", "us"),
    "communication_ns": Field(("communication",), "time", "us"),
    "free_ns": Field(("free",), "time", "us"),
    "stage_ns": Field(("stage",), "time", "us"),
    "bubble_ns": Field(("bubble",), "time", "us"),
    "not_received_ns": Field(("communication(not overlapped and exclude receive)",), "time", "us"),
    "preparing_ns": Field(("preparing",), "time", "us"),
}
"""step_trace_time.csv; its headers name no unit, and brackets in them are none."""

OPERATOR_STATISTIC: Final[Mapping[str, Field]] = {
    "device": Field(("device id",), "whole"),
    "type": Field(("op type",)),
    "core": Field(("core type",)),
    "count": Field(("count",), "whole"),
    "total_ns": Field(("total time",), "time", "us"),
    "min_ns": Field(("min time",), "time", "us"),
    "avg_ns": Field(("avg time",), "time", "us"),
    "max_ns": Field(("max time",), "time", "us"),
    "share": Field(("ratio",), "share"),
}
"""op_statistic.csv."""

API_STATISTIC: Final[Mapping[str, Field]] = {
    "device": Field(("device id",)),
    "level": Field(("level",)),
    "name": Field(("api name", "name")),
    "total_ns": Field(("time",), "time", "us"),
    "count": Field(("count",), "whole"),
    "avg_ns": Field(("avg",), "time", "us"),
    "min_ns": Field(("min",), "time", "us"),
    "max_ns": Field(("max",), "time", "us"),
    "variance": Field(("variance",), "number"),
}
"""api_statistic.csv."""

OPERATOR_DETAILS: Final[Mapping[str, Field]] = {
    "name": Field(("name",)),
    "input_shapes": Field(("input shapes",)),
    "stack": Field(("call stack",)),
    "host_self_ns": Field(("host self duration",), "time", "us"),
    "host_total_ns": Field(("host total duration",), "time", "us"),
    "device_self_ns": Field(("device self duration",), "time", "us"),
    "device_total_ns": Field(("device total duration",), "time", "us"),
    "device_self_core_ns": Field(("device self duration with aicore",), "time", "us"),
    "device_total_core_ns": Field(("device total duration with aicore",), "time", "us"),
}
"""operator_details.csv."""

ALLOCATIONS: Final[Mapping[str, Field]] = {
    "name": Field(("name",)),
    "bytes": Field(("size",), "size", "kb"),
    "allocated_ns": Field(("allocation time",), "time", "us"),
    "released_ns": Field(("release time",), "time", "us"),
    "active_released_ns": Field(("active release time",), "time", "us"),
    "duration_ns": Field(("duration",), "time", "us"),
    "active_duration_ns": Field(("active duration",), "time", "us"),
    "total_allocated_bytes": Field(("allocation total allocated",), "size", "mb"),
    "total_reserved_bytes": Field(("allocation total reserved",), "size", "mb"),
    "total_active_bytes": Field(("allocation total active",), "size", "mb"),
    "released_total_allocated_bytes": Field(("release total allocated",), "size", "mb"),
    "released_total_reserved_bytes": Field(("release total reserved",), "size", "mb"),
    "released_total_active_bytes": Field(("release total active",), "size", "mb"),
    "stream": Field(("stream ptr",)),
    "device": Field(("device type", "device")),
}
"""operator_memory.csv."""

MEMORY: Final[Mapping[str, Field]] = {
    "component": Field(("component",)),
    "time_ns": Field(("timestamp", "time stamp", "time"), "time", "us"),
    "allocated_bytes": Field(
        ("total allocated", "total allocate memory", "allocated"), "size", "mb"
    ),
    "reserved_bytes": Field(("total reserved", "total reserve memory", "reserved"), "size", "mb"),
    "active_bytes": Field(("total active", "total activated", "active"), "size", "mb"),
    "stream": Field(("stream ptr", "stream")),
    "device": Field(("device type", "device", "device id")),
}
"""memory_record.csv."""

MODULE_MEMORY: Final[Mapping[str, Field]] = {
    "component": Field(("component",)),
    "time_ns": Field(("timestamp",), "time", "us"),
    "reserved_bytes": Field(("total reserved",), "size", "kb"),
    "device": Field(("device", "device type")),
}
"""npu_module_mem.csv: in MB when torch_npu writes it, in KB when msprof does; the header says."""

STATIC_MEMORY: Final[Mapping[str, Field]] = {
    "device": Field(("device id",)),
    "name": Field(("op name",)),
    "model": Field(("model name",)),
    "graph": Field(("graph id",), "whole"),
    "first_node": Field(("node index start",), "whole"),
    "last_node": Field(("node index end",), "whole", none=NO_MODEL),
    "bytes": Field(("size",), "size", "kb"),
}
"""static_op_mem.csv of graph mode; a block without a last node lives to the end of the graph."""

CACHE: Final[Mapping[str, Field]] = {
    "device": Field(("device id",), "whole"),
    "stream": Field(("stream id",), "whole"),
    "task": Field(("task id",), "whole"),
    "hit_share": Field(("hit rate",), "number"),
    "victim_share": Field(("victim rate",), "number"),
    "name": Field(("op name",)),
}
"""l2_cache.csv."""

_SCALES: Final = {"us": 1000.0, "gb/s": 1e9}
_COUNTER: Final = re.compile(r"ai[cv](ore)? |cube utilization$")


def is_counter(heading: str) -> bool:
    """Whether a column, by its name in small letters, holds a performance counter."""
    return _COUNTER.match(heading) is not None


def counters(dialect: Dialect) -> dict[str, Field]:
    """The layout of the performance counters that a kernel table has.

    Columns are called as in the file with underscores; times end in `_ns`, bandwidths in `_rate`
    (bytes per second), and what is a ratio stays one (0–1).
    """
    return {
        counter_name(heading.name, heading.unit): Field(
            (heading.name,),
            "share" if heading.unit == "%" else "number",
            scale=_SCALES.get(heading.unit.casefold(), 1.0),
        )
        for heading in dialect.headings
        if is_counter(heading.name)
    }


def counter_name(name: str, unit: str) -> str:
    """What a counter is called in the tables of this program."""
    words = name.replace(" ", "_").replace("aicore_time", "aic_total_time")
    if words == "aiv_time":
        words = "aiv_total_time"
    unit = unit.casefold()
    if unit == "us":
        return f"{words}_ns".replace("_time_ns", "_ns")
    return f"{words}_rate" if unit == "gb/s" else words
