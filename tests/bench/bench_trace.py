"""Print what reading and asking a large trace costs, beside other ways to read it.

`python tests/bench/bench_trace.py [MB] [FILE] [--only WORD,…] [--perfetto PROGRAM] [--large MB]`

Without a file an Ascend-like trace of about that many megabytes is generated, with operators that
overlap on their threads, kernels, flows and counters. Every way runs in a process of its own, one
after the other; CPU seconds are user and system time of that process from its start to its end,
imports included, memory is its peak. PROGRAM is Perfetto's `trace_processor_shell`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from made_trace import generate
from trace_ways import WAYS

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLISHED = """
Measured elsewhere on 1 GB of the same kind (another run, two quiet cores): Perfetto's native engine
10.6 to 10.9 CPU s and 1994 MB, HTA 0.5.0 42 to 47 CPU s and up to 5123 MB, json + pandas 27 to 32
CPU s and 4454 MB; speedscope ended without showing anything."""


AIMS = {
    "  to the first painted frame": "3.2 CPU s, 800 MB",
    "Ascent Studio, packed (.gz)": "4.5 CPU s",
    "opening alone": "300 ms",
    "gap_cpu_ms": "50 ms",
    "box statistics, all of it": "50 ms",
    "box statistics, a half": "50 ms",
    "hit test": "0.1 ms",
    "search in 100,000 names": "10 ms",
}
"""What is aimed at, for 1 GB and two quiet cores of the machine on which the published figures were
measured; of Perfetto's CPU time in the same run the first frame is to take a quarter at most."""


def main() -> None:
    """Generate or take a file, and read it in every way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", nargs="?", type=float, default=100.0)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="parts of the ways' names, with commas")
    parser.add_argument("--perfetto", type=Path)
    parser.add_argument(
        "--large", type=float, default=0, help="also read and open one of so many megabytes"
    )
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        way, file = options.one
        print(json.dumps(WAYS[way](Path(file))))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "trace_view.json"
        if not path.exists():
            generate(path, options.megabytes)
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
        _read(path)
        environment = os.environ | {
            "STUDIO_HOME": str(Path(folder) / "home"),
            "OPENBLAS_NUM_THREADS": "1",
        }
        chosen = [word.casefold() for word in options.only.split(",")]
        _warm(environment)
        first: float | None = None
        cpu: dict[str, float] = {}
        for title, way, engine, file in _plan(path, Path(folder), options.perfetto, options.large):
            if any(word in title.casefold() for word in chosen):
                if way == "perfetto":
                    result = _perfetto(title, options.perfetto, file)
                else:
                    engine_chosen = {"STUDIO_TRACE_ENGINE": engine}
                    result = _measured(title, way, file, environment | engine_chosen)
                first = first or result["cpu"]
                cpu[way] = result["cpu"]
                _say_peak(result, result["cpu"] / first)
        if {"window", "perfetto"} <= cpu.keys():
            share = cpu["window"] / cpu["perfetto"]
            print(f"The first painted frame takes {share:.2f} of Perfetto's CPU time (aim 0.25).")
        print(PUBLISHED)


def _plan(
    path: Path, folder: Path, perfetto: Path | None, large: float
) -> Iterator[tuple[str, str, str, Path]]:
    yield "Ascent Studio, compiled", "load", "compiled", path
    yield "  to the first painted frame", "window", "compiled", path
    if perfetto:
        yield "Perfetto trace_processor_shell", "perfetto", "", path
    if path.suffix != ".gz":
        yield "Ascent Studio, packed (.gz)", "load", "compiled", _packed(path, folder)
    yield "Ascent Studio, opened again", "again", "compiled", path
    yield "  the same, two arg columns", "args", "compiled", path
    yield "Ascent Studio, portable", "load", "portable", path
    yield "  questions, compiled", "ask", "compiled", path
    yield "  questions, portable", "ask", "portable", path
    yield "  questions, 10 million slices", "dense", "compiled", path
    yield "msgspec, columns", "msgspec", "portable", path
    if importlib.util.find_spec("orjson"):
        yield "orjson, columns", "orjson", "portable", path
    yield "json, columns", "json_columns", "portable", path
    yield "json + pandas", "json_pandas", "portable", path
    if large:
        made = _generated(folder, large)
        yield f"Ascent Studio, {large:g} MB", "load", "compiled", made
        yield "  to the first painted frame of it", "large", "compiled", made
        yield "  reading it stopped by Esc", "stop", "compiled", made


def _generated(folder: Path, megabytes: float) -> Path:
    path = folder / "large.json"
    generate(path, megabytes)
    return path


def _packed(path: Path, folder: Path) -> Path:
    """The same trace as a gzip: one that is there, or one that is made."""
    packed = path.with_name(f"{path.name}.gz")
    if not packed.exists():
        packed = folder / packed.name
        with path.open("rb") as plain, gzip.open(packed, "wb", 6) as file:
            while block := plain.read(1 << 22):
                file.write(block)
    return packed


def _read(path: Path) -> None:
    """Have the file in memory, so that no way waits for the disk."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 22):
            pass


def _warm(environment: dict[str, str]) -> None:
    """Make the machine code of the kernels, which is done once for each version and processor."""
    subprocess.run([sys.executable, "-m", "studio.trace.warm"], env=environment, check=False)


def _measured(title: str, way: str, path: Path, environment: dict[str, str]) -> dict[str, Any]:
    arguments = [sys.executable, __file__, "--one", way, str(path)]
    if way == "again":
        # the first one keeps the trace in the cache, the second one is measured
        subprocess.run(arguments, env=environment, stdout=subprocess.DEVNULL, check=False)
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(done.stdout) if done.returncode == 0 else {"failed": done.returncode}
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"title": title, "cpu": cpu, "wall": time.perf_counter() - begin} | told


def _say_peak(result: dict[str, Any], ratio: float = 1.0) -> None:
    if "failed" in result:
        print(f"{result['title']:32} not measured (exit code {result['failed']})")
        return
    print(
        f"{result['title']:32} {result['cpu']:8.2f} CPU s {result['wall']:8.2f} s "
        f"{result.get('peak', 0):7.0f} MB  {ratio:6.2f} x  {result.get('events', ''):>12}"
        f"{_aim(result['title'])}"
    )
    for name, seconds in result.get("questions", {}).items():
        print(f"    {name:40} {seconds * 1e3:10.3f} ms{_aim(name)}")


def _aim(title: str) -> str:
    return f"  (aim {AIMS[title]})" if title in AIMS else ""


def _perfetto(title: str, program: Path, path: Path) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write("select count(*) from slice;")
        query.flush()
        begin = time.perf_counter()
        command = [str(program), "-q", query.name, str(path)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            output = process.stdout.read() if process.stdout else ""
            _, _, spent = os.wait4(process.pid, 0)
            process.returncode = 0
    return {
        "title": title,
        "cpu": spent.ru_utime + spent.ru_stime,
        "wall": time.perf_counter() - begin,
        "peak": spent.ru_maxrss / 1024,
        "events": f"{output.split()[-1]} slices" if output.split() else "",
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
