"""Finds texts that their widgets are too small for, so that no language is ever cut off unseen.

Texts that are meant to give way (`OneLine`, tabs with a tool tip, cells of tables) are no fault:
what is missing of them is told on hovering.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QToolButton,
    QWidget,
)

from studio.ui.parts import OneLine

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLACK = 1
_GAP = 4


def cut_texts(root: QWidget) -> list[str]:
    """The texts below `root` that are in view and do not fit, each once."""
    found: dict[str, None] = {}
    for widget in (root, *root.findChildren(QWidget)):
        if widget.isVisible() and not widget.size().isEmpty():
            found.update(dict.fromkeys(_cut(widget)))
    return list(found)


def _cut(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        if _label_is_cut(widget):
            yield widget.text()
    elif isinstance(widget, QToolButton | QPushButton | QCheckBox):
        if widget.text() and _width(widget, widget.text().replace("&", "")) > _room(widget):
            yield widget.text()
    elif isinstance(widget, QComboBox):
        if _width(widget, widget.currentText()) > _room_of_choice(widget):
            yield widget.currentText()
    elif isinstance(widget, QLineEdit):
        hint = widget.placeholderText()
        if hint and not widget.text() and _width(widget, hint) > widget.width() - 2 * _GAP:
            yield hint
    elif isinstance(widget, QTabBar):
        for tab in range(widget.count()):
            text = widget.tabText(tab).replace("&", "")
            seen = widget.isTabVisible(tab) and not widget.tabToolTip(tab)
            if seen and _width(widget, text) > widget.tabRect(tab).width():
                yield text
    elif isinstance(widget, QHeaderView) and widget.orientation() is Qt.Orientation.Horizontal:
        for section in range(widget.count()):
            text = str(widget.model().headerData(section, widget.orientation()) or "")
            if 0 < widget.sectionSize(section) < _width(widget, text) + _GAP:
                yield text


def _label_is_cut(label: QLabel) -> bool:
    text = label.text()
    rich = label.textFormat() is not Qt.TextFormat.PlainText and "<" in text
    if isinstance(label, OneLine) or not text or rich:
        return False
    if label.wordWrap():
        return label.height() + _SLACK < label.heightForWidth(label.width())
    widest = max(_width(label, line) for line in text.split("\n"))
    return widest > label.contentsRect().width() + _SLACK


def _room(button: QToolButton | QPushButton | QCheckBox) -> int:
    if isinstance(button, QCheckBox):
        return button.width() - button.sizeHint().width() + _width(button, button.text())
    icon = 0 if button.icon().isNull() else button.iconSize().width() + _GAP
    if isinstance(button, QToolButton):
        styles = Qt.ToolButtonStyle
        style = button.toolButtonStyle()
        if style is styles.ToolButtonIconOnly and icon:
            return _width(button, button.text())  # the text is not shown
        if style is styles.ToolButtonTextUnderIcon or style is styles.ToolButtonTextOnly:
            icon = 0
    return button.width() - icon - _GAP


def _room_of_choice(box: QComboBox) -> int:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    place = box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, box)
    return place.width() + _SLACK


def _width(widget: QWidget, text: str) -> int:
    # What is painted: Chinese brackets take room that is empty.
    return widget.fontMetrics().boundingRect(text).width()
