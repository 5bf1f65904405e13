"""What is too small for its text is found; what fits or tells the rest by itself is not."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QToolButton,
    QTreeWidget,
)

from studio.ui.cutoff import cut_texts
from studio.ui.icons import icon
from studio.ui.parts import OneLine

pytestmark = pytest.mark.gui

TEXT = "Communication that nothing overlaps"


def label():
    return QLabel(TEXT)


def wrapped():
    words = QLabel(TEXT * 4)
    words.setWordWrap(True)
    return words


def push():
    return QPushButton(TEXT)


def tool():
    button = QToolButton()
    button.setText(TEXT)
    return button


def check():
    return QCheckBox(TEXT)


def choice():
    box = QComboBox()
    box.addItem(TEXT)
    return box


def hint():
    field = QLineEdit()
    field.setPlaceholderText(TEXT)
    return field


def tabs():
    bar = QTabBar()
    bar.setUsesScrollButtons(False)
    bar.setElideMode(Qt.TextElideMode.ElideRight)
    bar.addTab(TEXT)
    return bar


def header():
    tree = QTreeWidget()
    tree.setHeaderLabels([TEXT, "b"])
    return tree


def seen(qapp, widget, width, height):
    widget.setMinimumSize(QSize(1, 1))
    widget.resize(width, height)
    if isinstance(widget, QTreeWidget):
        widget.header().resizeSection(0, width - 60)
    widget.show()
    qapp.processEvents()
    found = cut_texts(widget)
    widget.hide()
    widget.deleteLater()
    return found


@pytest.mark.parametrize(
    "make",
    [label, wrapped, push, tool, check, choice, hint, tabs, header],
    ids=lambda make: make.__name__,
)
def test_a_text_without_room_is_found(qapp, make):
    expected = TEXT * 4 if make is wrapped else TEXT
    assert seen(qapp, make(), 130, 14) == [expected]
    assert seen(qapp, make(), 600, 120) == []


def test_what_is_not_shown_or_tells_itself_is_no_fault(qapp):
    only_icon = tool()
    only_icon.setIcon(icon("run"))
    line = OneLine()
    line.setText(TEXT)
    told = tabs()
    told.setTabToolTip(0, TEXT)
    empty = QLabel("")
    for widget in (only_icon, line, told, empty):
        assert seen(qapp, widget, 60, 24) == []
    assert cut_texts(QLabel(TEXT)) == []
