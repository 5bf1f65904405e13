import json

import numpy as np
import pytest

from studio.formats import ascend_layouts as layouts
from studio.formats.ascend_csv import Field, open_table
from studio.formats.cells import NOT_APPLICABLE, VALUE
from studio.formats.faults import FaultLog
from studio.kernel.errors import StudioError

FILES = ("utf8.csv", "bom_crlf.csv", "gbk.csv", "reordered_extra.csv", "utf16.csv")


def read(path, layout=layouts.KERNELS, wanted=None):
    faults = FaultLog()
    table = open_table(path, layout, faults)
    return table, list(table.parts(wanted)), faults.faults()


def texts(table, part, column):
    known = [*table.texts[column].texts, None]
    return [known[code] for code in part.values[column].tolist()]


@pytest.mark.parametrize("name", FILES)
def test_all_dialects_of_a_kernel_table_are_the_same(cases, name):
    case = cases / "A26-csv-dialects"
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    table, parts, faults = read(case / "input" / name)
    assert [heading.text for heading in table.dialect.headings].count("Step Id") == 1
    assert faults == ()
    (part,) = parts
    assert part.rows == expected["rows"]
    assert part.values["start_ns"].tolist() == expected["start_ns"]
    assert texts(table, part, "input_shapes")[0] == expected["shape_row1"]
    assert texts(table, part, "name")[3] == expected["name_row4"]
    found = {}
    for kind, duration in zip(texts(table, part, "type"), part.values["duration_ns"], strict=True):
        count, total = found.get(kind, (0, 0))
        found[kind] = (count + 1, total + int(duration))
    for kind, about in expected["by_type"].items():
        assert found[kind][0] == about["count"]
        assert found[kind][1] == pytest.approx(about["total_us"] * 1000, abs=0.5)
    # N/A is no value, and no blank either
    assert part.states["task"].tolist() == [VALUE, VALUE, NOT_APPLICABLE, VALUE]
    assert texts(table, part, "input_shapes")[2] is None
    assert part.states["input_shapes"].tolist() == [VALUE, VALUE, NOT_APPLICABLE, VALUE]


def test_cells_may_hold_line_breaks(cases):
    path = cases / "A26-csv-dialects" / "input" / "operator_details.csv"
    table, (part,), faults = read(path, layouts.OPERATOR_DETAILS)
    assert part.rows == 2
    assert texts(table, part, "stack") == ["train.py(12): step;\nmodel.py(40): forward", None]
    assert part.values["host_self_ns"].tolist() == [1500, 500]
    assert faults == ()


def test_shifted_rows_and_decimal_commas_are_reported_with_their_line(tmp_path):
    path = tmp_path / "kernel_details.csv"
    path.write_text(
        "Name,Type,Start Time(us),Duration(us)\n"
        "a,Add,1.5,2\n"
        "b,Add,1,5,2\n"
        'c,Add,"1,5",2\n'
        "d,Add\n"
        "\n"
        "e,Add,3.25,4\n",
        encoding="utf-8",
    )
    table, (part,), faults = read(path)
    assert texts(table, part, "name") == ["a", "c", "e"]
    assert part.values["start_ns"].tolist() == [1500, 0, 3250]
    assert [(fault.kind, fault.places) for fault in faults] == [
        ("row of another width", (3, 5)),
        ("cell is not a number", (4,)),
    ]


def test_a_semicolon_table_has_decimal_commas(tmp_path):
    path = tmp_path / "kernel_details.csv"
    path.write_text("Name;Start Time(us);Duration(us)\na;1,5;2,25\n", encoding="utf-8")
    _, (part,), faults = read(path)
    assert part.values["start_ns"].tolist() == [1500]
    assert part.values["duration_ns"].tolist() == [2250]
    assert faults == ()


def test_rows_come_in_parts_and_columns_on_demand(tmp_path):
    path = tmp_path / "kernel_details.csv"
    rows = "".join(f"k{n % 3},{n}.5,1\n" for n in range(40_000))
    path.write_text("Name,Start Time(us),Duration(us)\n" + rows, encoding="utf-8")
    table, parts, _ = read(path, wanted={"name", "start_ns"})
    assert [part.first for part in parts] == [0, 1024, 1024 + 16384, 1024 + 2 * 16384]
    assert set(parts[0].values) == {"name", "start_ns"}
    start = np.concatenate([part.values["start_ns"] for part in parts])
    assert (start == np.arange(40_000) * 1000 + 500).all()
    assert table.texts["name"].texts == ["k0", "k1", "k2"]


def test_a_job_hears_of_the_rows_and_can_stop_them(tmp_path):
    class Job:
        def __init__(self):
            self.reports = []

        def report(self, fraction, message):
            self.reports.append((fraction, message))

        def check(self):
            if len(self.reports) == 2:
                raise KeyboardInterrupt

    path = tmp_path / "op_summary.csv"
    path.write_text("Op Name,Task Start Time(us)\n" + "a,1\n" * 60_000, encoding="utf-8")
    job = Job()
    with pytest.raises(KeyboardInterrupt):
        list(open_table(path, layouts.KERNELS, FaultLog()).parts(job=job))
    assert 0 < job.reports[0][0] < 1
    assert job.reports[0][1] == "1,024 rows"


def test_names_of_older_and_newer_versions_are_the_same_column(tmp_path):
    for number, header in enumerate(("Block Dim,Mix Block Dim", "Block Num,Mix Block Num")):
        path = tmp_path / f"kernel_details_{number}.csv"
        path.write_text(f"Name,{header}\na,40,0\n", encoding="utf-8")
        _, (part,), _ = read(path)
        assert part.values["blocks"].tolist() == [40]


def test_brackets_that_are_part_of_a_name(tmp_path):
    path = tmp_path / "step_trace_time.csv"
    path.write_text(
        "Step,Computing,Communication(Not Overlapped),Overlapped,Communication\n,1,2,3,5\n",
        encoding="utf-8",
    )
    _, (part,), _ = read(path, layouts.STEPS)
    assert part.values["not_overlapped_ns"].tolist() == [2000]
    assert part.values["communication_ns"].tolist() == [5000]
    assert part.states["step"].tolist() == [1]


def test_no_model_is_not_a_number(tmp_path):
    path = tmp_path / "kernel_details.csv"
    path.write_text("Name,Model ID\na,4294967295\nb,3\n", encoding="utf-8")
    _, (part,), _ = read(path)
    assert part.states["model"].tolist() == [NOT_APPLICABLE, VALUE]


def test_counters_are_found_by_pattern_with_their_units(tmp_path):
    path = tmp_path / "kernel_details.csv"
    header = (
        "Name,aicore_time(us),aic_mac_time(us),aic_mac_ratio,cube_utilization(%),aic_l0a_bw(GB/s)"
    )
    path.write_text(f"{header}\na,1.5,0.75,0.5,87.5,2\n", encoding="utf-8")
    dialect = open_table(path, layouts.KERNELS, FaultLog()).dialect
    layout = layouts.counters(dialect)
    _, (part,), _ = read(path, layout)
    assert {name: values.tolist() for name, values in part.values.items()} == {
        "aic_total_ns": [1500.0],
        "aic_mac_ns": [750.0],
        "aic_mac_ratio": [0.5],
        "cube_utilization": [0.875],
        "aic_l0a_bw_rate": [2e9],
    }


def test_another_table_is_refused_by_the_column_it_lacks(tmp_path):
    path = tmp_path / "kernel_details.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(StudioError, match="has no column “name”"):
        open_table(path, layouts.KERNELS, FaultLog(), required=("name",))
    with pytest.raises(StudioError, match="Cannot read"):
        open_table(tmp_path / "missing.csv", layouts.KERNELS, FaultLog())


def test_an_empty_file_has_no_rows(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"")
    table = open_table(path, {"a": Field(("a",))}, FaultLog())
    assert list(table.parts()) == []


def test_times_that_a_spreadsheet_rounded_are_told(tmp_path):
    path = tmp_path / "memory_record.csv"
    path.write_text(
        "Component,Timestamp(us)\nPTA,1.76425E+15\nPTA,1764246877000000.5\nPTA,5\n",
        encoding="utf-8",
    )
    _, (part,), faults = read(path, layouts.MEMORY)
    assert part.values["time_ns"].tolist() == [1764250000000000000, 1764246877000000500, 5000]
    assert [(fault.kind, fault.count, fault.first) for fault in faults] == [
        ("time rounded by a spreadsheet", 1, 2)
    ]
