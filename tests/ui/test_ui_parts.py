"""Small parts: icons, matching, grouped lists, arguments, results, opener choice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction, QColor, QImage
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.kernel.declarations import Argument
from studio.paths import resource
from studio.ui.actions import arguments_from
from studio.ui.groups import Group, GroupModel, GroupView, Line
from studio.ui.icons import has_icon, icon, pixmap, retint, set_icon
from studio.ui.lines import BADGE_ROLE, DETAIL_ROLE
from studio.ui.matching import best, likely, match
from studio.ui.results import ResultView
from studio.ui.table import TableView
from studio.ui.theme import apply_theme, current_theme, load_theme
from studio.ui.view import Action, EmptyState

pytestmark = pytest.mark.gui


# -- icons ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", sorted(resource("icons").glob("*.svg")), ids=lambda p: p.stem)
def test_each_icon_is_drawn_in_the_one_style(path: Path, qapp) -> None:
    text = path.read_text(encoding="utf-8")
    assert 'viewBox="0 0 16 16"' in text
    assert "currentColor" in text
    assert text.count("#") == 0  # no colour of its own
    image = icon(path.stem).pixmap(16, 16).toImage()
    inked = [image.pixelColor(x, y).alpha() for x in range(16) for y in range(16)]
    assert max(inked) > 120


def test_icons_follow_the_theme(qapp) -> None:
    before = current_theme()
    holder = QWidget()
    action = QAction(holder)
    apply_theme(qapp, load_theme("dark"))
    set_icon(action, "stop", "accent")

    def ink() -> QColor:
        image: QImage = action.icon().pixmap(16, 16).toImage()
        return image.pixelColor(8, 3)

    assert ink().name() == load_theme("dark").tokens["accent"]
    apply_theme(qapp, load_theme("light"))
    retint()
    assert ink().name() == load_theme("light").tokens["accent"]
    apply_theme(qapp, before)


def test_an_unknown_icon_is_empty() -> None:
    assert not has_icon("no-such-thing")
    assert icon("no-such-thing").isNull()
    assert pixmap("no-such-thing", 16).isNull()


# -- matching -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "texts", "order"),
    [
        ("train", ["data/strainer.py", "src/train.py", "train/data.py"], [1, 2, 0]),
        ("md", ["model.py", "a/my_data.py"], [1, 0]),
        ("cuda", ["x"], []),
        ("", ["b", "a"], [0, 1]),
        ("İ", ["İstanbul.py"], [0]),
    ],
)
def test_best_matches_come_first(query, texts, order):
    assert [number for _, number, _ in best(query, texts)] == order


def test_matched_characters_are_named():
    assert match("gl", "Go to line")[1] == (0, 6)
    assert match("line", "Go to line")[1] == (6, 7, 8, 9)
    assert match("z", "Go to line") is None


def test_of_very_many_texts_the_likely_ones_are_ranked() -> None:
    texts = [f"d{n // 100}/file{n:05}.py" for n in range(20_000)] + ["model.py", "deep/a/model.py"]
    lowered = [text.casefold() for text in texts]
    assert likely("model.py", texts, lowered, 10) == ["model.py", "deep/a/model.py"]
    assert list(likely("dfile19999", texts, lowered, 10)) == ["d199/file19999.py"]
    some = likely("file", texts, lowered, 50)
    assert len(some) == 50
    assert best("file", some, 1)[0][0] == best("file", texts, 1)[0][0]
    assert list(likely("zzz", texts, lowered, 10)) == []


# -- grouped lists --------------------------------------------------------------------------------
def groups(*sizes: int) -> list[Group[str]]:
    return [
        Group(number, Line(f"group {number}"), [f"{number}.{row}" for row in range(size)])
        for number, size in enumerate(sizes)
    ]


def test_groups_keep_what_is_open_and_selected(qtbot) -> None:
    model: GroupModel[str] = GroupModel(
        lambda row: Line(row, "file", detail="more", badge=("1", "warn")), lambda row: row
    )
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    view = GroupView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.show_groups(model, groups(2, 3))
    view.setExpanded(model.index(0, 0), False)
    view.setCurrentIndex(model.find("1.2"))
    view.show_groups(model, groups(1, 4, 2))
    assert [view.isExpanded(model.index(at, 0)) for at in range(3)] == [False, True, True]
    assert model.row_at(view.currentIndex()) == "1.2"
    index = model.find("1.3")
    assert index.data() == "1.3"
    assert index.data(DETAIL_ROLE) == "more"
    assert index.data(BADGE_ROLE) == ("1", "warn")
    assert index.parent().data() == "group 1"
    assert model.rowCount(QModelIndex()) == 3
    assert tester.model() is model


# -- arguments and results ------------------------------------------------------------------------
def test_a_context_menu_hands_over_what_a_command_declares():
    path = Path("/p/x.py")
    available = {"path": path, "finding": "f", "line": 3}
    assert arguments_from((Argument(name="finding"), Argument(name="--line")), available) == {
        "finding": "f",
        "line": 3,
    }
    assert arguments_from((Argument(name="file", type="file"),), available) == {"file": path}
    many = (Argument(name="files", type="file", many=True),)
    assert arguments_from(many, available) == {"files": [path]}
    assert arguments_from((Argument(name="text"),), available) == {}


@dataclass
class Row:
    name: str
    count: int


@pytest.mark.parametrize(
    ("result", "kind"),
    [([Row("a", 1), Row("b", 2)], TableView), (Row("a", 1), QPlainTextEdit), ("x", QPlainTextEdit)],
)
def test_results_are_shown_as_table_or_text(qtbot, result, kind):
    view = ResultView("Count", result)
    qtbot.addWidget(view)
    shown = view.findChild(kind)
    assert shown is not None
    if kind is TableView:
        assert [shown.model.index(0, at).data() for at in (0, 1)] == ["a", "1"]


def test_an_empty_state_offers_its_first_step_as_primary(qtbot):
    ran = []
    state = EmptyState("memory", "No memory", "Why", [Action("Open", lambda: ran.append(1))])
    qtbot.addWidget(state)
    state.set_content(
        "memory",
        "Nothing",
        "",
        [Action("Go", lambda: ran.append(2)), Action("Other", lambda: None)],
    )
    from PySide6.QtWidgets import QPushButton

    buttons = [b for b in state.findChildren(QPushButton) if not b.isHidden()]
    go = next(button for button in buttons if button.text() == "Go")
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert ran == [2]
    assert go.property("primary") is True


def test_a_view_of_groups_asks_for_no_row_that_is_out_of_sight(qtbot) -> None:
    asked: list[int] = []

    def present(row: int) -> Line:
        asked.append(row)
        return Line(f"row {row}")

    model: GroupModel[int] = GroupModel(present, lambda row: row)
    view = GroupView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(200, 300)
    groups = [Group("a", Line("a"), range(3)), Group("b", Line("b"), range(3, 20_003))]
    view.show_groups(model, groups)
    view.show()
    view.grab()
    assert view.verticalScrollBar().maximum() > 19_900
    assert 0 < len(set(asked)) < 100
    last = model.index(19_999, 0, model.index(1, 0))
    assert (last.data(), model.row_at(last), model.group_at(last)) == ("row 20002", 20_002, None)
    assert model.find(5) == model.index(2, 0, model.index(1, 0))
    heading = model.index(1, 0)
    assert (heading.data(), model.row_at(heading), model.group_at(heading)) == (
        "b",
        None,
        groups[1],
    )
    view.setCurrentIndex(model.find(7))
    view.show_groups(model, [Group("b", Line("b"), [6, 7])])
    assert model.row_at(view.currentIndex()) == 7
    assert view.currentIndex().row() == 1


def test_one_steps_from_row_to_row_over_all_groups(qtbot) -> None:
    model: GroupModel[int] = GroupModel(lambda row: Line(str(row)), lambda row: row)
    assert not model.following(QModelIndex(), 1).isValid()
    model.set_groups(
        [Group("a", Line("a"), [1, 2]), Group("b", lambda: Line("B")), Group("c", Line("c"), [3])]
    )
    assert model.index(1, 0).data() == "B"

    def walk(by: int, start: QModelIndex) -> list[int | None]:
        seen, index = [], start
        for _ in range(4):
            index = model.following(index, by)
            seen.append(model.row_at(index))
        return seen

    assert walk(1, QModelIndex()) == [1, 2, 3, 1]
    assert walk(-1, QModelIndex()) == [3, 2, 1, 3]
    assert walk(1, model.index(2, 0)) == [1, 2, 3, 1]  # a heading is no row
    assert walk(-1, model.find(2)) == [1, 3, 2, 1]


def test_what_one_opened_and_closed_stays_so_and_the_rest_is_as_it_is_by_default(qtbot) -> None:
    model: GroupModel[int] = GroupModel(lambda row: Line(str(row)), lambda row: row)
    view = GroupView()
    qtbot.addWidget(view)
    view.setModel(model)
    groups = [Group(key, Line(key), [1]) for key in "abc"]

    def opened() -> list[bool]:
        return [view.isExpanded(model.index(row, 0)) for row in range(model.rowCount())]

    view.show_groups(model, groups)
    assert opened() == [True, True, True]
    view.toggle(model.index(1, 0))
    view.show_groups(model, [*groups, Group("d", Line("d"), [1])])
    assert opened() == [True, False, True, True]
    view.show_groups(model, [])
    view.show_groups(model, groups)
    assert opened() == [True, False, True]
    view.open_by_default = False
    view.show_groups(model, [*groups, Group("e", Line("e"), [1])])
    assert opened() == [True, False, True, False]
    view.toggle(model.index(3, 0))
    view.show_groups(model, [*groups, Group("e", Line("e"), [1])])
    assert opened() == [True, False, True, True]
