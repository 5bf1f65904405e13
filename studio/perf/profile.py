"""One profile: what is known of it, and its tables, read when they are first asked for."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from studio.perf.frames import Recorded, empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.faults import Fault
    from studio.perf.sources import Sources
    from studio.trace import Trace

    Reader = Callable[[Progress | None], Mapping[str, Recorded]]

T = TypeVar("T")

SNAPSHOT: Final = "memory snapshot"
"""The form of a memory snapshot of PyTorch."""
EVENT_NUMBERS: Final = "numbers of events"
"""What a snapshot without times says of them in its settings."""
_PATIENCE_S: Final = 0.1


@dataclass(frozen=True, kw_only=True)
class Info:
    """What a profile says of itself; None where it does not."""

    form: str
    """text, database, text and database, trace, MindInsight, Kineto trace, memory snapshot,
    memscope database, pack, raw or nothing."""
    framework: str | None = None
    hardware: str = "NPU"
    """NPU or GPU: decides what operators and communication look like."""
    chip: str | None = None
    rank: int | None = None
    world_size: int | None = None
    device: int | None = None
    host: str | None = None
    level: str | None = None
    """How much was recorded: Level0, Level1, Level2."""
    metrics: str | None = None
    """Which performance counters were recorded."""
    frequency_mhz: float | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was switched on, as the profiler wrote it (with_stack, profile_memory …)."""
    parallel: Mapping[str, int] = field(default_factory=dict)
    """Sizes of the parallel dimensions (tensor_model_parallel_size …)."""
    groups: Mapping[str, Any] = field(default_factory=dict)
    """Communication groups as the profiler wrote them."""


class Profile:
    """A profile whose tables are read when first asked for.

    `readers` names for every group of tables how it is read; `table` returns a frame in the shape
    of `studio.perf.schema`, without rows where nothing was recorded. Frames are shared: do not
    change them. Any thread may ask: one reads, the others wait until they are cancelled.
    """

    def __init__(
        self,
        path: Path,
        info: Info,
        sources: Sources,
        readers: Mapping[str, Reader],
        *,
        counters: Callable[[Progress | None], Iterator[pd.DataFrame]] | None = None,
        trace: Callable[[Progress | None], Trace] | None = None,
        findings: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.path = path
        self.findings = tuple(findings)
        """What was found when the profile was packed; nothing for other forms."""
        self.info = info
        self.sources = sources
        self._readers = dict(readers)
        self._counters = counters
        self._load_trace = trace
        self._trace: Trace | None = None
        self._tables: dict[str, Recorded] = {}
        self._derived: dict[object, Any] = {}
        self._lock = threading.RLock()

    @property
    def offered(self) -> frozenset[str]:
        """The tables that some file of the profile may hold; one can still turn out empty."""
        return frozenset(self._readers)

    def table(self, name: str, job: Progress | None = None) -> pd.DataFrame:
        """One table; without rows when it was not recorded."""
        return self._recorded(name, job).frame

    def has(self, name: str, job: Progress | None = None) -> bool:
        """Whether a table was recorded and has rows."""
        return name in self._readers and len(self.table(name, job)) > 0

    def not_applicable(self, table: str, column: str) -> NDArray[np.bool_] | None:
        """Which cells of a column the file marks as making no sense; None when none are."""
        return self._recorded(table, None).not_applicable.get(column)

    def faults(self) -> dict[str, tuple[Fault, ...]]:
        """What was wrong in the tables that were read so far."""
        found = {name: table.faults for name, table in self._tables.items() if table.faults}
        if self._trace is not None and self._trace.faults:
            found["trace"] = self._trace.faults
        return found

    def derived(self, key: object, make: Callable[[], T], job: Progress | None = None) -> T:
        """What follows from the tables, made once: like them it is shared and never changed."""
        if key not in self._derived:
            with self._turn(job):
                if key not in self._derived:
                    self._derived[key] = make()
        found: T = self._derived[key]
        return found

    def counters(self, job: Progress | None = None) -> Iterator[pd.DataFrame]:
        """The performance counters of kernels in parts: `row` of the kernel, then the counters."""
        if self._counters is not None:
            yield from self._counters(job)

    @property
    def has_counters(self) -> bool:
        """Whether performance counters may have been recorded."""
        return self._counters is not None

    def trace(self, job: Progress | None = None) -> Trace | None:
        """The timeline; None when there is none."""
        with self._turn(job):
            if self._trace is None and self._load_trace is not None:
                self._trace = self._load_trace(job)
            return self._trace

    def _recorded(self, name: str, job: Progress | None) -> Recorded:
        known = self._tables.get(name)
        if known is not None:
            return known
        with self._turn(job):
            if name not in self._tables:
                reader = self._readers.get(name)
                read = reader(job) if reader is not None else {}
                for table, recorded in read.items():
                    self._tables.setdefault(table, recorded)
                self._tables.setdefault(name, Recorded(empty(name)))
            return self._tables[name]

    @contextmanager
    def _turn(self, job: Progress | None) -> Iterator[None]:
        """Wait until nobody else reads; a cancelled job waits no longer."""
        while not self._lock.acquire(timeout=_PATIENCE_S):
            if job is not None:
                job.check()
        try:
            yield
        finally:
            self._lock.release()
