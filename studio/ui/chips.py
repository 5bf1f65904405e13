"""A legend of coloured chips that wrap; a click shows or dims what a chip stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QIcon, QLinearGradient, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QLayout, QLayoutItem, QMenu, QSizePolicy, QToolButton, QWidget

from studio.i18n import tr, trn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent


@dataclass(frozen=True)
class Chip:
    """One entry of a legend."""

    key: str
    title: str
    colour: QColor
    dashed: bool = False
    tip: str = ""
    more: tuple[QColor, ...] = ()
    """Further colours of what it stands for, drawn beside the first."""


_SHEET = """
QToolButton { padding: 2px 6px; }
QToolButton:checked { background: transparent; }
QToolButton:!checked { color: palette(placeholder-text); }
QToolButton:hover, QToolButton:focus { background: palette(button); }
"""


class Chips(QWidget):
    """A wrapping row of chips; all are on at first.

    With `one_line` they do not wrap: those without room stand in the menu of a button at the end.
    """

    toggled = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None, *, one_line: bool = False) -> None:
        super().__init__(parent)
        self._buttons: dict[str, QToolButton] = {}
        self._layout = Wrap(self)
        self._rest = self._rest_button() if one_line else None
        self.setStyleSheet(_SHEET)
        # Not “Minimum”: views would be as high as all lines of the narrowest form at least.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_chips(self, chips: Sequence[Chip]) -> None:
        """Show these chips; those that were off by the same key stay off."""
        off = {key for key, button in self._buttons.items() if not button.isChecked()}
        for button in self._buttons.values():
            self._layout.removeWidget(button)
            button.deleteLater()
        self._buttons = {chip.key: self._button(chip, chip.key not in off) for chip in chips}
        for button in self._buttons.values():
            self._layout.addWidget(button)
        if self._rest is not None:
            self._layout.removeWidget(self._rest)
            self._layout.addWidget(self._rest)
            self._fit(self._rest)
        self.setVisible(bool(chips))
        self.updateGeometry()

    def set_on(self, key: str, on: bool) -> None:
        """Switch one chip, as a click would."""
        if key in self._buttons:
            self._buttons[key].setChecked(on)

    def off(self) -> frozenset[str]:
        """The keys of the chips that are off."""
        return frozenset(key for key, button in self._buttons.items() if not button.isChecked())

    def hasHeightForWidth(self) -> bool:
        """Chips wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height that the chips take when wrapped to a width."""
        if self._rest is not None:
            return self._layout.minimumSize().height()
        return self._layout.heightForWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put into the menu what has no room any more."""
        super().resizeEvent(event)
        if self._rest is not None:
            self._fit(self._rest)

    def _rest_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAutoRaise(True)
        button.setToolTip(tr("More"))
        menu = QMenu(button)
        button.setMenu(menu)

        def fill() -> None:
            menu.clear()
            for chip in self._buttons.values():
                if chip.isHidden():
                    action = menu.addAction(chip.icon(), chip.text())
                    action.setCheckable(True)
                    action.setChecked(chip.isChecked())
                    action.toggled.connect(chip.setChecked)

        menu.aboutToShow.connect(fill)
        button.hide()
        return button

    def _fit(self, rest: QToolButton) -> None:
        """Show the first chips that have room in one line, and how many more there are."""
        margins = self._layout.contentsMargins()
        room = self.width() - margins.left() - margins.right() + Wrap.SPACE
        wide = [button.sizeHint().width() + Wrap.SPACE for button in self._buttons.values()]
        fitting = len(wide)
        if sum(wide) > room:
            rest.setText(trn("{n} more", "{n} more", len(wide)))
            room -= rest.sizeHint().width() + Wrap.SPACE
            while fitting and sum(wide[:fitting]) > room:
                fitting -= 1
            rest.setText(trn("{n} more", "{n} more", len(wide) - fitting))
        for place, button in enumerate(self._buttons.values()):
            button.setVisible(place < fitting)
        rest.setVisible(fitting < len(wide))

    def _button(self, chip: Chip, on: bool) -> QToolButton:
        button = QToolButton(self)
        button.setText(chip.title)
        button.setIcon(_swatch(chip, self.devicePixelRatioF()))
        button.setIconSize(QSize(14, 10))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setCheckable(True)
        button.setChecked(on)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(chip.title)
        button.setToolTip(chip.tip or tr("Click to show or hide {name}", name=chip.title))
        button.toggled.connect(lambda state, key=chip.key: self.toggled.emit(key, state))
        return button


class Wrap(QLayout):
    """Places widgets in lines like words."""

    SPACE = 4

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(6, 2, 6, 2)

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at a place, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return the item at a place."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take no more than needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Lines wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at a width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """One line of the widest item."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The largest item and the margins."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        inside = rect.marginsRemoved(self.contentsMargins())
        x, y, line = inside.x(), inside.y(), 0
        for item in self._items:
            if _taken_out(item):
                continue
            size = item.sizeHint()
            if x + size.width() > inside.right() + 1 and line:
                x, y, line = inside.x(), y + line + self.SPACE, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self.SPACE
            line = max(line, size.height())
        return y + line - rect.y() + self.contentsMargins().bottom()


def _taken_out(item: QLayoutItem) -> bool:
    """Whether a widget was hidden on purpose, and not only has not been shown yet."""
    widget = item.widget()
    explicitly = Qt.WidgetAttribute.WA_WState_ExplicitShowHide
    return widget is not None and widget.isHidden() and widget.testAttribute(explicitly)


def _swatch(chip: Chip, ratio: float) -> QIcon:
    icon = QIcon()
    for on in (True, False):
        picture = QPixmap(round(14 * ratio), round(10 * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(chip.colour, 1.2))
        if on and chip.dashed:
            painter.setPen(QPen(chip.colour, 2.4, Qt.PenStyle.DotLine))
            painter.drawLine(0, 5, 14, 5)
        else:
            painter.setBrush(_fill(chip) if on else Qt.BrushStyle.NoBrush)
            if on and chip.more:
                painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(2, 1, 9, 8, 2, 2)
        painter.end()
        state = QIcon.State.On if on else QIcon.State.Off
        icon.addPixmap(picture, QIcon.Mode.Normal, state)
    return icon


def _fill(chip: Chip) -> QBrush:
    """Its colour, or stripes of all its colours."""
    if not chip.more:
        return QBrush(chip.colour)
    stripes = QLinearGradient(2, 0, 11, 0)
    colours = (chip.colour, *chip.more)
    for number, colour in enumerate(colours):
        # two stops a hair apart make a hard edge
        stripes.setColorAt(number / len(colours) + (1e-4 if number else 0), colour)
        stripes.setColorAt((number + 1) / len(colours), colour)
    return QBrush(stripes)
