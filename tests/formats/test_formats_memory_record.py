import gzip
import json

import pandas as pd
import pytest

from plugins.memory.core import is_memory_record
from studio.formats.csv_dialect import sniff
from studio.formats.kineto_memory import read_kineto_memory
from studio.kernel.errors import StudioError
from studio.perf.load import load_profile

SMALL = """Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type
APP,1695115378653323.5\t,,11224.375,NPU:0
PTA,1695115378654323.125\t,4599.5,8664.0,NPU:0
GE,1695115378654823.0\t,0.25,242.0,NPU:0
"""
COLUMNS = [
    "component",
    "time_ns",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "stream",
    "device",
]


def memory_of(path):
    profile = load_profile(path)
    return profile.table("memory"), profile.faults().get("memory", ())


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [
        ("utf-8", ","),
        ("utf-8-sig", ","),
        ("utf-16", ","),
        ("gb18030", ","),
        ("utf-8", ";"),
        ("utf-8", "\t"),
    ],
)
def test_all_dialects_give_the_same_exact_table(tmp_path, encoding, delimiter):
    text = SMALL.replace("\t", "").replace(",", delimiter)
    if delimiter == ";":
        text = text.replace("4599.5", "4599,5")
    frame, faults = memory_of(write(tmp_path / "memory_record.csv", text, encoding))
    assert frame.columns.tolist() == COLUMNS
    assert frame["component"].tolist() == ["APP", "PTA", "GE"]
    assert frame["time_ns"].tolist() == [
        1695115378653323500,
        1695115378654323125,
        1695115378654823000,
    ]
    assert frame["allocated_bytes"].tolist() == [pd.NA, 4599 * 2**20 + 2**19, 2**18]
    assert frame["reserved_bytes"].tolist() == [11769610240, 8664 * 2**20, 242 * 2**20]
    assert frame["active_bytes"].isna().all()
    assert frame["device"].tolist() == ["NPU:0"] * 3
    assert faults == ()


def test_cells_that_end_with_a_tab(tmp_path):
    frame, _ = memory_of(write(tmp_path / "memory_record.csv", SMALL))
    assert frame["time_ns"].tolist()[1] == 1695115378654323125
    assert frame["time_ns"].dtype == "int64"


def test_columns_are_found_by_name_and_units_are_read(tmp_path):
    text = (
        "Device_id,Total Reserve Memory(KB),Component,Timestamp(ns),New Column\n"
        "3,2048,PTA,1695115378654323125,x\n"
    )
    frame, _ = memory_of(write(tmp_path / "memory_record_1.csv", text))
    assert frame["time_ns"].tolist() == [1695115378654323125]
    assert frame["reserved_bytes"].tolist() == [2 << 20]
    assert frame["device"].tolist() == ["3"]
    assert frame["allocated_bytes"].isna().all()


def test_bad_rows_are_counted_with_their_number(tmp_path):
    rows = (
        "PTA,,1,2,NPU:0",
        "PTA,soon,1,2,NPU:0",
        "PTA,5,many,2,NPU:0",
        "PTA,6",
        "PTA,1.69512E+15,1,2,NPU:0",
    )
    text = SMALL + "\n".join(rows)
    frame, faults = memory_of(write(tmp_path / "memory_record.csv", text))
    assert {(fault.kind, fault.count, fault.first) for fault in faults} == {
        ("row without time", 2, None),
        ("cell is not a number", 2, 6),  # a time and a size
        ("row of another width", 1, 8),
        ("time rounded by a spreadsheet", 1, 9),
    }
    assert frame["time_ns"].tolist()[3:] == [5000, 1695120000000000000]
    assert frame["allocated_bytes"].tolist()[3:] == [pd.NA, 2**20]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "Component,Timestamp(us)\nPTA,1\n"])
def test_another_table_is_none(tmp_path, text):
    assert not is_memory_record(write(tmp_path / "x.csv", text))


def test_a_header_alone_is_an_empty_table(tmp_path):
    frame, _ = memory_of(write(tmp_path / "memory_record.csv", SMALL.splitlines()[0]))
    assert len(frame) == 0
    assert frame.columns.tolist() == COLUMNS


def test_the_dialect_names_columns_without_units(tmp_path):
    dialect = sniff(write(tmp_path / "x.csv", "Step Id,Start Time(us),名称（us）\n"))
    assert [(heading.name, heading.unit) for heading in dialect.headings] == [
        ("step id", ""),
        ("start time", "us"),
        ("名称", "us"),
    ]


def memory_event(time, size, device=0, kind=1, **more):
    args = {"Device Type": kind, "Device Id": device, "Bytes": size, **more}
    return {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": time, "args": args}


def test_kineto_events_with_totals(tmp_path):
    path = tmp_path / "t.pt.trace.json.gz"
    events = [
        memory_event(5.5, 512, **{"Total Allocated": 1536, "Total Reserved": 4096}),
        memory_event(2.25, 1024, **{"Total Allocated": 1024, "Total Reserved": 2048}),
        memory_event(3, 8, -1, 0, **{"Total Allocated": 8, "Total Reserved": 0}),
        {"ph": "i", "name": "other", "ts": 1, "pid": 1, "tid": 1},
    ]
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    record = read_kineto_memory(path)
    assert record.frame["time_ns"].tolist() == [2250, 3000, 5500]
    assert record.frame["allocated_bytes"].tolist() == [1024, 8, 1536]
    assert record.frame["reserved_bytes"].tolist() == [2048, 0, 4096]
    assert record.frame["device"].tolist() == ["CUDA:0", "CPU", "CUDA:0"]
    assert record.faults == ()


def test_kineto_events_without_totals_are_summed_up_and_said_so(tmp_path):
    path = tmp_path / "t.pt.trace.json"
    events = [memory_event(1, 100), memory_event(2, 7, 1), memory_event(3, -40)]
    path.write_text(json.dumps(events))
    record = read_kineto_memory(path)
    assert record.frame["allocated_bytes"].tolist() == [100, 7, 60]
    assert [(fault.kind, fault.count) for fault in record.faults] == [
        ("counted from the first event", 3)
    ]


def test_a_trace_without_memory_says_what_to_do(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"ph": "X", "name": "a", "ts": 1, "dur": 1}]')
    with pytest.raises(StudioError, match="profile_memory=True"):
        read_kineto_memory(path)


def test_the_peak_of_the_real_level2_profile(shared):
    base = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    frame, _ = memory_of(base / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv")
    assert frame["component"].value_counts().to_dict() == {
        "PTA+GE": 495,
        "PTA": 381,
        "GE": 114,
        "APP": 13,
    }
    app = frame[frame["component"] == "APP"]
    assert app["allocated_bytes"].isna().all()
    assert int(app["time_ns"].iloc[0]) == 1736412474607990240
    assert int(app["reserved_bytes"].iloc[0]) == round(2109.6015625 * 2**20)
