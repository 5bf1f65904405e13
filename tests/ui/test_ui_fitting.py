"""Texts that meet too little room: they say so, or make room, and never push others away."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolTip

from studio.ui.parts import OneLine
from studio.ui.status import status_button
from studio.ui.view import Action, EmptyState

pytestmark = pytest.mark.gui

LONG = "/data/profiles/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv"


@pytest.fixture
def shown(qapp):
    kept = []

    def show(widget, width, height):
        kept.append(widget)
        widget.resize(width, height)
        widget.show()
        qapp.processEvents()
        return widget

    yield show
    for widget in kept:
        widget.hide()
        widget.deleteLater()


@pytest.mark.parametrize(
    ("dots", "starts", "ends"),
    [
        (Qt.TextElideMode.ElideRight, "/data", "…"),
        (Qt.TextElideMode.ElideLeft, "…", "op_statistic.csv"),
    ],
)
def test_a_line_gives_way_and_tells_what_is_cut(shown, dots, starts, ends):
    line = OneLine(dots=dots)
    line.setText(LONG)
    assert line.minimumSizeHint().width() == 0
    shown(line, 200, 24)
    assert line.shown().startswith(starts)
    assert line.shown().endswith(ends)
    at = line.rect().center()
    QApplication.sendEvent(line, QHelpEvent(QEvent.Type.ToolTip, at, line.mapToGlobal(at)))
    assert QToolTip.text() == LONG
    QToolTip.hideText()
    shown(line, 900, 24)
    assert line.shown() == line.text() == LONG


def test_an_empty_state_drops_its_picture_before_its_words(shown):
    state = EmptyState("memory", "Nothing here", "Record with profile_memory. " * 8, [])
    state.set_content("memory", "Nothing here", "Words. " * 60, [Action("Again", print)])
    shown(state, 500, 400)
    picture = next(label for label in state.findChildren(QLabel) if not label.pixmap().isNull())
    assert picture.isVisible()
    shown(state, 500, 160)
    assert not picture.isVisible()
    for label in state.findChildren(QLabel):
        if label.isVisible():
            assert label.height() >= label.heightForWidth(label.width())
    button = state.findChild(QPushButton)
    assert button.height() >= button.sizeHint().height()
    shown(state, 500, 400)
    assert picture.isVisible()


def test_a_text_of_the_status_bar_has_its_room_at_once(qapp, shown):
    from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

    bar, holder = QStatusBar(), QWidget()
    button = status_button("problems", "", "Problems", lambda: None)
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(button)
    bar.addPermanentWidget(holder)
    shown(bar, 900, 28)
    for text in ("没有问题", "12 个错误 · 345 个警告", "1 个错误"):
        button.setText(text)
        assert button.width() >= button.sizeHint().width(), text
