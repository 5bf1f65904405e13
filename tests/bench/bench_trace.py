"""Print what loading and asking a large trace costs.

`python tests/bench/bench_trace.py [MB] [FILE]`. Without a file an Ascend-like trace of about that
many megabytes is generated in a temporary folder, with operators that overlap on their threads,
kernels, flows and counters. CPU seconds are user and system time of this process; memory is the
peak of the process.
"""

from __future__ import annotations

import gzip
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from studio.trace import load
from studio.trace.query import in_range, innermost_at, search, with_names
from studio.trace.statistics import covered, statistics

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

BASE_NS = 1_736_412_474_607_917_240
KERNELS = [f"aclnn{name}_{number}" for name in ("MatMul", "Add", "Cast") for number in range(200)]
OPERATORS = ["aten::mm", "aten::add", "aten::copy_", "aten::softmax", "aten::view"]


def generate(path: Path, megabytes: float) -> None:
    """Write a trace as torch_npu lays it out: one line, times as texts, `ph` often last."""
    rnd = random.Random(7)
    clock, written, number = BASE_NS, 0, 0
    with path.open("w") as file:
        file.write(
            '[{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "x"}}'
        )
        while written < megabytes * 1e6:
            events = []
            for rank in range(4):
                total = rnd.randrange(20_000, 80_000)
                events.append(_operator("ProfilerStep", rank, clock, total))
                for step in range(4):
                    start, number = clock + step * total // 4, number + 1
                    events.append(_operator(rnd.choice(OPERATORS), rank, start, total // 5))
                    kernel = start + rnd.randrange(30_000)
                    events += _kernel(rnd.choice(KERNELS), rank, start, kernel, total // 3, number)
                events.append(
                    f'{{"name": "HBM/Read", "ts": "{_us(clock)}", "pid": {rank + 90}, "tid": 0,'
                    f' "args": {{"Read(MB/s)": {rnd.random() * 1000}}}, "ph": "C"}}'
                )
            clock += 90_000
            text = ", " + ", ".join(events)
            written += len(text)
            file.write(text)
        file.write("]")


def main() -> None:
    """Generate or take a file, load it plain and packed, and ask it."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "trace_view.json"
        if not path.exists():
            generate(path, megabytes)
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {_peak():.0f} MB before")
        trace = _timed("load", lambda: load(path))
        print(f"  {trace.events:,} events, {len(trace):,} slices, {len(trace.row_bounds) - 1} rows")
        print(f"  peak {_peak():.0f} MB")
        _timed("load with 2 arg columns", lambda: load(path, arg_columns=("connection_id", "id")))
        if path.suffix != ".gz":
            packed = Path(folder) / "packed.json.gz"
            packed.write_bytes(gzip.compress(path.read_bytes(), 6))
            _timed("load .gz", lambda: load(packed))
        middle = (trace.view_start_ns + trace.view_end_ns) // 2
        tenth = (trace.view_end_ns - trace.view_start_ns) // 10
        _timed("statistics, first time", lambda: statistics(trace))
        _timed("statistics, whole trace", lambda: statistics(trace))
        _timed("statistics, a tenth", lambda: statistics(trace, middle, middle + tenth))
        _timed("covered time", lambda: covered(trace))
        _timed("slices in a tenth", lambda: in_range(trace, middle, middle + tenth))
        _timed("search in names", lambda: search(trace, "matmul"))
        _timed("all hits by time", lambda: with_names(trace, search(trace, "a")))
        _timed("innermost slice", lambda: innermost_at(trace, 0, middle))


def _timed(title: str, action: Callable[[], T]) -> T:
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"  {title:26} {cpu:9.4f} CPU s  {wall:9.4f} s")
    return result


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def _operator(name: str, rank: int, start: int, duration: int) -> str:
    return (
        f'{{"ph": "X", "name": "{name}", "pid": {rank}, "tid": 7, "ts": "{_us(start)}",'
        f' "dur": {duration / 1000}, "cat": "cpu_op", "args": {{"Sequence number": {start % 997},'
        ' "Call stack": "/root/train.py(12): step;\\r\\n/root/\\"x\\".py(40): forward"}}'
    )


def _kernel(
    name: str, rank: int, launch: int, start: int, duration: int, number: int
) -> tuple[str, str, str]:
    pid, stream = 3_254_508_960 + rank, number % 3
    flow = f'"name": "HostToDevice{number}", "cat": "HostToDevice"'
    return (
        f'{{"ph": "s", "bp": "e", {flow}, "id": "{number}", "pid": {rank}, "tid": 7,'
        f' "ts": "{_us(launch)}"}}',
        f'{{"name": "{name}", "pid": {pid}, "tid": {stream}, "ts": "{_us(start)}",'
        f' "dur": {duration / 1000}, "args": {{"Model Id": 4294967295, "Task Type": "AI_CORE",'
        f' "connection_id": {number}}}, "ph": "X"}}',
        f'{{{flow}, "ph": "f", "bp": "e", "id": {number}, "pid": {pid}, "tid": {stream},'
        f' "ts": "{_us(start)}"}}',
    )


if __name__ == "__main__":
    main()
