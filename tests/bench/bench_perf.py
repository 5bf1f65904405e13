"""Print how fast and how small profiles are read: `python tests/bench/bench_perf.py [MB] [FOLDER]`.

Makes a kernel_details.csv of the wanted size (default 200 MB; 2000 is what users complain of) and a
memory_record.csv of 65 % of it in a temporary folder (or in FOLDER, where they are kept), reads
each in a process of its own, and prints wall and processor time and the peak of resident memory:
of the first rows, of everything, and beside that of pandas and of msprof-analyze 26.2.0, which is
installed into a temporary environment (or one named by MSPROF_ANALYZE, a path of its command; "no"
leaves it out). With the reference data beside the checkout it also times every view of its samples.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource as system
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from studio.formats import engine  # noqa: E402
from studio.trace.warm import warm as make_kernels_warm  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

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

VIEWS = (
    "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt",
    "msinsight/test/data/pytorch/db/level2/rank0_ascend_pt",
    "msinsight/test/st/level2/rank_0_ascend_pt",
)


def counters(core: str, *units: str) -> list[str]:
    """The counters of one kind of core, as PipeUtilization has them."""
    return [f"{core}_{unit}_{kind}" for unit in units for kind in ("time(us)", "ratio")]


COUNTERS = (
    "aicore_time(us)",
    "aic_total_cycles",
    *counters("aic", "mac", "scalar", "mte1", "mte2"),
    "aiv_time(us)",
    "aiv_total_cycles",
    *counters("aiv", "vec", "scalar", "mte2", "mte3"),
    "cube_utilization(%)",
)


def make_kernels(path: Path, megabytes: int) -> int:
    """Write a kernel table of about a size; returns its rows."""
    header = (
        "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
        "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,"
        "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
        "Output Formats,Context ID"
    )
    kinds = ("MatMulV3", "Add", "RmsNorm", "Mul", "Cast", "FlashAttentionScore", "TransData")
    numbers = ",".join("12.345,123456,1.234,0.123"[:6] for _ in COUNTERS)
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{header},{','.join(COUNTERS)}\n")
        while file.tell() < megabytes * 10**6:
            lines = []
            for number in range(rows, rows + 5000):
                kind = kinds[number % 7]
                start = f"{1_764_246_877_000_000 + number * 12}.{number % 1000:03}\t"
                sent = number % 500 == 0
                name = f"hcom_allReduce__612_{number // 500}_1" if sent else f"aclnn{kind}_{kind}"
                core = "COMMUNICATION" if sent else "AI_CORE"
                last = "4096,1024" if number % 3 else "4096,4096"
                shape = f'"""4096,1024;{last}"""'
                lines.append(
                    f"{number // 40000},0,4294967295,{number},2,{name},{kind},dynamic,{core},"
                    f"{start},10.125,1.5,20,0,NO,{shape},DT_BF16;DT_BF16,ND;ND,"
                    f'"""4096,4096""",DT_BF16,ND,N/A,{numbers}'
                )
            file.write("\n".join(lines) + "\n")
            rows += 5000
    return rows


def make_memory(path: Path, megabytes: int) -> int:
    """Write a memory record of about a size; returns its rows.

    Two pools take turns, and now and then the whole process was sampled, as in real ones.
    """
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(
            "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
            "Stream Ptr,Device Type\n"
        )
        while file.tell() < megabytes * 10**6:
            file.write("".join(_record(number) for number in range(rows, rows + 20000)))
            rows += 20000
    return rows


def _record(number: int) -> str:
    time = f"{1_764_246_877_000_000 + number}.{number % 1000:03}\t"
    if number % 1000 == 999:
        return f"APP,{time},,11925.016,,,NPU:0\n"
    pool, held = ("PTA", "PTA+GE")[number % 2], 4304.5 + number % 5000
    return f"{pool},{time},{held},10372.0,{held},2,NPU:0\n"


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


def views(folder: Path) -> str:
    """Every engine on one profile."""
    from studio.perf.load import load_profile
    from studio.perf.overview import overview

    return f"{len(overview(load_profile(folder)).operators)} operators"


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
        link.symlink_to(path)
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [command, "advisor", "computation", "-d", str(folder), "-o", results],
            capture_output=True,
            text=True,
            check=False,
        )
    last = (done.stdout + done.stderr).strip().splitlines()[-1:]
    return f"exit {done.returncode}: {''.join(last)[:80]}"


def warm() -> None:
    """Make the machine code, as the program does in the background."""
    if engine.has_compiler() and not engine.is_warm():
        make_kernels_warm()


def measure(work: Callable[[Path], str], path: Path) -> None:
    """Run in a process of its own and print seconds, peak memory and what came out."""
    queue: multiprocessing.Queue[tuple[float, float, float, str]] = multiprocessing.Queue()
    process = multiprocessing.Process(target=_timed, args=(work, path, queue))
    process.start()
    wall, used, megabytes, result = queue.get()
    process.join()
    title = (work.__doc__ or work.__name__).partition(".")[0]
    print(f"{title:66}{wall:8.2f} s{used:8.2f} s{megabytes:7.0f} MB  {result}", flush=True)


def _timed(
    work: Callable[[Path], str],
    path: Path,
    queue: multiprocessing.Queue[tuple[float, float, float, str]],
) -> None:
    begin = time.perf_counter()
    result = work(path)
    wall = time.perf_counter() - begin
    both = [system.getrusage(who) for who in (system.RUSAGE_SELF, system.RUSAGE_CHILDREN)]
    used = sum(usage.ru_utime + usage.ru_stime for usage in both)
    queue.put((wall, used, max(usage.ru_maxrss for usage in both) / 1024, result))


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
        table, record = folder / "kernel_details.csv", folder / "memory_record.csv"
        for path, make, size in (
            (table, make_kernels, megabytes),
            (record, make_memory, megabytes * 65 // 100),
        ):
            if not path.exists():
                make(path, size)
        warm()
        print(f"{'':66}{'wall':>10}{'processor':>10}{'peak':>10}")
        print(f"{table.name}, {table.stat().st_size // 10**6:,} MB")
        for work in (first_rows, kernels, by_type, steps):
            measure(work, table)
        for work in (with_pandas, type_of_operators_with_pandas):
            measure(work, table)
        if has_msprof_analyze(Path(temporary) / "peer"):
            measure(with_msprof_analyze, table)
        print(f"{record.name}, {record.stat().st_size // 10**6:,} MB")
        for work in (first_records, memory, with_pandas):
            measure(work, record)
    for name in VIEWS:
        if (SAMPLES / name).exists():
            print(name)
            measure(views, SAMPLES / name)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
