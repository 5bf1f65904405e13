"""Print what large profiles cost: `python tests/bench/bench_perf.py [MB] [FOLDER]`.

Makes a kernel_details.csv of the wanted size (default 200 MB; 2000 is what users complain of) and a
memory_record.csv of 65 % of it in a temporary folder (or in FOLDER, where they are kept), reads
each in processes of their own, and prints wall and processor time and the peak of resident memory:
of the first rows, of everything, of the views, and beside that of pandas and of msprof-analyze
26.2.0, which is installed into a temporary environment (or one named by MSPROF_ANALYZE, a path of
its command; "no" leaves it out). Each process is ended after LIMIT seconds (default 600). With the
reference data beside the checkout every view of its samples is opened as well; figures over their
aim are marked with "!". A machine slower than usual is told by SLOWER=2.4, which the aims of times
are multiplied with.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import resource as system
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import venv
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import perf_views  # noqa: E402
from perf_tables import make_kernels, make_memory  # noqa: E402

from studio.formats import engine  # noqa: E402
from studio.trace.warm import warm as make_kernels_warm  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    Result = tuple[float, float, float, str]

LIMIT = float(os.environ.get("LIMIT", "600"))
SLOWER = float(os.environ.get("SLOWER", "1"))
MOST_MB = 1000
VIEW_S = 0.5
SAMPLES = ROOT.parent / "shared" / "data" / "profiling"
TRACE = [
    *(
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
        for pid, name in enumerate(("Python", "CANN", "Ascend Hardware"))
    ),
    {"ph": "X", "name": "ProfilerStep#0", "cat": "cpu_op", "ts": "1764246876999999.000"}
    | {"dur": 1000000, "pid": 0, "tid": 1, "args": {}},
]
"""The least that msprof-analyze wants to see beside a kernel table."""


# -- what is measured -----------------------------------------------------------------------------
def first_rows(path: Path) -> str:
    """The first part of a kernel table."""
    from studio.formats.ascend_csv import open_table
    from studio.formats.ascend_layouts import KERNELS
    from studio.formats.faults import FaultLog

    part = next(iter(open_table(path, KERNELS, FaultLog()).parts()))
    return f"{part.rows:,} rows"


def first_records(path: Path) -> str:
    """The first part of a memory record."""
    from studio.formats.ascend_csv import open_table
    from studio.formats.ascend_layouts import MEMORY
    from studio.formats.faults import FaultLog

    part = next(iter(open_table(path, MEMORY, FaultLog()).parts()))
    return f"{part.rows:,} rows"


def kernels(path: Path) -> str:
    """The whole kernel table."""
    from studio.perf.load import load_profile

    return f"{len(load_profile(path).table('kernels')):,} rows"


def by_type(path: Path) -> str:
    """Operators by type with all counters."""
    from studio.perf.load import load_profile
    from studio.perf.operators import operators

    return f"{len(operators(load_profile(path), 'type').table)} types"


def steps(path: Path) -> str:
    """The breakdown of all steps."""
    from studio.perf.load import load_profile
    from studio.perf.steps import step_breakdown

    return f"{len(step_breakdown(load_profile(path)).table)} steps"


def memory(path: Path) -> str:
    """The whole memory record and its peak."""
    from studio.perf.load import load_profile
    from studio.perf.memory_peak import memory_at

    return f"peak {memory_at(load_profile(path)).bytes:,} bytes"


def with_pandas(path: Path) -> str:
    """pandas: the same table, times as floats."""
    import pandas as pd

    return f"{len(pd.read_csv(path, low_memory=False)):,} rows"


def type_of_operators_with_pandas(path: Path) -> str:
    """pandas: sums by type, without exact times."""
    import pandas as pd

    found = pd.read_csv(path, low_memory=False).groupby("Type")["Duration(us)"].sum()
    return f"{len(found)} types"


def with_msprof_analyze(path: Path) -> str:
    """msprof-analyze 26.2.0: its advice on computation, which reads the same table."""
    command = os.environ["MSPROF_ANALYZE"]
    folder = path.parent / "host_1_20240101000000000_ascend_pt"
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True, exist_ok=True)
    (folder / "profiler_info_0.json").write_text(json.dumps({"rank_id": 0}))
    (output / "trace_view.json").write_text(json.dumps(TRACE))
    link = output / path.name
    if not link.exists():
        link.symlink_to(path.resolve())
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [command, "advisor", "computation", "-d", str(folder), "-o", results],
            capture_output=True,
            text=True,
            check=False,
        )
    last = (done.stdout + done.stderr).strip().splitlines()[-1:]
    return f"exit {done.returncode}: {''.join(last)[:80]}"


# -- processes ------------------------------------------------------------------------------------
def measure(work: Callable[[Path], str], path: Path, *, ours: bool = True) -> None:
    """Run in a process of its own and print seconds, peak memory and what came out."""
    title = (work.__doc__ or work.__name__).splitlines()[0].rstrip(".")
    result = in_process(work, path)
    if result is None:
        print(f"{title:74}  ended: took more than {LIMIT:.0f} s, or failed", flush=True)
        return
    wall, used, megabytes, text = result
    mark = "!" if ours and megabytes > MOST_MB else " "
    print(f"{title:74}{wall:8.2f} s{used:8.2f} s{megabytes:7.0f} MB{mark} {text}", flush=True)


def in_process(work: Callable[..., object], argument: object) -> tuple[float, ...] | None:
    """Seconds, processor seconds, megabytes and the result of work in a process of its own."""
    results: multiprocessing.Queue[Result] = multiprocessing.Queue()
    process = multiprocessing.Process(target=_timed, args=(work, argument, results))
    process.start()
    found, begin = None, time.monotonic()
    while found is None and time.monotonic() - begin < LIMIT:
        try:
            found = results.get(timeout=1)
        except queue.Empty:
            if not process.is_alive():
                break
    if found is None and process.pid is not None and process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)  # with the programs that it has started
    process.join()
    return found


def _timed(
    work: Callable[[object], object], argument: object, results: multiprocessing.Queue[object]
) -> None:
    os.setpgrp()
    begin = time.perf_counter()
    try:
        result = work(argument)
    except Exception:  # noqa: BLE001 - the other figures are still wanted
        traceback.print_exc()
        raise SystemExit(1) from None
    wall = time.perf_counter() - begin
    both = [system.getrusage(who) for who in (system.RUSAGE_SELF, system.RUSAGE_CHILDREN)]
    used = sum(usage.ru_utime + usage.ru_stime for usage in both)
    results.put((wall, used, max(usage.ru_maxrss for usage in both) / 1024, result))


def open_samples() -> None:
    """Open every view of every sample; by form, so that a bad sample costs little."""
    print(f"\nviews of the samples, aim {VIEW_S * SLOWER:.2f} s of wall (processor in brackets)")
    slow = 0
    for form, paths in sample_profiles().items():
        result = in_process(perf_views.open_all, paths)
        if result is None:
            print(f"{form}: ended")
            continue
        opened: dict[str, dict[str, perf_views.Opened | str]] = result[3]  # type: ignore[assignment]
        for path in paths:
            cells = []
            for name, one in opened[str(path)].items():
                if isinstance(one, str):
                    cells.append(f"{name} –")
                    continue
                over = min(one.wall, one.used) > VIEW_S * SLOWER
                slow += over
                cells.append(f"{name} {one.wall:.2f} ({one.used:.2f}){'!' if over else ''}")
            print(f"{form:10}{'/'.join(path.parts[-3:])[-50:]:52}{'  '.join(cells)}", flush=True)
    print(f"{slow} views over the aim")


def sample_profiles() -> dict[str, list[Path]]:
    """The samples by form; what is not there is left out."""
    insight = SAMPLES / "msinsight" / "test"
    found = {
        "text": sorted((insight / "data/pytorch/text").glob("level*/rank*_ascend_pt")),
        "database": sorted((insight / "data/pytorch/db").glob("level*/rank*_ascend_pt")),
        "PP2": sorted((insight / "st/level2").glob("rank_*_ascend_pt")),
        "MindSpore": sorted((insight / "data/mindspore").rglob("*_ascend_ms")),
        "MindInsight": sorted((SAMPLES / "mindinsight").rglob("resource/profiler")),
        "Kineto": [
            *sorted((SAMPLES / "att_tb_plugin_samples").rglob("*.pt.trace.json.gz")),
            *sorted((SAMPLES / "HolisticTraceAnalysis/tests/data").rglob("*kineto.json.gz")),
            *sorted((SAMPLES / "HolisticTraceAnalysis/tests/data").rglob("*.pt.trace.json.gz")),
        ],
    }
    return {form: paths for form, paths in found.items() if paths}


def has_msprof_analyze(folder: Path) -> bool:
    """Whether the peer is there; installs it into a folder when no other one is named."""
    chosen = os.environ.get("MSPROF_ANALYZE", "")
    if chosen:
        return chosen != "no"
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "pip"), "install", "-q", "msprof-analyze==26.2.0"]
    if subprocess.run(pip, check=False, capture_output=True).returncode:
        print("msprof-analyze could not be installed")
        return False
    os.environ["MSPROF_ANALYZE"] = str(folder / "bin" / "msprof-analyze")
    return True


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        table, record = folder / "kernel_details.csv", folder / "memory_record.csv"
        for path, make, size in (
            (table, make_kernels, megabytes),
            (record, make_memory, megabytes * 65 // 100),
        ):
            if not path.exists() or abs(path.stat().st_size - size * 10**6) > size * 10**5:
                make(path, size)
        if engine.has_compiler() and not engine.is_warm():
            make_kernels_warm()  # as the program does in the background
        print(f"{'':74}{'wall':>10}{'processor':>10}{'peak':>10}")
        print(f"{table.name}, {table.stat().st_size // 10**6:,} MB")
        for work in (
            first_rows,
            perf_views.first_operators,
            kernels,
            by_type,
            steps,
            perf_views.all_operators,
        ):
            measure(work, table)
        for work in (with_pandas, type_of_operators_with_pandas):
            measure(work, table, ours=False)
        if has_msprof_analyze(Path(temporary) / "peer"):
            measure(with_msprof_analyze, table, ours=False)
        print(f"{record.name}, {record.stat().st_size // 10**6:,} MB")
        for work in (first_records, perf_views.first_memory, memory, perf_views.all_memory):
            measure(work, record)
        measure(with_pandas, record, ours=False)
    open_samples()


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
