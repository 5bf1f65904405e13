"""Search modes, colours, the legend as a filter, and flows by category, in the real window."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest

from plugins.timeline.ui.quicknames import fitting
from studio.ui.quickopen import QuickOpen
from studio.ui.text import thousands

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui


def hits(hand: Any) -> list[str]:
    trace = hand.view.scene.trace
    found = hand.state.hits
    return [] if found is None else [trace.names[i] for i in trace.name[found.by_time].tolist()]


def type_in(hand: Any, text: str) -> None:
    hand.key(Qt.Key.Key_Slash)
    hand.pane.search.field.clear()
    QTest.keyClicks(hand.pane.search.field, text)
    hand.settle()


def test_case_and_whole_words(hand: Any) -> None:
    type_in(hand, "add")
    assert hits(hand) == ["aten::add", "Add"]
    hand.pane.search.modes["case"].click()
    hand.settle()
    assert hits(hand) == ["aten::add"]
    hand.pane.search.modes["case"].click()
    hand.pane.search.modes["word"].click()
    type_in(hand, "mat")
    assert hits(hand) == []
    assert hand.pane.search.count.text() == "nothing found"


def test_regular_expressions_and_their_mistakes(hand: Any) -> None:
    hand.pane.search.modes["regex"].click()
    type_in(hand, "^(MatMul|Cast)$")
    assert hits(hand) == ["MatMul", "Cast", "MatMul"]
    type_in(hand, "(")
    assert hand.state.hits is None
    assert "no expression" in hand.pane.search.count.text()


def test_search_modes_come_back(hand: Any, open_trace: Any) -> None:
    hand.pane.search.modes["regex"].click()
    type_in(hand, "^Mat")
    state = json.loads(json.dumps(hand.view.save_state()))
    hand.window.centre.close_page(hand.window.centre.page_of(hand.view))
    again = open_trace()
    again.view.restore_state(state)
    again.settle()
    assert hits(again) == ["MatMul", "MatMul"]


# -- colours --------------------------------------------------------------------------------------
def place(hand: Any, name: str) -> QPoint:
    return hand.middle(name) + QPoint(12, -6)


def test_colouring_changes_slices_and_legend(hand: Any) -> None:
    before = hand.picture().pixel(place(hand, "Cast"))
    hand.pane.switches["colour name"].trigger()
    hand.settle()
    assert hand.picture().pixel(place(hand, "Cast")) != before
    assert next(entry.title for entry in hand.view.scene.legend) == "ProfilerStep#5"
    assert hand.pane.switches["colour name"].isChecked()
    hand.pane.colour_by("kind")
    assert hand.picture().pixel(place(hand, "Cast")) == before


def test_the_legend_shows_one_entry_only(hand: Any) -> None:
    plain = hand.picture()
    computing, communication = place(hand, "Cast"), place(hand, "hcom_allReduce_")
    hand.pane.legend.show_only("communication")
    only = hand.picture()
    assert only.pixel(communication) == plain.pixel(communication)
    assert only.pixel(computing) != plain.pixel(computing)
    hand.pane.legend.show_all()
    assert hand.picture() == plain


def test_hits_stay_lit_when_colours_change(hand: Any) -> None:
    type_in(hand, "cast")
    dimmed = hand.picture().pixel(place(hand, "hcom_allReduce_"))
    hand.pane.colour_by("category")
    assert hits(hand) == ["Cast"]
    slot = int(hand.view.scene.rows.slot[hand.index("Cast")])
    assert hand.picture().pixel(place(hand, "Cast")) == hand.view.colour_of(slot).rgb()
    assert hand.picture().pixel(place(hand, "hcom_allReduce_")) != dimmed or dimmed


# -- flows ----------------------------------------------------------------------------------------
def test_flows_are_switched_by_category(hand: Any) -> None:
    bare = hand.picture()
    hand.window.app.commands.run("timeline.flows")
    both = hand.picture()
    assert both != bare
    assert "2 flows in view" in hand.pane.counts.text()
    hand.state.show_flow_category("fwdbwd", False)
    assert "1 flow in view" in hand.pane.counts.text()
    one = hand.picture()
    assert one not in (bare, both)
    hand.state.show_flow_category("async_npu", False)
    assert hand.picture() == bare


def test_all_flows_leave_the_ground_between_them_clear(hand: Any) -> None:
    hand.window.activateWindow()
    hand.pane.canvas.setFocus()
    hand.settle()
    assert hand.pane.canvas.hasFocus()
    corner = QPoint(4, hand.pane.canvas.height() - 4)
    empty = hand.picture().pixel(corner)
    hand.window.app.commands.run("timeline.flows")
    assert hand.state.flows_in_view().size == 2
    assert hand.picture().pixel(corner) == empty


def test_of_too_many_flows_some_are_drawn_with_a_note(
    hand: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.timeline.ui import flows, pane

    both = hand.state.scene.flows.starting(*hand.state.shown())
    assert flows.some(both).tolist() == both.tolist()
    for module in (flows, pane):
        monkeypatch.setattr(module, "MOST", 1)
    assert flows.some(both).tolist() == both[:1].tolist()
    hand.window.app.commands.run("timeline.flows")
    assert "2 flows in view, 1 of them drawn: zoom in to see all" in hand.pane.counts.text()


def test_of_too_many_flows_of_a_slice_some_are_drawn_with_a_note(
    open_trace: Any, tmp_path: Path
) -> None:
    launch = {"ph": "X", "name": "graph", "pid": 1, "tid": 1, "ts": 0, "dur": 1000}
    started = [
        event
        for number in range(1200)
        for event in (
            {"ph": "X", "name": "kernel", "pid": 1, "tid": 2, "ts": 2000 + number, "dur": 1},
            {"ph": "s", "cat": "c", "name": "f", "id": number, "pid": 1, "tid": 1, "ts": 5},
            {"ph": "f", "cat": "c", "name": "f", "id": number, "pid": 1, "tid": 2}
            | {"bp": "e", "ts": 2000 + number},
        )
    ]
    path = tmp_path / "many.json"
    path.write_text(json.dumps([launch, *started]))
    hand = open_trace(path)
    assert "flows of the slice" not in hand.pane.counts.text()
    bare = hand.picture()
    hand.view.go_to(hand.index("graph"))
    hand.settle()
    assert f"{thousands(1200)} flows of the slice, 300 of them drawn" in hand.pane.counts.text()
    # evenly chosen: the last kernels have arrows as the first ones do
    picture, y = hand.picture(), hand.middle("kernel").y()
    for time in (2010, 3180):
        area = QRect(hand.x(time) - 14, y - 6, 12, 4)
        assert picture.copy(area) != bare.copy(area)
    hand.view.go_to(hand.index("kernel"))
    hand.settle()
    assert "flows of the slice" not in hand.pane.counts.text()


def test_the_menu_of_flows_names_categories_with_counts(hand: Any) -> None:
    button = hand.pane.tools.widgetForAction(hand.pane.switches["flows"])
    menu = button.menu()
    menu.aboutToShow.emit()
    assert [entry.text() for entry in menu.actions()] == ["async_npu\t1", "fwdbwd\t1"]
    menu.actions()[1].trigger()
    assert hand.state.flows_off == {"fwdbwd"}


def test_flows_that_are_off_are_not_drawn_for_a_slice_either(hand: Any) -> None:
    hand.click(hand.middle("aten::mm"))
    with_flow = hand.picture()
    hand.state.show_flow_category("async_npu", False)
    assert hand.picture() != with_flow


# -- from a source line ---------------------------------------------------------------------------
def test_a_source_line_lights_up_the_slices_of_its_function(hand: Any, open_trace: Any) -> None:
    from studio.model.locations import Location

    root = hand.window.app.project.root
    trace = root / "stacks" / "trace_view.json"
    trace.parent.mkdir()
    frame = {"ph": "X", "pid": 1, "tid": 1, "dur": 5, "cat": "python_function"}
    trace.write_text(
        json.dumps(
            [
                {**frame, "name": "/server/job/model.py(3): forward", "ts": 10},
                {**frame, "name": "/server/job/model.py(6): loss", "ts": 20},
                {**frame, "name": "/server/job/model.py(3): forward", "ts": 30},
            ]
        )
    )
    stacks = open_trace(trace)
    stacks.view.go_to(1)
    stacks.settle()
    place = Location.source(root / "model.py", 4)
    hand.window.app.commands.run("timeline.find_source", {"location": place})
    stacks.settle()
    assert hits(stacks) == ["/server/job/model.py(3): forward"] * 2
    assert stacks.pane.search.field.text() == "model.py:4"
    assert stacks.state.selected == stacks.index("/server/job/model.py(3): forward")
    nowhere = Location.source(root / "model.py", 1)
    hand.window.app.commands.run("timeline.find_source", {"location": nowhere})
    assert stacks.pane.search.field.text() == "model.py:4"


def test_an_expression_without_end_is_given_up(hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugins.timeline.ui.search._SECONDS", 0.1)
    names: Any = hand.view.scene.trace.names
    names[names.index("MatMul")] = "a" * 60 + "b"
    hand.pane.search.modes["regex"].click()
    type_in(hand, "(a+)+$")
    assert hand.pane.search.count.text() == "takes too long"
    assert hits(hand) == []
    type_in(hand, "^aten::(add|mm)$")
    assert set(hits(hand)) == {"aten::add", "aten::mm"}


def test_quick_open_finds_operators_and_goes_to_the_first_slice(hand: Any) -> None:
    window = hand.view.window()
    hint, entries = QuickOpen(window).entries("#mat")
    assert hint == "operators of the open traces"
    trace = hand.view.scene.trace
    expected = {name for name in trace.names if "mat" in name.casefold()}
    assert {entry.title for entry in entries} == expected
    assert entries[0].title == "MatMul"
    entries[0].run()
    hand.settle()
    assert trace.names[int(trace.name[hand.state.selected])] == "MatMul"
    assert set(hits(hand)) == {"MatMul"}
    assert QuickOpen(window).entries("#")[1] == []
    assert QuickOpen(window).entries("#no such name")[1] == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("add", ["Add", "add_", "aten::add"]),
        ("ADD aten", ["aten::add"]),
        ("中", ["中文"]),
        ("", []),
    ],
)
def test_names_that_begin_so_and_short_ones_come_first(query: str, found: list[str]) -> None:
    assert fitting(query, ["aten::add", "add_", "Add", "Mul", "中文"]) == found
