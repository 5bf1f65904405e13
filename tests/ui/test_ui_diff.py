"""The aligned two-pane comparison."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.codelanguages import language_of
from studio.ui.diff import Decision, DiffView
from studio.ui.diffgutter import Gutter
from studio.ui.difflines import align
from studio.ui.diffribbon import Ribbon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui

LEFT = "x = 1\n" + "".join(f"y{n} = f({n})\n" for n in range(60)) + "z = a.cuda()\nw = b.cuda()\n"
RIGHT = "new\nold\nx = 1\n" + LEFT[6:].replace("cuda", "npu")


@pytest.fixture(params=["scintilla", "plain"])
def view(qtbot: QtBot, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> DiffView:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "studio.ui.codescintilla", None)
    view = DiffView()
    assert type(view.left).__name__ == f"{request.param.title()}Code"
    qtbot.addWidget(view)
    view.resize(900, 400)
    alignment = align(LEFT, RIGHT)
    view.show_alignment(
        alignment,
        language=language_of("a.py"),
        titles=("a.py", "a.py, migrated"),
        decisions=[Decision.OPEN] * len(alignment.changes),
    )
    view.show()
    qtbot.waitExposed(view)
    return view


def test_both_panes_have_equal_rows_with_a_gap_at_the_top(view: DiffView) -> None:
    assert view.left.line_count() == view.right.line_count() == 66
    assert view.left.line_text(1).strip() == ""
    assert view.right.line_text(1) == "new\n"
    assert view.left.line_text(3) == view.right.line_text(3) == "x = 1\n"


def test_stepping_stops_at_both_ends(view: DiffView) -> None:
    view.next()
    assert view.current() == 0
    view.next()
    view.next()
    view.next()
    assert view.current() == 2
    view.previous()
    assert view.current() == 1
    view.previous()
    view.previous()
    assert view.current() == 0


def test_the_current_change_comes_into_view_on_both_sides(view: DiffView) -> None:
    view.go_to(2)
    QApplication.processEvents()
    assert view.left.first_line() == view.right.first_line() > 20
    assert view.left.line_rect(64).bottom() < view.left.height()


@pytest.mark.parametrize("side", ["left", "right"])
def test_scrolling_one_pane_moves_the_other(view: DiffView, side: str) -> None:
    pane = getattr(view, side)
    for line in (7, 33, 2):
        pane.set_first_line(line)
        QApplication.processEvents()
        assert view.left.first_line() == view.right.first_line() == line


def test_scrolling_sideways_moves_the_other(view: DiffView, qtbot: QtBot) -> None:
    long = "a = " + "b + " * 200 + "c\n"
    view.show_alignment(align(long, long + "d\n"))
    view.left.horizontal_bar().setValue(240)
    assert view.right.horizontal_bar().value() == 240
    view.right.horizontal_bar().setValue(90)
    assert view.left.horizontal_bar().value() == 90


def test_keys_decide_about_the_current_change(view: DiffView) -> None:
    heard: list[tuple[int, Decision]] = []
    view.decided.connect(lambda number, decision: heard.append((number, decision)))
    view.go_to(1)
    area = view.left.area()
    for key in (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_U):
        QTest.keyClick(area, key)
    assert heard == [(1, Decision.ACCEPTED), (1, Decision.REJECTED), (1, Decision.OPEN)]
    QTest.keyClick(area, Qt.Key.Key_F7)
    assert view.current() == 2
    QTest.keyClick(area, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert view.current() == 1


def test_a_click_into_a_change_makes_it_current(view: DiffView, qtbot: QtBot) -> None:
    view.activateWindow()
    view.left.setFocus()
    qtbot.waitUntil(view.left.area().hasFocus)
    place = view.left.line_rect(2).center()
    QTest.mouseClick(view.left.area().viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: view.current() == 0)


def test_buttons_of_the_gutter_decide_and_take_back(view: DiffView) -> None:
    gutter = view.findChild(Gutter)
    assert isinstance(gutter, Gutter)
    heard: list[tuple[int, Decision]] = []

    def decide(number: int, decision: Decision) -> None:
        heard.append((number, decision))
        decisions = view.decisions()
        decisions[number] = decision
        view.set_decisions(decisions)

    view.decided.connect(decide)
    [(number, place)] = gutter.visible_changes()
    assert number == 0
    for _ in range(2):
        QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place.topLeft() + QPoint(9, 5))
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place.topLeft() + QPoint(30, 5))
    assert heard == [(0, Decision.ACCEPTED), (0, Decision.OPEN), (0, Decision.REJECTED)]


def test_the_ribbon_jumps_to_a_change(view: DiffView) -> None:
    ribbon = view.findChild(Ribbon)
    assert isinstance(ribbon, Ribbon)
    scale = min(ribbon.height() / 66, 16)
    QTest.mouseClick(ribbon, Qt.MouseButton.LeftButton, pos=QPoint(7, round(63.5 * scale)))
    assert view.current() == 1


def test_a_plain_comparison_offers_no_decisions(view: DiffView) -> None:
    view.show_alignment(align("a\n", "b\n"))
    visible = [action.text() for action in view.bar.actions() if action.isVisible()]
    assert not any("change" in text and "Accept" in text for text in visible)
    assert view.decisions() == []


def test_equal_texts_say_so(view: DiffView) -> None:
    view.show_alignment(align("a\n", "a\n"))
    view.next()
    view.previous()
    assert view.current() == -1


def test_state_survives(view: DiffView) -> None:
    view.go_to(1)
    state = view.save_state()
    view.go_to(0)
    view.restore_state(state)
    assert view.save_state() == state


def test_both_panes_zoom_together(view: DiffView, qtbot: QtBot) -> None:
    view.left.set_zoom(3)
    qtbot.waitUntil(lambda: view.right.zoom() == 3)


def test_notes_keep_panes_and_gutter_in_step(view: DiffView) -> None:
    view.set_notes({5: "By hand: do it", 6: "By hand: and this", 40: "Later", 9_999: "nowhere"})
    gutter = view.findChildren(Gutter)[0]
    height = view.left.line_rect(1).height()
    for number, change in enumerate(view.alignment().changes):
        view.go_to(number)
        QApplication.processEvents()
        place = next(place for at, place in gutter.visible_changes() if at == number)
        assert place.height() == (change.last - change.first + 1) * height
        tops = {pane.line_rect(change.first + 1).top() for pane in (view.left, view.right)}
        title = view.left.mapTo(view, QPoint()).y() - gutter.mapTo(view, QPoint()).y()
        assert tops == {place.top() - title}
    view.set_notes({})
    between = view.left.line_rect(10).top() - view.left.line_rect(1).top()
    assert between == 9 * height


def test_in_one_pane_each_line_stands_by_itself(view: DiffView) -> None:
    view.go_to(1)
    view.set_inline(True)
    assert view.current() == 1
    assert view.left.line_count() == 68
    assert [view.left.line_text(n).strip() for n in (1, 2, 3)] == ["new", "old", "x = 1"]
    assert [view.left.line_text(n).strip() for n in range(64, 68)] == [
        "z = a.cuda()", "z = a.npu()", "w = b.cuda()", "w = b.npu()",
    ]  # fmt: skip
    assert not view.right.isVisible()
    view.next()
    assert view.current() == 2
    assert view.left_line() == 63
    view.set_inline(False)
    assert view.current() == 2
    assert view.left.line_count() == view.right.line_count() == 66
    assert view.right.isVisible()


def test_decisions_and_notes_work_in_one_pane(view: DiffView) -> None:
    view.set_inline(True)
    view.set_notes({3: "Look here"})
    view.set_decisions([Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN])
    view.go_to_line(62)
    assert view.left.cursor_place()[0] == 64
    gutter = view.findChild(Gutter)
    assert isinstance(gutter, Gutter)
    view.go_to(0)
    QApplication.processEvents()
    [(number, place)] = gutter.visible_changes()
    assert number == 0
    assert place.height() == 2 * view.left.line_rect(1).height()


@pytest.mark.parametrize("inline", [False, True])
def test_moved_lines_lead_to_their_other_end(view: DiffView, inline: bool) -> None:
    block = "def f(x):\n    y = x + 1\n    return y\n"
    rest = "".join(f"line{n} = {n}\n" for n in range(200))
    view.set_inline(inline)
    view.show_alignment(align(block + rest, rest + block))
    view.go_to_other_end()
    first = view.left.cursor_place()[0]
    view.go_to_other_end()
    second = view.left.cursor_place()[0]
    assert {first, second} == {1, 204}
    assert view.left.first_line() > 100 or second == 1
    gutter = view.findChild(Gutter)
    assert isinstance(gutter, Gutter)
    view.go_to_row(0)
    QApplication.processEvents()
    place = gutter.visible_changes()[0][1]
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place.topLeft() + QPoint(12, 9))
    assert view.left.cursor_place()[0] == 204


def test_the_ribbon_marks_every_change_of_many(qtbot: QtBot, view: DiffView) -> None:
    draw = random.Random(4)
    lines = [f"line {n}\n" for n in range(4_000)]
    other = [
        line.replace("line", "lime") if 500 < n < 1_500 and draw.random() < 0.3 else line
        for n, line in enumerate(lines)
    ]
    del other[3_000:3_300]
    found = align("".join(lines), "".join(other))
    assert len(found.changes) > 200
    view.show_alignment(found)
    ribbon = view.panes.ribbon
    height = ribbon.height()
    scale = height / len(found.rows)
    picture = ribbon.grab().toImage()
    plain = current_theme().colour("surface").rgb()
    begun = {int(change.first * scale) for change in found.changes}
    changed = {int(at * scale) for at, row in enumerate(found.rows) if row.change >= 0}
    far = [y for y in range(height) if not any(y + d in changed for d in (-2, -1, 0, 1))]
    shown = view.panes.rows_shown() * scale + 4
    inked = {y for y in range(height) if picture.pixelColor(7, y).rgb() != plain}
    assert all({y, y + 1} & inked for y in begun)
    assert {y for y in changed if {y - 1, y + 1, y + 2} <= changed} <= inked
    assert {y for y in far if y > shown}.isdisjoint(inked)
    assert len(far) > height / 2
