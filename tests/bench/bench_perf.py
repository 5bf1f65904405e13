"""Print how fast and how small profiles are read: `python tests/bench/bench_perf.py [MB] [FOLDER]`.

Makes a kernel_details.csv and a memory_record.csv of the wanted size (default 200 MB each) in a
temporary folder (or in FOLDER, where they are kept), reads them in a process of their own, and
prints the time of the first rows, of everything, and the peak of resident memory; beside them what
pandas needs. With the reference data beside the checkout it also times every view of its samples.
"""

from __future__ import annotations

import multiprocessing
import resource as system
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = ROOT.parent / "shared" / "data" / "profiling"
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
        while file.tell() < megabytes << 20:
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
    """Write a memory record of about a size; returns its rows."""
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(
            "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
            "Stream Ptr,Device Type\n"
        )
        while file.tell() < megabytes << 20:
            file.write(
                "".join(
                    f"PTA,{1_764_246_877_000_000 + number}.{number % 1000:03}\t,"
                    f"{4304.5 + number % 5000},10372.0,{4304.5 + number % 5000},2,NPU:0\n"
                    for number in range(rows, rows + 20000)
                )
            )
            rows += 20000
    return rows


# -- what is measured -----------------------------------------------------------------------------
def first_rows(path: Path) -> str:
    """The first part of a kernel table."""
    from studio.formats.ascend_csv import open_table
    from studio.formats.ascend_layouts import KERNELS
    from studio.formats.faults import FaultLog

    part = next(iter(open_table(path, KERNELS, FaultLog()).parts()))
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
    """What pandas needs to read the same table, without exact times."""
    import pandas as pd

    return f"{len(pd.read_csv(path, low_memory=False)):,} rows"


def views(folder: Path) -> str:
    """Every engine on one profile."""
    from studio.perf.load import load_profile
    from studio.perf.overview import overview

    return f"{len(overview(load_profile(folder)).operators)} operators"


def measure(work: Callable[[Path], str], path: Path) -> None:
    """Run in a process of its own and print seconds, peak memory and what came out."""
    queue: multiprocessing.Queue[tuple[float, float, str]] = multiprocessing.Queue()
    process = multiprocessing.Process(target=_timed, args=(work, path, queue))
    process.start()
    seconds, megabytes, result = queue.get()
    process.join()
    title = (work.__doc__ or work.__name__).partition(".")[0]
    print(f"{title:58}{seconds:8.2f} s{megabytes:8.0f} MB  {result}")


def _timed(
    work: Callable[[Path], str], path: Path, queue: multiprocessing.Queue[tuple[float, float, str]]
) -> None:
    begin = time.perf_counter()
    result = work(path)
    seconds = time.perf_counter() - begin
    queue.put((seconds, system.getrusage(system.RUSAGE_SELF).ru_maxrss / 1024, result))


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        table, record = folder / "kernel_details.csv", folder / "memory_record.csv"
        for path, make in ((table, make_kernels), (record, make_memory)):
            if not path.exists():
                print(
                    f"{path.name}: {make(path, megabytes):,} rows, {path.stat().st_size >> 20} MB"
                )
        for work in (first_rows, kernels, by_type, steps, with_pandas):
            measure(work, table)
        for work in (memory, with_pandas):
            measure(work, record)
    for name in VIEWS:
        if (SAMPLES / name).exists():
            print(name)
            measure(views, SAMPLES / name)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
