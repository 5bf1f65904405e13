"""The compiled reader of CSV tables gives the same as the portable one."""

import csv
import io

import numpy as np
import pytest

from studio.formats import ascend_layouts as layouts
from studio.formats.ascend_csv import Field, open_table
from studio.formats.engine import CHOICE, has_compiler
from studio.formats.faults import FaultLog

pytestmark = pytest.mark.skipif(not has_compiler(), reason="numba is not installed")

LAYOUT = {
    "name": Field(("name",)),
    "time": Field(("time",), "time", "us"),
    "long": Field(("long",), "time", "ms"),
    "count": Field(("count",), "whole", none=4294967295),
    "size": Field(("size",), "size", "kb"),
    "part": Field(("part",), "share"),
}
HEADER = "Name,Time(us),Long(ms),Count,Size(KB),Part(%)"


def read(path, monkeypatch, choice, layout=LAYOUT):
    monkeypatch.setenv(CHOICE, choice)
    faults = FaultLog()
    table = open_table(path, layout, faults)
    parts = list(table.parts())
    found = {}
    for column, spec in layout.items():
        if column not in table.columns:
            continue
        values = np.concatenate([part.values[column] for part in parts]).tolist() if parts else []
        if spec.kind == "text":
            known = [*table.texts[column].texts, None]
            values = [known[value] for value in values]
        states = np.concatenate([p.states[column] for p in parts]).tolist() if parts else []
        found[column] = [(repr(value), state) for value, state in zip(values, states, strict=True)]
    return found, sorted((fault.kind, fault.count, fault.first) for fault in faults.faults())


def assert_same(path, monkeypatch, layout=LAYOUT):
    compiled = read(path, monkeypatch, "compiled", layout)
    portable = read(path, monkeypatch, "portable", layout)
    assert compiled == portable
    return compiled


CELLS = {
    "name": [
        "add", '"a,b"', '"""4,8;8,16"""', '"say ""hi"" now"', '"two\nlines"', "", "N/A", " x ", "é",
        '"tab\t"', "na", "-", "null",
    ],
    "time": [
        "1736412474730135.222", '"1736412474730135.222\t"', "1736412474730135.222\t", "0", "12",
        ".5", "-3.0005", "1.23456", "1.0005", "1.73641E+15", "", "N/A", "abc", "1e3",
        "99999999999999999",
        "9223372036854775.807", "+4", "0.0004999", "007",
    ],
    "long": ["1.000001", "2", "", "-0.0000005", "1e-3", "12.5"],
    "count": ["1", "-7", "4294967295", "", "N/A", "3.0", "3.5", "x", "99999999999999999999", " 5 "],
    "size": [
        "1.5", "-2.25", "0.1", "", "1e2", "inf", "nan", "123456789012345.6", "0.000000000000001",
    ],
    "part": ["50", "12.5", "", "N/A", "99.999", "-1"],
}  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_random_tables_of_odd_cells(tmp_path, monkeypatch, seed, ending):
    random = np.random.default_rng(seed)
    lines = [HEADER]
    for _ in range(200):
        cells = [str(random.choice(np.array(values, object))) for values in CELLS.values()]
        kind = random.integers(0, 30)
        if kind == 0:
            cells = cells[:-1]
        elif kind == 1:
            cells = [""]
        elif kind == 2:
            cells.append("more")
        lines.append(",".join(cells))
    path = tmp_path / "t.csv"
    path.write_bytes((ending.join(lines) + (ending if seed % 2 else "")).encode())
    (found, faults) = assert_same(path, monkeypatch)
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    good = [row for row in rows[1:] if len(row) == 6]
    assert len(found["name"]) == len(good)
    assert faults


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gbk", "utf-16"])
def test_encodings(tmp_path, monkeypatch, encoding):
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\n算子,1.5,2,3,4,5\n\n乘,2.5,,,,\n", encoding=encoding)
    found, faults = assert_same(path, monkeypatch)
    assert [text for text, _ in found["name"]] == ["'算子'", "'乘'"]
    assert faults == []


def test_semicolons_have_decimal_commas(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text(HEADER.replace(",", ";") + "\na;1,25;2,5;3;4,5;50,5\nb;1,2,3;;;;\n")
    found, faults = assert_same(path, monkeypatch)
    assert found["time"][0] == ("1250", 0)
    assert [kind for kind, *_ in faults] == ["cell is not a number"]


def test_many_pieces_of_many_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("studio.formats.csv_scan._PIECE", 1000)
    monkeypatch.setattr("studio.formats.ascend_csv.ROWS", 77)
    path = tmp_path / "t.csv"
    rows = [f'n{n % 50},{n}.125,{n},{n},{n},"{n}\n"' for n in range(3000)]
    path.write_text("\n".join([HEADER, *rows]))
    found, faults = assert_same(path, monkeypatch)
    assert [text for text, _ in found["time"]] == [str(n * 1000 + 125) for n in range(3000)]
    assert faults == []


def test_quotes_that_are_never_closed(tmp_path, monkeypatch):
    monkeypatch.setattr("studio.formats.csv_scan._LARGEST_ROW", 2000)
    monkeypatch.setattr("studio.formats.csv_scan._PIECE", 500)
    path = tmp_path / "t.csv"
    path.write_text("\n".join([HEADER, "a,1,1,1,1,1", '"open,1,1', *["b,2,2,2,2,2"] * 900]))
    found, faults = read(path, monkeypatch, "compiled")
    assert len(found["name"]) == 901
    assert faults == [("unreadable row", 1, 3)]


@pytest.mark.parametrize(
    "name", ["utf8.csv", "bom_crlf.csv", "gbk.csv", "reordered_extra.csv", "utf16.csv"]
)
def test_dialects_of_kernel_tables(cases, monkeypatch, name):
    path = cases / "A26-csv-dialects" / "input" / name
    found, faults = assert_same(path, monkeypatch, layouts.KERNELS)
    assert len(found["name"]) == 4
    assert faults == []


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("kernel_details.csv", layouts.KERNELS),
        ("operator_details.csv", layouts.OPERATOR_DETAILS),
        ("operator_memory.csv", layouts.ALLOCATIONS),
        ("memory_record.csv", layouts.MEMORY),
        ("api_statistic.csv", layouts.API_STATISTIC),
    ],
)
def test_real_tables(shared, monkeypatch, name, layout):
    folder = "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    path = shared / folder / "ASCEND_PROFILER_OUTPUT" / name
    found, _ = assert_same(path, monkeypatch, layout)
    assert len(next(iter(found.values()))) > 20


def test_blocks_of_rows_join_where_they_meet(tmp_path, monkeypatch):
    """Columns of numbers are read block by block: odd cells at and around every border."""
    random = np.random.default_rng(11)
    rows = []
    for row in range(3100):
        near_border = row % 1024 in (0, 1, 1023)
        number = f"{row}.{row % 1000:03}"
        plain = (f"n{row % 7}", number, number, str(row), number, str(row % 100))
        odd = tuple(str(random.choice(CELLS[column])) for column in LAYOUT)
        rows.append(odd if near_border else plain)
    text = io.StringIO()
    for row in rows:
        quoted = (cell if cell.startswith('"') else cell.replace(",", " ") for cell in row)
        text.write(",".join(quoted) + "\n")
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\n{text.getvalue()}", encoding="utf-8")
    found, _ = assert_same(path, monkeypatch)
    assert len(found["count"]) == 3100
    for row in (500, 1025 + 1, 2047 - 1, 3099):
        assert found["count"][row] == (repr(row), 0)
        assert found["time"][row][0] == repr(row * 1000 + row % 1000)
