"""Print how fast dumps are compared: `python tests/bench/bench_precision.py [APIS] [ELEMENTS]`.

Makes two dumps of the given size (5,000 calls of 3 tensors with 16,384 elements: 15,000 pairs,
2 GB) and a statistics dump of 20,000 calls, and compares each in a process of its own. The figures
of msprobe 26.2.0 beside them were measured on two cores with one BLAS thread.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from tests.fixtures.pt_writer import write_dump

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("Functional.linear", "Torch.matmul", "Functional.softmax", "Tensor.__add__",
         "Functional.layer_norm", "Functional.gelu", "Tensor.__mul__", "Torch.rsqrt")  # fmt: skip
PEER = {"tensor": 38.3, "statistics": 23.8}
"""Seconds that msprobe 26.2.0 takes for 15,000 pairs of tensors and for 20,000 calls."""


def make(folder: Path, calls: int, elements: int, task: str, *, changed: bool) -> None:
    """Write one dump; the second half of the calls of a changed one carries noise."""
    random = np.random.default_rng(1)
    noise = np.random.default_rng(2)
    data = {}
    counts: dict[str, int] = {}
    for number in range(calls):
        name = NAMES[number % len(NAMES)]
        counts[name] = counts.get(name, -1) + 1
        values = [random.standard_normal((elements // 64, 64), np.float32) for _ in range(3)]
        if changed and number > calls // 2:
            values = [
                v * (1 + np.float32(1e-3) * noise.standard_normal(v.shape, np.float32))
                for v in values
            ]
        data[f"{name}.{counts[name]}.forward"] = {"input": values[:2], "output": values[2:]}
        if len(data) == 500 or number == calls - 1:
            _append(folder, data, task)
            data = {}
    stack = {str(i): [[name], ["File /w/model.py, line 1, in forward, \n x = op(x)"] * 6]
             for i, name in enumerate(_names(folder))}  # fmt: skip
    (folder / "stack.json").write_text(json.dumps(stack))


def _append(folder: Path, data: dict, task: str) -> None:
    path = folder / "dump.json"
    before = json.loads(path.read_text()) if path.is_file() else None
    write_dump(folder, data, task=task)
    if before:
        new = json.loads(path.read_text())
        before["data"].update(new["data"])
        path.write_text(json.dumps(before))


def _names(folder: Path) -> list[str]:
    return list(json.loads((folder / "dump.json").read_text())["data"])


def run(title: str, words: list[str], size: float, peer: float) -> None:
    """Run the program and print its time, throughput and memory."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    begin = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output:
        code = subprocess.run(
            [sys.executable, "-m", "studio", *words], cwd=ROOT, env=environment, stdout=output,
            check=False,
        ).returncode  # fmt: skip
        written = output.tell() / 1e6
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rate = f"{size / seconds:6.2f} GB/s" if size else " " * 11
    print(
        f"{title:34} {seconds:6.2f} s  {cpu:6.2f} s CPU  {rate}  {after.ru_maxrss / 1024:5.0f} MB"
        f"  {written:6.1f} MB written  exit {code}  {peer / seconds:5.1f} x msprobe ({peer} s)",
        flush=True,
    )


def main() -> None:
    """Make the dumps and compare them."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    elements = int(sys.argv[2]) if len(sys.argv) > 2 else 16384
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        os.environ["STUDIO_HOME"] = str(root / "home")
        for side, changed in (("base", False), ("candidate", True)):
            make(root / side / "step0" / "rank0", calls, elements, "tensor", changed=changed)
        size = 2 * calls * 3 * elements * 4 / 1e9
        sides = [str(root / "base"), str(root / "candidate")]
        compare = ["precision", "compare", *sides, "--csv"]
        peer = PEER["tensor"] * calls / 5000
        run("tensors, compatible", [*compare, "--mode", "compatible"], size, peer)
        run("tensors, strict with all metrics", compare, size, peer)
        for side, changed in (("s_base", False), ("s_candidate", True)):
            make(root / side / "step0" / "rank0", calls * 4, 64, "statistics", changed=changed)
        sides = [str(root / "s_base"), str(root / "s_candidate")]
        compare = ["precision", "compare", *sides, "--csv"]
        peer = PEER["statistics"] * calls / 5000
        run("statistics, strict", compare, 0, peer)
        run("statistics, strict, indexed before", compare, 0, peer)
        run("statistics, compatible", [*compare, "--mode", "compatible"], 0, peer)
        run("statistics, first deviation", ["precision", "first", *sides, "--json"], 0, peer)


if __name__ == "__main__":
    main()
