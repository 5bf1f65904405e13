"""The comparison as a user sees it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from plugins.precision.core.result import Comparison, Row, Status
from plugins.precision.core.words import word
from plugins.precision.ui.headline import sentence
from plugins.precision.ui.rows import VERDICT, cells, columns, look
from plugins.precision.ui.sides import guess_other
from plugins.precision.ui.view import CompareView, make_view
from studio.app import App
from studio.i18n import set_language
from studio.model.locations import Location
from studio.paths import resource
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui
FIRST = "011_blocks.1.norm1"


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


@pytest.fixture
def view(app: App, qtbot: QtBot) -> CompareView:
    """The sample's two dumps side by side."""
    app.open_project(resource("sample"), live=False)
    dumps = resource("sample", "dumps")
    made = make_view(app.studio("precision"), dumps / "candidate", str(dumps / "baseline"))
    assert isinstance(made, CompareView)
    qtbot.addWidget(made)
    made.resize(1200, 600)
    made.show()
    settle(app, made)
    return made


def names(view: CompareView) -> list[str]:
    """The tensors as listed."""
    model = view.table.model
    return [str(model.index(row, 1).data()) for row in range(model.rowCount())]


def selected(view: CompareView) -> str:
    """The tensor that is selected."""
    return names(view)[view.table.view.currentIndex().row()]


def test_the_first_deviation_is_said_and_selected(app: App, view: CompareView) -> None:
    assert view.title() == "baseline ↔ candidate"
    assert f">{FIRST}</a>" in view.headline.text()
    assert "The 11 tensors before it agree." in view.headline.text()
    assert selected(view) == FIRST
    assert app.selection.value.tensor == FIRST
    assert app.selection.value.origin == "precision"
    assert app.project is not None
    assert app.project.context.values.baseline.endswith("baseline")
    assert app.project.context.values.candidate.endswith("candidate")


def test_verdicts_have_icon_colour_and_word(view: CompareView) -> None:
    from studio.ui.theme import current_theme

    row = names(view).index(FIRST)
    (cell,) = view.table.model.cells(VERDICT, row, row + 1)
    assert (cell.text, cell.icon, cell.token) == ("differs", "error", "error")
    # The colour of an error is painted in its cell, and not in that of an "ok".
    colour = current_theme().colour("error")
    for place, there in ((row, True), (0, False)):
        index = view.table.model.index(place, VERDICT)
        view.table.view.scrollTo(index)
        picture = view.table.view.viewport().grab(view.table.view.visualRect(index)).toImage()
        found = any(
            picture.pixelColor(x, y) == colour
            for x in range(picture.width())
            for y in range(picture.height())
        )
        assert found == there
    assert {status for status in Status if not look(status)[0]} == set()


def test_filter_by_verdict_and_steps(app: App, view: CompareView) -> None:
    assert len(names(view)) == 31
    view.status.setCurrentIndex(view.status.findData("deviating"))
    assert len(names(view)) == 20
    view.status.setCurrentIndex(view.status.findData(Status.OK.value))
    assert len(names(view)) == 11
    view.status.setCurrentIndex(0)
    view.show_first()
    view.step(1)
    assert selected(view) == "012_blocks.1.attn.qkv"
    view.step(-1)
    assert selected(view) == FIRST
    view.step(-1)
    assert selected(view) == FIRST


def test_keys_step_from_deviation_to_deviation(view: CompareView, qtbot: QtBot) -> None:
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.table.view.setFocus()
    qtbot.keyClick(view.table.view, Qt.Key.Key_F8)
    qtbot.keyClick(view.table.view, Qt.Key.Key_F8)
    assert selected(view) == "013_blocks.1.attn.proj"
    qtbot.keyClick(view.table.view, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert selected(view) == "012_blocks.1.attn.qkv"
    assert len(view.table.selected_rows()) == 1


def test_the_shared_selection_is_followed(app: App, view: CompareView) -> None:
    app.studio("other").select(tensor="030_head")
    assert selected(view) == "030_head"
    dumps = resource("sample", "dumps")
    assert view.reveal(Location.of_tensor(dumps / "baseline", "002_blocks.0.norm1"))
    assert selected(view) == "002_blocks.0.norm1"
    assert not view.reveal(Location.of_tensor(dumps, "002_blocks.0.norm1"))
    assert not view.reveal(Location.of_tensor(dumps / "baseline", "none"))


def test_a_click_on_the_link_selects_the_tensor(view: CompareView, qtbot: QtBot) -> None:
    view.table.select_row(0)
    label = view.headline._sentence
    qtbot.mouseClick(
        label, Qt.MouseButton.LeftButton, pos=QPoint(_link_place(label.text(), view), 8)
    )
    assert selected(view) == FIRST


def _link_place(text: str, view: CompareView) -> int:
    before = text.split("<a")[0]
    return view.headline._sentence.fontMetrics().horizontalAdvance(before) + 20


def test_swapping_and_restoring(app: App, view: CompareView) -> None:
    view.swap()
    settle(app, view)
    assert view.title() == "candidate ↔ baseline"
    view.status.setCurrentIndex(view.status.findData("deviating"))
    state = view.save_state()
    view.swap()
    view.status.setCurrentIndex(0)
    settle(app, view)
    view.restore_state(state)
    settle(app, view)
    assert view.title() == "candidate ↔ baseline"
    assert len(names(view)) == 20


def test_no_other_run_asks_for_one(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    view = CompareView(app.studio("precision"), tmp_path)
    qtbot.addWidget(view)
    assert view.idle()
    assert "Choose two runs" in view._empty._title.text()


def test_a_failed_comparison_says_why(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    view = CompareView(app.studio("precision"), tmp_path / "a", str(tmp_path / "b"))
    qtbot.addWidget(view)
    settle(app, view)
    assert "holds no tensors" in view._empty._text.text()


def test_nan_is_shown_as_nan_and_sorts_on_top(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    for side, last in (("base", 1.0), ("candidate", math.nan)):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.array([1.0, 2.0 + (side == "candidate")]))
        np.save(tmp_path / side / "b.npy", np.array([1.0, last]))
    view = CompareView(app.studio("precision"), tmp_path / "candidate", str(tmp_path / "base"))
    qtbot.addWidget(view)
    settle(app, view)
    view.table.sort_by("max_abs", descending=True)
    assert names(view) == ["b", "a"]
    keys = [values.column.key for values in view.table.model.values]
    assert view.table.model.index(0, keys.index("max_abs")).data() == "NaN"


def test_guessing_which_side_is_which(tmp_path: Path) -> None:
    gpu, npu, other = tmp_path / "gpu", tmp_path / "npu", tmp_path / "x" / "deep"
    assert guess_other(gpu, [gpu, npu, other]) == (gpu, npu)
    assert guess_other(npu, [gpu, npu, other]) == (gpu, npu)
    assert guess_other(npu, [npu]) == (None, npu)
    assert guess_other(other, [other, npu]) == (npu, other)


def test_cells_show_both_sides_when_they_differ() -> None:
    row = Row("a", Status.SHAPE, "", (2, 3), (), "float32", "bfloat16")
    shown = cells(row)
    assert shown["shape"] == "2×3 → scalar"
    assert shown["dtype"] == "float32 → bfloat16"
    assert shown.keys() == {column.key for column in columns()}


def test_the_sentence_for_each_outcome(tmp_path: Path) -> None:
    fine, off = Row("1_a", Status.OK, "equal"), Row("2_<b>", Status.DIFFERS, "1 of 2")
    assert "agree: 1 tensor," in sentence(Comparison(tmp_path, tmp_path, (fine,)))
    text = sentence(Comparison(tmp_path, tmp_path, (fine, off)))
    assert "2_&lt;b&gt;" in text
    assert "The 1 tensor before it agrees." in text
    unnumbered = Comparison(tmp_path, tmp_path, (Row("b", Status.NO_BASE, ""),))
    assert "by name" in sentence(unnumbered)
    assert "missing in base" in sentence(unnumbered)


def test_every_word_is_translated() -> None:
    from studio.i18n import add_catalogues

    add_catalogues([resource("..", "plugins").resolve()])
    set_language("zh_CN")
    try:
        assert all(not word(status).isascii() for status in Status)
        untranslated = [c.title for c in columns() if c.title.isascii()]
        assert untranslated == []
    finally:
        set_language("en")
