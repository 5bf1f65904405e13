"""The line of the import doctor: what was found, what is missing and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.bar import NoticeBar
from studio.ui.icons import pixmap
from studio.ui.text import format_bytes

if TYPE_CHECKING:
    from studio.perf.doctor import Diagnosis

_WORST = ("error", "warning", "info", "ok")
_ICONS = {"error": "error", "warning": "warn", "info": "info", "ok": "ok"}
_TOKENS = {"error": "error", "warning": "warn", "info": "info", "ok": "ok"}


class Doctor(QWidget):
    """One line, and under it on demand every remark and every kind of data found."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons: list[tuple[QLabel, str]] = []
        self._diagnosis: Diagnosis | None = None
        self.bar = NoticeBar(self)
        self.details = QWidget(self)
        self._grid = QGridLayout(self.details)
        self._grid.setContentsMargins(14, 8, 14, 10)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.details.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.details)

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Show what the doctor says."""
        self._diagnosis = diagnosis
        for remark in sorted(diagnosis.remarks, key=lambda r: _WORST.index(r.severity)):
            text = "\n".join(part for part in (remark.text, remark.cost, remark.advice) if part)
            self._line(_ICONS[remark.severity], remark.text, text)
        for found in diagnosis.found:
            files = ", ".join(found.files)
            self._line("ok", found.title, f"{found.title}: {files} ({format_bytes(found.bytes)})")
        self._tell()

    def wait(self) -> None:
        """Say that the profile is being looked over."""
        self.bar.tell("info", tr("Looking the profile over…"), {}, closable=False)

    def fail(self, text: str) -> None:
        """Say why it could not be looked over."""
        self.bar.tell("error", text, {}, closable=False)

    def toggle(self) -> None:
        """Show or hide the details."""
        self.details.setVisible(self.details.isHidden())
        self._tell()

    def _tell(self) -> None:
        if self._diagnosis is None:
            return
        severities = {remark.severity for remark in self._diagnosis.remarks}
        worst = next((s for s in _WORST if s in severities), "ok")
        button = tr("Details") if self.details.isHidden() else tr("Hide details")
        self.bar.tell(
            _ICONS[worst], sentence(self._diagnosis), {button: self.toggle}, closable=False
        )
        for title, push in self.bar.buttons().items():
            push.setToolTip(tr("What was found, what is missing and what that costs"))
            push.setAccessibleName(title)

    def _line(self, icon: str, name: str, text: str) -> None:
        row = self._grid.rowCount()
        sign, label = QLabel(), QLabel(text)
        sign.setAccessibleName(icon)
        label.setAccessibleName(name)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._icons.append((sign, icon))
        self._grid.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label, row, 1)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the signs anew in another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_grid"):
            self._draw()

    def _draw(self) -> None:
        for label, icon in self._icons:
            label.setPixmap(pixmap(icon, 16, _TOKENS.get(icon, icon), self.devicePixelRatioF()))


def sentence(diagnosis: Diagnosis) -> str:
    """The line: the headline, then the first thing missing with its cost, else what was found."""
    order = sorted(diagnosis.remarks, key=lambda r: _WORST.index(r.severity))
    parts = [diagnosis.headline()]
    parts += [
        " ".join(part for part in (remark.text, remark.cost) if part)
        for remark in order[:2]
        if remark.severity != "ok"
    ]
    return "\n".join(parts)
