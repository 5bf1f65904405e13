"""Showing the tables that msprobe wrote, on the command line's side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from plugins.precision.core.results import Shown, is_result, result_facts, show
from studio.kernel import render
from studio.kernel.errors import StudioError
from tests.fixtures.xlsx_writer import plain_rows, sheet, write_xlsx

if TYPE_CHECKING:
    from pathlib import Path

HEADER = ["NPU Name", "Bench Name", "Cosine", "MaxRelativeErr", "Result"]


def _table(path: Path) -> Shown:
    shown = show(path)
    assert isinstance(shown, Shown)
    return shown


def test_a_workbook_says_the_same_as_a_csv_file(tmp_path: Path) -> None:
    rows = [["a.0", "a.0", 0.25, " inf", "error"], ["b.0", "N/A", "unsupported", "50%", "pass"]]
    book = write_xlsx(tmp_path / "c.xlsx", {"Sheet1": sheet(plain_rows([HEADER, *rows]))})
    text = "\n".join(",".join(map(str, row)) for row in [HEADER, *rows])
    csv = tmp_path / "c.csv"
    csv.write_text(text, encoding="utf-8-sig")
    one, two = _table(book), _table(csv)
    assert one.table.rows == two.table.rows == (
        ("a.0", "a.0", 0.25, float("inf"), "error"),
        ("b.0", None, None, 0.5, "pass"),
    )  # fmt: skip
    assert (one.table.sheet, one.table.kind) == ("Sheet1", "compare")
    assert is_result(book)
    assert is_result(csv)
    assert result_facts(csv) == {"table": "compare"}


def test_chinese_headers_become_english_columns(tmp_path: Path) -> None:
    path = tmp_path / "accuracy_checking_details_1.csv"
    path.write_text(
        "API Name,余弦相似度,最大绝对误差,Status\nx,0.99, ,pass\n", encoding="utf-8-sig"
    )
    lines = _table(path).to_csv().splitlines()
    assert lines == ["API Name,Cosine,MaxAbsErr,Status", "x,0.99,,pass"]


def test_nan_is_a_result_and_survives_json(tmp_path: Path) -> None:
    path = tmp_path / "compare_result_1.csv"
    path.write_text("NPU Name,Bench Name,Cosine\na,a,Nan\nb,b,N/A\n")
    found = json.loads(render.to_json(_table(path)))
    assert [row["Cosine"] for row in found["rows"]] == ["nan", None]


def test_a_folder_lists_its_tables_and_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "rank0").mkdir()
    (tmp_path / "rank0" / "grad_reduced_0-0.csv").write_text(
        "vpp_stage,name,step,norm\n0,0.weight,0,1.5\n"
    )
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "x.vis.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    listed = show(tmp_path)
    assert isinstance(listed, list)
    broken = listed.pop(0) if listed[0]["reason"] else listed.pop()
    assert (broken["file"], broken["kind"], broken["rows"]) == ("x.vis.db", "", None)
    assert "Cannot read the database" in str(broken["reason"])
    assert listed == [
        {"file": "rank0/grad_reduced_0-0.csv", "kind": "monitor", "rows": 1, "columns": 4,
         "reason": ""},
    ]  # fmt: skip
    with pytest.raises(StudioError, match=r"x\.vis\.db"):
        show(tmp_path / "x.vis.db")
    with pytest.raises(StudioError, match="does not exist"):
        show(tmp_path / "absent.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudioError, match="holds no tables"):
        show(tmp_path / "empty")


def test_every_real_table_is_known(shared: Path) -> None:
    folder = shared / "data" / "precision"
    listed = show(folder / "monitor")
    assert isinstance(listed, list)
    assert {entry["kind"] for entry in listed} == {"monitor"}
    assert len(listed) == len(list((folder / "monitor").rglob("*.csv")))
    for kind, below, count in (("compare", "compare_output", 12), ("graph", "graph", 3),
                               ("trend", "trend", 2)):  # fmt: skip
        found = show(folder / below)
        assert isinstance(found, list)
        assert [entry["kind"] for entry in found] == [kind] * count
    checks = show(folder / "acc_check")
    assert isinstance(checks, list)
    assert sorted({str(entry["kind"]) for entry in checks}) == ["check details", "check result"]
    assert all(entry["reason"] == "" for entry in checks)
