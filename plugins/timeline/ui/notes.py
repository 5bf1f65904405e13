"""Thin bars above the lanes that tell what the file lacks, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from studio.i18n import tr, trn
from studio.ui.icons import pixmap, set_icon
from studio.ui.text import thousands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QEvent

    from studio.trace import Trace

OUTSIDE = "far from the rest"
"""The fault of events far away in time, which have a note of their own."""

_SHOWN_PLACES = 12


class Note(QWidget):
    """An icon, a sentence, and buttons; can be closed."""

    def __init__(
        self,
        icon: str,
        text: str,
        actions: Sequence[tuple[str, Callable[[], object]]] = (),
        menu: QMenu | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name = icon
        self._icon = QLabel()
        self.text = QLabel(text)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setToolTip(text)
        self.setAccessibleName(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 4, 2)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.text, 1)
        for title, run in actions:
            button = _button(title)
            button.clicked.connect(lambda _checked=False, run=run: run())
            row.addWidget(button)
        if menu is not None:
            button = _button(tr("List"))
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            row.addWidget(button)
        close = QToolButton()
        set_icon(close, "close", "muted")
        close.setToolTip(tr("Hide this note"))
        close.setAccessibleName(tr("Hide this note"))
        close.clicked.connect(self.hide)
        row.addWidget(close)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(pixmap(self._name, 16, self._name, ratio))


def fault_note(trace: Trace, parent: QWidget) -> Note | None:
    """Tell what was wrong in the file; None when nothing was."""
    faults = [fault for fault in trace.faults if fault.kind != OUTSIDE]
    if not faults:
        return None
    total = sum(fault.count for fault in faults)
    read = tr("{n} events read", n=thousands(trace.events))
    cause = first_fault(trace)
    odd = trn("{count} odd event", "{count} odd events", total, count=thousands(total))
    text = tr("{read}, {odd}: {cause}", read=read, odd=odd, cause=cause)
    if not trace.complete:
        text = tr("The file ended early. {rest}", rest=text)
    menu = QMenu(parent)
    for fault in faults:
        places = ", ".join(thousands(place) for place in fault.places[:_SHOWN_PLACES])
        if fault.count > _SHOWN_PLACES:
            places += " …"
        entry = menu.addAction(f"{tr(fault.kind)} · {thousands(fault.count)}")
        if places:
            entry.setToolTip(tr("at byte {places}", places=places))
            submenu = menu.addAction("    " + tr("at byte {places}", places=places))
            submenu.setEnabled(False)
    for refused in trace.refused[:_SHOWN_PLACES]:
        reason = f"    {refused.name}: {tr(refused.reason)}"
        menu.addAction(reason).setEnabled(False)
    return Note("warn", text, (), menu, parent)


def first_fault(trace: Trace) -> str:
    """What is wrong first in the file, and at which byte; "" when nothing is."""
    first = next((fault for fault in trace.faults if fault.kind != OUTSIDE), None)
    if first is None:
        return ""
    cause = tr(first.kind)
    if first.first is None:
        return cause
    return tr("{kind} at byte {place}", kind=cause, place=thousands(first.first))


def outlier_note(trace: Trace, show: Callable[[], object], parent: QWidget) -> Note | None:
    """Tell of events far away in time from all others, with a way to see them."""
    if not trace.outside:
        return None
    at_zero = trace.start_ns <= 0
    count = thousands(trace.outside)
    if at_zero:
        text = trn(
            "{count} event at time 0 lies outside",
            "{count} events at time 0 lie outside",
            trace.outside,
            count=count,
        )
    else:
        text = trn(
            "{count} event lies far away in time from all others",
            "{count} events lie far away in time from all others",
            trace.outside,
            count=count,
        )
    return Note("info", text, ((tr("Show"), show),), None, parent)


def _button(title: str) -> QToolButton:
    button = QToolButton()
    button.setText(title)
    button.setToolTip(title)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    return button
