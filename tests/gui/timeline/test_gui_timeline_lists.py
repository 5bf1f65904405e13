"""Lists of slices, and what is taken out of a timeline: parts of the trace, pictures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui
US = 1000
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


# -- areas ----------------------------------------------------------------------------------------
def test_hits_of_a_search_are_listed_and_lead_to_slices(hand: Any) -> None:
    panel = hand.panel("slices")
    assert panel.empty.isVisible()
    hand.pane.search.look_for("matmul", exact=False)
    hand.settle()
    assert panel.heading.text() == "Slices found by “matmul”  ·  2 slices"
    starts = [panel.table.model.values[1].raw(row) for row in range(2)]
    assert starts == [350 * US, 500 * US]
    panel.table.select_row(1)
    hand.settle()
    assert hand.state.selected == hand.index("MatMul", 1)
    assert panel.table.model.total() == 2


def test_slices_of_an_area_are_listed_and_keep_it(hand: Any) -> None:
    panel = hand.panel("slices")
    hand.select_streams()
    assert panel.table.model.total() == 3
    panel.table.select_row(0)
    hand.settle()
    assert hand.state.range == (1350 * US, 1550 * US)
    assert hand.state.selected == hand.index("MatMul")
    assert panel.table.model.total() == 3


def test_slices_of_one_name_are_listed(hand: Any) -> None:
    hand.click(hand.middle("MatMul"))
    hand.window.app.commands.run("timeline.list_slices")
    panel = hand.panel("slices")
    assert panel.heading.text() == "Slices named MatMul  ·  2 slices"


def test_a_closed_timeline_leaves_no_list(hand: Any) -> None:
    panel = hand.panel("slices")
    hand.select_streams()
    hand.window.centre.close_page(hand.window.centre.page_of(hand.view))
    wait_idle(hand.window)
    assert panel.empty.isVisible()


def test_another_timeline_with_the_same_name_and_times_is_listed_anew(
    open_trace: Any, tmp_path: Path
) -> None:
    hands = []
    for number, starts in enumerate(((5, 1, 9), (9, 1, 5))):
        path = tmp_path / f"{number}.json"
        events = [
            {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": 1}
            for name, start in zip(("m", "x", "y"), starts, strict=True)
        ]
        path.write_text(json.dumps(events))
        hands.append(open_trace(path))
    first, second = hands
    second.state.select(second.index("m"))
    first.window.centre.activate(first.window.centre.page_of(first.view))
    first.state.select(first.index("m"))
    panel = first.panel("slices")
    assert panel.heading.text() == "Slices named m  ·  1 slice"
    assert panel.table.model.values[1].raw(0) == 4 * US  # from the begin of the first slice
    first.window.show_panel("timeline.details")
    second.window.centre.activate(second.window.centre.page_of(second.view))
    panel = second.panel("slices")
    assert panel.table.model.values[1].raw(0) == 8 * US
    panel.table.select_row(0)
    second.settle()
    assert second.state.selected == second.index("m")


# -- taking it along ------------------------------------------------------------------------------
def test_the_selected_part_is_exported(
    hand: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("part.json", "part.csv"):
        answer = (str(tmp_path / name), "")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, answer=answer: answer)
        hand.select_streams()
        hand.window.app.commands.run("timeline.export_slices")
        hand.settle()
    events = json.loads((tmp_path / "part.json").read_text())["traceEvents"]
    names = [e["name"] for e in events if e["ph"] == "X"]
    assert names == ["MatMul", "MatMul", "Cast"]
    assert len((tmp_path / "part.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture_is_saved(
    hand: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    answer = (str(tmp_path / f"picture.{ending}"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: answer)
    hand.window.app.commands.run("timeline.save_picture")
    data = (tmp_path / f"picture.{ending}").read_bytes()
    if ending == "png":
        assert data.startswith(b"\x89PNG")
        return
    text = data.decode()
    assert "MatMul" in text
    assert "Ascend Hardware" in text
    assert "<image" not in text.split("MatMul")[0][-2000:]


def test_a_picture_with_odd_names_is_xml_all_the_same(
    open_trace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XML knows neither control characters nor half characters, which names may have."""
    odd = ["a\x01<&>", "half \ud800 one", "\x00", "not \ufffe\uffff", "two\nlines", "算子"]
    trace = tmp_path / "odd.json"
    events = [
        {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 10 * number, "dur": 9}
        for number, name in enumerate(odd)
    ]
    head = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p\x1b"}}
    trace.write_text(json.dumps([head, *events]))
    hand = open_trace(trace)
    answer = (str(tmp_path / "picture.svg"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: answer)
    hand.window.app.commands.run("timeline.save_picture")
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a<&>", "算子"} <= {text.strip() for text in texts}
    assert any(text.startswith("half ") for text in texts)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_that_cannot_be_saved_is_told(
    hand: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    answer = (str(tmp_path / "gone" / f"picture.{ending}"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: answer)
    hand.window.actions_.run("timeline.save_picture")
    assert "No such file or directory" in hand.window.notices.shown[-1].message


# -- by keys alone --------------------------------------------------------------------------------
def test_rows_of_the_list_are_summed_up(hand: Any) -> None:
    panel = hand.panel("slices")
    hand.select_streams()
    panel.table.view.selectAll()
    assert "3 selected, 350 µs together" in panel.heading.text()
