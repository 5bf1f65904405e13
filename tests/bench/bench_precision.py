"""Print how fast dumps are compared: `python tests/bench/bench_precision.py [--help]`.

Makes two dumps (5,000 calls of 3 tensors with 16,384 elements: 15,000 pairs, 2 GB) and two
statistics dumps of 20,000 calls, and compares each in a process of its own, with one thread for
sums: by this program and by msprobe 26.2.0, which is installed in an environment of its own. The
aims are below 8 s and 300 MB for the pairs and below 3 s for the statistics, on two cores where
msprobe takes 38 s for the pairs; on a slower machine they are shown longer by the same factor.
Last, folders of very many and of very large files are indexed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from tests.bench.peer_msprobe import msprobe
from tests.bench.process_usage import Usage, run_measured
from tests.fixtures.pt_writer import write_dump, write_pt

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("Functional.linear", "Torch.matmul", "Functional.softmax", "Tensor.__add__",
         "Functional.layer_norm", "Functional.gelu", "Tensor.__mul__", "Torch.rsqrt")  # fmt: skip
PART = Path("step0", "rank0")
AIMS = {"tensor": (8.0, 300.0), "statistics": (3.0, None)}
"""Seconds of the wall clock and MB, on the machine where msprobe takes `PUBLISHED` seconds."""

PUBLISHED = {"tensor": 38.3, "statistics": 23.8}
"""Seconds of msprobe for these very sizes, one thread: measured on the machine of the aims."""

FULL = (5000, 16384)


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


class Bench:
    """Runs programs and prints a line for each."""

    def __init__(self, root: Path, peer: Path | None) -> None:
        self._root, self._peer = root, peer
        self._environment = os.environ | {
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
            "STUDIO_HOME": str(root / "home"),
        }  # fmt: skip

    def head(self) -> None:
        """Print what the columns are."""
        print(f"{'':38} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}  times the peer (wall, CPU)")

    def peer(self, title: str, base: Path, candidate: Path) -> Usage | None:
        """Compare two ranks with msprobe."""
        if self._peer is None:
            return None
        out = self._root / f"out_{title}"
        words = [str(self._peer), "compare", "-o", str(out)]
        words += ["-tp", str(candidate / PART / "dump.json"), "-gp", str(base / PART / "dump.json")]
        usage = run_measured(words, self._root, self._environment, self._root / "peer.log")
        written = list(out.glob("*.csv")) if out.is_dir() else []
        self._line(f"msprobe 26.2.0, {title}", usage, None)
        if not written:
            print((self._root / "peer.log").read_text(errors="replace")[-500:])
            return None
        return usage

    def ours(self, title: str, words: list[str], peer: Usage | None) -> Usage:
        """Run one command of this program."""
        command = [sys.executable, "-m", "studio", "precision", *words]
        usage = run_measured(command, ROOT, self._environment, self._root / "ours.log")
        self._line(title, usage, peer)
        if usage.code not in (0, 1):
            print((self._root / "ours.log").read_text(errors="replace")[-500:])
        return usage

    def aim(self, task: str, usage: Usage, peer: Usage | None) -> None:
        """Say whether the aims are met, in the time of this machine."""
        seconds, most = AIMS[task]
        factor = peer.seconds / PUBLISHED[task] if peer else 1.0
        met = usage.seconds < seconds * factor
        text = f"aim < {seconds:g} s"
        if peer:
            text += (
                f", here < {seconds * factor:.1f} s (this machine takes {factor:.1f} times as long)"
            )
        text += f": {'met' if met else 'MISSED'} with {usage.seconds:.1f} s"
        if most:
            kept = "met" if usage.megabytes < most else "MISSED"
            text += f"; aim < {most:g} MB: {kept} with {usage.megabytes:.0f} MB"
        print(text, flush=True)

    def _line(self, title: str, usage: Usage, peer: Usage | None) -> None:
        times = f"{peer.seconds / usage.seconds:8.1f} {peer.cpu / usage.cpu:6.1f}" if peer else ""
        print(
            f"{title:38} {usage.seconds:8.2f} {usage.cpu:8.2f} {usage.megabytes:8.0f}  {times}",
            flush=True,
        )


def compare_all(bench: Bench, root: Path, calls: int, elements: int) -> None:
    """Compare tensors, then statistics."""
    for task, prefix, number, size in (("tensor", "t", calls, elements),
                                       ("statistics", "s", calls * 4, 64)):  # fmt: skip
        base, candidate = root / f"{prefix}_base", root / f"{prefix}_candidate"
        make(base / PART, number, size, task, changed=False)
        make(candidate / PART, number, size, task, changed=True)
        sides = [str(base), str(candidate)]
        print(f"-- {task}: {number:,} calls, {number * 3:,} pairs of {size:,} elements", flush=True)
        peer = bench.peer(task, base, candidate)
        usage = bench.ours("strict, all metrics", ["compare", *sides, "--csv"], peer)
        if (calls, elements) == FULL:
            bench.aim(task, usage, peer)
        bench.ours(
            "compatible, indexed before", ["compare", *sides, "--mode", "compatible", "--csv"], peer
        )
        bench.ours("first deviation, indexed before", ["first", *sides, "--json"], peer)
        shutil.rmtree(base)
        shutil.rmtree(candidate)


def index_all(root: Path, files: int) -> None:
    """Index many small files and a few that are larger than memory, each twice."""
    array = np.zeros(4, np.float32)
    many, packed, large = root / "many", root / "archives", root / "large"
    for folder in (many, packed, large):
        folder.mkdir()
    np.save(many / "0.npy", array)
    content = (many / "0.npy").read_bytes()
    for number in range(1, files):
        (many / f"{number}.npy").write_bytes(content)
    write_pt(packed / "0.pt", {"weight": array, "bias": array})
    content = (packed / "0.pt").read_bytes()
    for number in range(1, files // 10):
        (packed / f"{number}.pt").write_bytes(content)
    for number in range(10):
        with (large / f"{number}.npy").open("wb") as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": (20 * 2**28,)}
            np.lib.format.write_array_header_1_0(file, header)
            file.truncate(file.tell() + (20 << 30))
    from studio.tensors.dumps.index import index_dump

    print("-- index, the second time with what is kept", flush=True)
    for folder in (many, packed, large):
        for _ in range(2):
            begin, cpu = time.perf_counter(), time.process_time()
            index = index_dump(folder)
            seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
            size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e9
            calls = sum(len(part.calls) for part in index.parts)
            print(
                f"{folder.name}: {calls:,} tensors, {size:,.1f} GB, "
                f"{seconds:.2f} s, {cpu:.2f} s CPU"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak of all that: {peak:.0f} MB")


def main() -> None:
    """Make the dumps, compare and index them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--elements", type=int, default=16384)
    parser.add_argument("--files", type=int, default=100_000, help="to index; 0 for none")
    parser.add_argument("--peer", type=Path, help="an environment with msprobe 26.2.0")
    parser.add_argument("--no-peer", action="store_true", help="do not run msprobe")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        os.environ["STUDIO_HOME"] = str(root / "home")
        bench = Bench(root, None if asked.no_peer else msprobe(asked.peer))
        bench.head()
        compare_all(bench, root, asked.calls, asked.elements)
        if asked.files:
            index_all(root, asked.files)


if __name__ == "__main__":
    main()
