"""Reading workbooks within limits."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.formats import xlsx
from studio.formats.xlsx import read_sheets
from studio.kernel.errors import StudioError
from tests.fixtures.xlsx_writer import plain_rows, sheet, write_xlsx

if TYPE_CHECKING:
    from pathlib import Path

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def test_numbers_texts_and_gaps(tmp_path: Path) -> None:
    rows = plain_rows([["a", None, 0.1, True], [None, "<b> & 中文", -7]])
    path = write_xlsx(tmp_path / "x.xlsx", {"One": sheet(rows), "Two": sheet([])})
    assert read_sheets(path) == {
        "One": [["a", "", "0.1", "True"], ["", "<b> & 中文", "-7"]],
        "Two": [],
    }


def test_shared_texts_leave_readings_aloud_out(tmp_path: Path) -> None:
    texts = (
        f"<sst {_MAIN}><si><t>plain</t></si>"
        "<si><r><t>in </t></r><r><t>pieces</t></r><rPh><t>ko-e</t></rPh></si></sst>"
    )
    rows = ['<row><c t="s"><v>1</v></c><c t="s"><v>0</v></c><c t="s"><v>9</v></c></row>']
    extra = {"xl/sharedStrings.xml": texts}
    path = write_xlsx(tmp_path / "x.xlsx", {"S": sheet(rows)}, extra)
    assert read_sheets(path) == {"S": [["in pieces", "plain", ""]]}


def test_results_of_formulas_and_prefixed_names(tmp_path: Path) -> None:
    text = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<x:sheetData><x:row r="1"><x:c r="C1" t="str"><x:f>"a"&amp;"b"</x:f><x:v>ab</x:v></x:c>'
        "</x:row></x:sheetData></x:worksheet>"
    )
    path = write_xlsx(tmp_path / "x.xlsx", {"S": text})
    assert read_sheets(path) == {"S": [["", "", "ab"]]}


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        f"<worksheet {_MAIN}><sheetData><row><c t='str'><v>&b;</v></c></row></sheetData>"
        "</worksheet>"
    )
    path = write_xlsx(tmp_path / "x.xlsx", {"S": bomb})
    with pytest.raises(StudioError, match="document type"):
        read_sheets(path)


def test_a_member_that_unpacks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_PART_LIMIT", 1 << 20)
    path = write_xlsx(tmp_path / "x.xlsx", {"S": sheet([" " * (64 << 20)])})
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(StudioError, match="unpacks to too much"):
        read_sheets(path)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_far_columns_count_as_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_CELL_LIMIT", 100_000)
    rows = [f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 20)]
    path = write_xlsx(tmp_path / "x.xlsx", {"S": sheet(rows)})
    with pytest.raises(StudioError, match="more than 100000 cells"):
        read_sheets(path)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"xl/worksheets/sheet1.xml": "<worksheet><sheetData><row>"}, "damaged in .*sheet1.xml"),
        ({"xl/workbook.xml": b"\x00\xff"}, "damaged in xl/workbook.xml"),
    ],
)
def test_damage_is_named(tmp_path: Path, extra: dict[str, str | bytes], words: str) -> None:
    path = write_xlsx(tmp_path / "x.xlsx", {"S": sheet([])}, extra)
    with pytest.raises(StudioError, match=words):
        read_sheets(path)


def test_what_is_no_workbook(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(StudioError, match=r"x\.xlsx is no workbook"):
        read_sheets(path)
    with pytest.raises(StudioError, match=r"absent\.xlsx"):
        read_sheets(tmp_path / "absent.xlsx")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_random_damage_is_told(tmp_path: Path, data: st.DataObject) -> None:
    path = write_xlsx(tmp_path / "whole.xlsx", {"S": sheet(plain_rows([["a", 1.5], ["b", 2]]))})
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(len(content) // 2, len(content))) :]
    damaged = tmp_path / "damaged.xlsx"
    damaged.write_bytes(content)
    try:
        sheets = read_sheets(damaged)
    except StudioError:
        return
    assert all(isinstance(cell, str) for rows in sheets.values() for row in rows for cell in row)
