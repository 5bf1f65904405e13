"""Which tables a database of the Ascend profilers has, and how each is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.perf import read_db_device as device
from studio.perf import read_db_host as host
from studio.perf import read_db_memory as memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.formats.chrome_trace import Progress
    from studio.formats.database import Database
    from studio.perf.frames import Recorded
    from studio.perf.profile import Reader


def db_readers(database: Database) -> dict[str, Reader]:
    """How to read each table that a database has."""
    tables: tuple[tuple[str, str, Callable[[Database, Progress | None], Recorded]], ...] = (
        ("COMPUTE_TASK_INFO", "kernels", device.read_kernels),
        ("COMMUNICATION_OP", "communication", device.read_communication),
        ("TASK", "tasks", device.read_tasks),
        ("TASK", "copies", device.read_copies),
        ("CANN_API", "api", host.read_api),
        ("PYTORCH_API", "host_ops", host.read_host_ops),
        ("PYTORCH_API", "queue", host.read_queue),
        ("GC_RECORD", "gc", host.read_collections),
        ("STEP_TIME", "host_steps", host.read_host_steps),
        ("OP_MEMORY", "allocations", memory.read_allocations),
        ("MEMORY_RECORD", "memory", memory.read_memory),
        ("NPU_MODULE_MEM", "module_memory", memory.read_module_memory),
    )
    return {
        target: _one(target, database, read)
        for source, target, read in tables
        if database.find(source)
    }


def _one(
    target: str, database: Database, read: Callable[[Database, Progress | None], Recorded]
) -> Reader:
    return lambda job: {target: read(database, job)}
