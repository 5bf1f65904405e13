"""Small profiles with known contents, and the samples of real ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from studio.perf.load import load_profile

if TYPE_CHECKING:
    from pathlib import Path

BASE_US = 1_700_000_000_000_000
KERNEL_COLUMNS = "Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"


@pytest.fixture
def samples(shared):
    return shared / "data" / "profiling"


@pytest.fixture
def crosscheck(samples):
    return json.loads((samples / "outputs" / "crosscheck_ascend.json").read_text())


def time_of(offset_us):
    """A time after the base as the profilers write it; a float would lose nanoseconds."""
    whole, rest = divmod(round(offset_us * 1000), 1000)
    return f"{BASE_US + whole}.{rest:03}"


class Maker:
    """Writes a profile of the text form piece by piece."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "host_1_20240101000000000_ascend_pt"
        self.output = self.folder / "ASCEND_PROFILER_OUTPUT"
        self.output.mkdir(parents=True)
        self.kernels: list[str] = []
        self.events: list[dict[str, object]] = []
        self.info(0)

    def info(self, rank, **experimental):
        (self.folder / f"profiler_info_{rank}.json").write_text(
            json.dumps({"config": {"experimental_config": experimental}, "rank_id": rank})
        )

    def kernel(self, name, start, end, *, kind="Add", core="AI_VECTOR_CORE", step=1, stream=2):
        """A kernel from `start` to `end` in microseconds after the base."""
        at, length = f"{time_of(start)}\t", f"{end - start:.3f}"
        self.kernels.append(
            f"{step},{len(self.kernels)},{stream},{name},{kind},{core},{at},{length}"
        )

    def slice(self, process, thread, name, start, end, cat=None, **args):
        event = {
            "ph": "X",
            "name": name,
            "pid": PROCESSES.index(process),
            "tid": thread,
            "ts": time_of(start),
            "dur": round(end - start, 3),
        }
        self.events.append(event | ({"cat": cat} if cat else {}) | ({"args": args} if args else {}))

    def arrow(self, thread, at, stream, start):
        """An async_npu arrow from an operator on the host to a start on the device."""
        number = len(self.events)
        python, hardware = PROCESSES.index("Python"), PROCESSES.index("Ascend Hardware")
        common = {"name": "torch_to_npu", "cat": "async_npu", "id": number, "bp": "e"}
        ends = (("s", python, thread, at), ("f", hardware, stream, start))
        for phase, pid, tid, time in ends:
            ts = time_of(time)
            self.events.append({"ph": phase, "pid": pid, "tid": tid, "ts": ts, **common})

    def launched(self, name, span, *, operator, enqueue, dequeue, launch, **kernel):
        """A kernel with all that launched it; all are spans in microseconds."""
        start, end = span
        number = len(self.kernels) + 1
        self.kernel(name, start, end, **kernel)
        self.slice("Python", 1, f"aten::{name}", *operator, cat="cpu_op")
        self.slice("Python", 1, "Enqueue", *enqueue, cat="enqueue", correlation_id=number)
        self.slice("Python", 2, f"Dequeue@{name}", *dequeue, cat="dequeue", correlation_id=number)
        self.slice("CANN", 2, "Node@launch", *launch, connection_id=10 + number)
        self.slice(
            "Ascend Hardware",
            2,
            name,
            start,
            end,
            connection_id=10 + number,
            **{"Task Type": "AI_CORE"},
        )
        self.arrow(1, operator[0], 2, start)

    def table(self, name, text):
        (self.output / name).write_text(text, encoding="utf-8")

    def load(self):
        if self.kernels:
            self.table("kernel_details.csv", "\n".join([KERNEL_COLUMNS, *self.kernels]) + "\n")
        if self.events:
            names = [
                {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": title}}
                for pid, title in enumerate(PROCESSES)
            ]
            hardware = PROCESSES.index("Ascend Hardware")
            names += [
                {"ph": "M", "name": "thread_name", "pid": hardware, "tid": stream}
                | {"args": {"name": f"Stream {stream}"}}
                for stream in range(1, 6)
            ]
            self.table("trace_view.json", json.dumps(names + self.events))
        return load_profile(self.folder)


PROCESSES = ["Python", "CANN", "Ascend Hardware", "HCCL", "Python GC", "Overlap Analysis"]


@pytest.fixture
def maker(tmp_path):
    return Maker(tmp_path)
