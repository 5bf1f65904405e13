"""Traces of any size, as torch_npu lays them out, for measuring."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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
