"""Merging unsaved work with what another program wrote, in the window."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.model.merge import Choice, merge
from studio.ui.codekinds import Tint
from studio.ui.codemarks import TINT_MARKERS
from studio.ui.idle import wait_idle
from studio.ui.mergerows import MergeRows
from studio.ui.mergeview import MergeView

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from studio.model.merge import Merge
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

LINES = [f"line {n}\n" for n in range(30)]


@pytest.fixture
def conflict(window: MainWindow, tmp_path: Path) -> tuple[Any, Any]:
    """An editor with unsaved work whose file was changed, and the merge of the two."""
    root = tmp_path / "p"
    root.mkdir()
    path = root / "notes.txt"
    path.write_text("".join(LINES), encoding="utf-8")
    project = window.app.open_project(root)
    editor: Any = window.open(path, "editor.text", {})
    mine, theirs = list(LINES), list(LINES)
    mine[2], mine[10], mine[20] = "mine 2\n", "mine 10\n", "mine 20\n"
    theirs[5], theirs[10], theirs[20] = "theirs 5\n", "theirs 10\n", "theirs 20\n"
    editor.document.set_text("".join(mine))
    path.write_text("".join(theirs), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    project.documents.look_outside()
    assert "Merge" in editor.bars.outside.buttons()
    editor.bars.outside.buttons()["Merge"].click()
    assert wait_idle(window)
    tab: Any = window.app.window.active_view()
    return editor, tab.merge


def test_clean_changes_are_taken_and_conflicts_asked_about(conflict: tuple[Any, Any]) -> None:
    editor, merge = conflict
    assert merge.open_conflicts() == 2
    assert merge.current() == 2, "the first conflict is in front"
    heard: list[str] = []
    merge.finished.connect(heard.append)
    QTest.keyClick(merge, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert heard == [], "not while a conflict is open"
    QTest.keyClick(merge, Qt.Key.Key_1)
    assert (merge.open_conflicts(), merge.current()) == (1, 3)
    QTest.keyClick(merge, Qt.Key.Key_3)
    assert merge.open_conflicts() == 0
    before = editor.edit.text()
    QTest.keyClick(merge, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    lines = list(LINES)
    lines[2], lines[5], lines[10] = "mine 2\n", "theirs 5\n", "mine 10\n"
    lines[20] = "mine 20\ntheirs 20\n"
    assert editor.edit.text() == "".join(lines)
    assert editor.document.dirty
    editor.edit.undo()
    assert editor.edit.text() == before, "one step"
    editor.edit.redo()
    assert editor.save_now(), "nothing newer is on disk: saving does not ask"
    assert editor.document.path.read_text(encoding="utf-8") == "".join(lines)


def test_arrows_take_sides(conflict: tuple[Any, Any]) -> None:
    _, merge = conflict

    def click(side: int, number: int) -> None:
        place = dict(merge.gutters[side].buttons())[number]
        QTest.mouseClick(
            merge.gutters[side], Qt.MouseButton.LeftButton, pos=place.center() - QPoint(1, 1)
        )

    click(1, 2)
    assert "theirs 10\n" in merge.result()
    click(0, 2)
    assert "mine 10\ntheirs 10\n" in merge.result()
    click(1, 2)
    assert "theirs 10" not in merge.result()
    click(1, 1)
    assert "theirs 5" not in merge.result(), "a clean change can be left out"
    click(1, 1)
    assert "theirs 5" in merge.result()


def test_panes_scroll_in_step_and_have_equal_rows(conflict: tuple[Any, Any]) -> None:
    _, merge = conflict
    merge.choose(Choice.BOTH)
    assert len({pane.line_count() for pane in merge.panes}) == 1
    merge.resize(900, 200)
    merge.panes[2].set_first_line(9)
    assert [pane.first_line() for pane in merge.panes] == [9, 9, 9]


def test_all_panes_are_as_wide_as_the_longest_line(qtbot: QtBot) -> None:
    view = MergeView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_merge(
        merge("a\nb\n", "a\nmine\n", "a\n" + "theirs " * 60 + "\n"), titles=("1", "2", "3")
    )
    ends = [pane.horizontal_bar().maximum() for pane in view.panes]
    assert min(ends) > 1_000
    view.panes[0].horizontal_bar().setValue(900)
    assert [pane.horizontal_bar().value() for pane in view.panes] == [900] * 3


def test_rows_are_numbered_by_side_and_only_those_in_view_have_arrows(qtbot: QtBot) -> None:
    found = merge("a\nb\n", "new\na\nb\n", "a\nc\nb\n")
    rows = MergeRows(found, [hunk.clean for hunk in found.hunks])
    assert rows.panes[0] == ["new\n", "a\n", None, "b\n", ""]
    assert rows.numbers(0) == ["1", "2", "", "3", "4"]
    assert rows.numbers(2) == ["", "1", "2", "3", "4"]

    base = [f"line {n}\n" for n in range(2_000)]
    mine = [f"mine {n}\n" if n % 10 == 5 else line for n, line in enumerate(base)]
    view = MergeView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_merge(merge("".join(base), "".join(mine), "".join(base)), titles=("1", "2", "3"))
    for first in (1, 1_001):
        view.panes[0].set_first_line(first)
        shown = range(first - 1, first - 1 + view.panes[0].height() // 10)
        numbers = [number for number, _ in view.gutters[0].buttons()]
        lines = [10 * number + 5 for number in numbers]
        assert lines, "arrows are in view"
        assert set(lines) <= set(shown)
        height = view.panes[0].line_rect(1).height()
        inside = view.gutters[0].height() // height - 1
        assert {n for n in range(5, 2_000, 10) if first - 1 <= n < first - 1 + inside} <= set(lines)


def test_a_long_merge_is_marked_where_it_is_looked_at_and_copied_whole(qtbot: QtBot) -> None:
    base = [f"line {n}\n" for n in range(3_000)]
    mine = [line for n, line in enumerate(base) if n != 2_990]
    theirs = [f"theirs {n}\n" if n == 2_980 else line for n, line in enumerate(base)]
    view = MergeView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_merge(merge("".join(base), "".join(mine), "".join(theirs)), titles=("1", "2", "3"))
    pane: Any = view.panes[0]
    view.panes[0].set_first_line(1)
    pane.select_all()
    pane.copy()
    assert QApplication.clipboard().text() == "".join(mine), "without the gap that was never seen"
    filler = 1 << TINT_MARKERS[Tint.FILLER]
    view.panes[0].set_first_line(2_960)
    assert pane.sci.markerNext(0, filler) == 2_990, "the row of the line that was deleted"
    assert pane.sci.markerNext(2_991, filler) == -1


def made(lines: int, seed: int) -> Merge:
    """A merge with changes of all kinds, of one line and of several, side by side and apart."""
    draw = random.Random(seed)
    base = [f"line {n} 中\n" for n in range(lines)]
    mine, theirs = list(base), list(base)
    for n in range(0, lines, 3):
        for side, name in ((mine, "mine"), (theirs, "theirs")):
            side[n] = draw.choice((base[n], base[n], "", f"{name} {n}\n", f"{name} {n}\nmore\n"))
    return merge("".join(base), "".join(mine), "".join(theirs))


def test_decisions_lay_out_what_a_fresh_layout_would() -> None:
    draw = random.Random(2)
    for seed in range(5):
        found = made(60, seed)
        choices = [hunk.clean for hunk in found.hunks]
        rows = MergeRows(found, choices)
        for _ in range(40):
            place = draw.randrange(len(rows.parts))
            choice = draw.choice(list(Choice))
            choices[rows.parts[place].number] = choice
            before, after = rows.choose(place, choice)
            fresh = MergeRows(found, choices)
            assert before.start == after.start
            assert rows.panes == fresh.panes
            assert rows.parts == fresh.parts
            assert rows.overview() == fresh.overview()
            for pane in range(3):
                counted = 0
                for row, line in enumerate(rows.panes[pane]):
                    counted += line is not None
                    assert rows.number(pane, row) == ("" if line is None else str(counted))


def test_decisions_draw_what_a_fresh_view_would(qtbot: QtBot) -> None:
    found, draw = made(80, 7), random.Random(3)

    def view() -> MergeView:
        shown = MergeView()
        qtbot.addWidget(shown)
        shown.resize(700, 300)
        shown.show()
        shown.show_merge(found, titles=("1", "2", "3"))
        return shown

    def drawn(shown: MergeView) -> list[object]:
        sides: list[Any] = list(shown.panes)
        return [
            (
                pane.text(),
                [int(pane.sci.markerGet(line)) for line in range(pane.line_count())],
                [pane.sci.eOLAnnotationText(line).data() for line in range(pane.line_count())],
                [pane.sci.labels(line) for line in range(1, pane.line_count() + 1)],
            )
            for pane in sides
        ]

    decided = view()
    for _ in range(60):
        decided.go_to(draw.randrange(len(decided._rows.parts)))
        decided.choose(draw.choice(list(Choice)))
    fresh = view()
    fresh._choices = list(decided._choices)
    fresh._show()
    assert drawn(decided) == drawn(fresh)
    assert decided.result() == fresh.result()
