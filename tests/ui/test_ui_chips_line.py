"""A legend of one line: what has no room stands in the menu of a button that counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolButton

from studio.ui.chips import Chip, Chips

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_chips_without_room_stand_in_a_menu(qtbot: QtBot) -> None:
    legend = Chips(one_line=True)
    qtbot.addWidget(legend)
    legend.set_chips([Chip(f"k{n}", f"Some long name {n}", QColor("red")) for n in range(12)])
    height = legend.heightForWidth(2000)
    legend.resize(400, height)
    legend.show()
    buttons = legend.findChildren(QToolButton)
    chips = [button for button in buttons if button.isCheckable()]
    (rest,) = [button for button in buttons if not button.isCheckable()]
    shown = [chip for chip in chips if chip.isVisible()]
    assert shown == chips[: len(shown)]
    assert 1 <= len(shown) < 12
    assert rest.text() == f"{12 - len(shown)} more"
    assert all(widget.geometry().right() < 400 for widget in [*shown, rest])
    assert legend.heightForWidth(400) == height
    rest.menu().aboutToShow.emit()
    assert [action.text() for action in rest.menu().actions()] == [
        chip.text() for chip in chips[len(shown) :]
    ]
    with qtbot.waitSignal(legend.toggled):
        rest.menu().actions()[-1].trigger()
    assert legend.off() == {"k11"}
    legend.resize(4000, height)
    assert all(chip.isVisible() for chip in chips)
    assert not rest.isVisible()
