"""Tables as large as those that users complain of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
    """Write a kernel_details.csv of about a size; returns its rows."""
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
