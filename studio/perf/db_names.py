"""The tables and columns of the Ascend databases, with all names they have had.

Units are nanoseconds and bytes. Sources: the schemas of msprof (CANN 8.0 to 8.3) and torch_npu.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Names = dict[str, tuple[str, ...]]

TASK: Final[Names] = {
    "start_ns": ("startNs",),
    "end_ns": ("endNs",),
    "device": ("deviceId",),
    "connection": ("connectionId",),
    "id": ("globalTaskId",),
    "kind": ("taskType",),
    "context": ("contextId",),
    "stream": ("streamId",),
    "task": ("taskId",),
    "model": ("modelId",),
}
COMPUTE: Final[Names] = {
    "id": ("globalTaskId",),
    "name": ("name",),
    "blocks": ("blockDim", "blockNum", "block_dim"),
    "mix_blocks": ("mixBlockDim", "mixBlockNum"),
    "core": ("taskType",),
    "type": ("opType",),
    "state": ("opState",),
    "hf32": ("hf32Eligible",),
    "input_shapes": ("inputShapes",),
    "input_types": ("inputDataTypes",),
    "input_formats": ("inputFormats",),
    "output_shapes": ("outputShapes",),
    "output_types": ("outputDataTypes",),
    "output_formats": ("outputFormats",),
}
COMMUNICATION: Final[Names] = {
    "row": ("opId",),
    "name": ("opName",),
    "type": ("opType",),
    "group": ("groupName",),
    "start_ns": ("startNs",),
    "end_ns": ("endNs",),
    "algorithm": ("algType",),
    "count": ("count",),
    "data_type": ("dataType",),
    "connection": ("connectionId",),
    "device": ("deviceId",),
}
COMMUNICATION_TASK: Final[Names] = {"id": ("globalTaskId",), "name": ("taskType",)}
API: Final[Names] = {
    "start_ns": ("startNs",),
    "end_ns": ("endNs",),
    "level": ("type",),
    "thread": ("globalTid",),
    "connection": ("connectionId",),
    "name": ("name",),
}
FRAMEWORK: Final[Names] = {
    "start_ns": ("startNs",),
    "end_ns": ("endNs",),
    "thread": ("globalTid",),
    "connection": ("connectionId",),
    "name": ("name",),
    "sequence": ("sequenceNumber",),
    "forward_thread": ("fwdThreadId",),
    "input_types": ("inputDtypes",),
    "input_shapes": ("inputShapes",),
    "chain": ("callchainId",),
    "kind": ("type",),
}
OPERATORS: Final = 50001
QUEUE: Final = 50002
"""The kinds of rows of PYTORCH_API (ENUM_API_TYPE): op and queue."""

ALLOCATIONS: Final[Names] = {
    "name": ("name",),
    "bytes": ("size",),
    "allocated_ns": ("allocationTime",),
    "released_ns": ("releaseTime",),
    "active_released_ns": ("activeReleaseTime",),
    "total_allocated_bytes": ("allocationTotalAllocated",),
    "total_reserved_bytes": ("allocationTotalReserved",),
    "total_active_bytes": ("allocationTotalActive",),
    "released_total_allocated_bytes": ("releaseTotalAllocated",),
    "released_total_reserved_bytes": ("releaseTotalReserved",),
    "released_total_active_bytes": ("releaseTotalActive",),
    "stream": ("streamPtr",),
    "device": ("deviceId",),
}
MEMORY: Final[Names] = {
    "component": ("component",),
    "time_ns": ("timestamp", "timestampNs"),
    "allocated_bytes": ("totalAllocated",),
    "reserved_bytes": ("totalReserved",),
    "active_bytes": ("totalActive",),
    "stream": ("streamPtr",),
    "device": ("deviceId",),
}
PROCESS_MEMORY: Final[Names] = {
    "kind": ("type",),
    "time_ns": ("timestampNs",),
    "ddr": ("ddr",),
    "hbm": ("hbm",),
    "device": ("deviceId",),
}
MODULE_MEMORY: Final[Names] = {
    "component": ("moduleId",),
    "time_ns": ("timestampNs",),
    "reserved_bytes": ("totalReserved",),
    "device": ("deviceId",),
}
COPY: Final[Names] = {
    "id": ("globalTaskId",),
    "bytes": ("size",),
    "direction": ("memcpyOperation", "memcpyDirection"),
}
COUNTER: Final[Names] = {"id": ("globalTaskId",), "name": ("name",), "value": ("value",)}
STEP: Final[Names] = {"step": ("id",), "start_ns": ("startNs",), "end_ns": ("endNs",)}
COLLECTION: Final[Names] = {
    "start_ns": ("startNs",),
    "end_ns": ("endNs",),
    "thread": ("globalTid",),
}

ANALYSIS_STEPS: Final[Mapping[str, str]] = {
    "computing_ns": "computing",
    "not_overlapped_ns": "communication_not_overlapped",
    "overlapped_ns": "overlapped",
    "communication_ns": "communication",
    "free_ns": "free",
    "stage_ns": "stage",
    "bubble_ns": "bubble",
    "not_received_ns": "communication_not_overlapped_and_exclude_receive",
    "preparing_ns": "preparing",
}
"""StepTraceTime of analysis.db, in microseconds."""
ANALYSIS_TIMES: Final[Mapping[str, tuple[str, int]]] = {
    "start_ns": ("start_timestamp", 1_000),
    "elapse_ns": ("elapse_time", 1_000_000),
    "transit_ns": ("transit_time", 1_000_000),
    "wait_ns": ("wait_time", 1_000_000),
    "synchronisation_ns": ("synchronization_time", 1_000_000),
    "idle_ns": ("idle_time", 1_000_000),
}
"""CommAnalyzerTime of analysis.db: start in microseconds, durations in milliseconds."""
