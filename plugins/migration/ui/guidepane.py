"""Beside the guided script: its steps as a list to tick, and why the current one is there."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr, trn
from studio.ui.diff import Decision
from studio.ui.icons import set_icon
from studio.ui.text import with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.migration.ui.taken import Taken
    from studio.model.findings import Finding

_WIDTH, _ROW = 250, 24


class GuidePane(QWidget):
    """Lists the changes by place; a tick takes one, a click goes to it."""

    chosen = Signal(object)
    """The finding that was clicked or walked to."""
    decided = Signal(list, Decision)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: Taken | None = None
        self._findings: list[Finding] = []
        self._busy = False
        self.head = QLabel()
        self.head.setProperty("role", "muted")
        self.steps = QListWidget()
        self.steps.setFrameShape(QListWidget.Shape.NoFrame)
        self.steps.setAccessibleName(tr("Steps"))
        self.steps.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.currentRowChanged.connect(self._on_row)
        self.steps.itemChanged.connect(self._on_tick)
        self.text = QTextBrowser()
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setAccessibleName(tr("Why"))
        self.text.document().setDocumentMargin(12)
        self.accept = self._button("accept", tr("Take this step"), "A", Decision.ACCEPTED)
        self.reject = self._button("reject", tr("Leave it out"), "R", Decision.REJECTED)
        self._arrange()

    def show_steps(self, taken: Taken) -> None:
        """List the changes of a guide."""
        self._taken = taken
        self._findings = [f for f in taken.changes() if taken.of(f) is not None]
        self._busy = True
        self.steps.clear()
        for finding in self._findings:
            row = QListWidgetItem(f"{finding.location.line}  {finding.title}")
            row.setToolTip(f"{finding.title}\n{finding.why}")
            row.setSizeHint(QSize(0, _ROW))
            row.setFlags(row.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            self.steps.addItem(row)
        self._busy = False
        self.refresh()

    def refresh(self) -> None:
        """Show the decisions as they are now."""
        if self._taken is None:
            return
        self._busy = True
        for number, finding in enumerate(self._findings):
            taken = self._taken.of(finding) is Decision.ACCEPTED
            row = self.steps.item(number)
            row.setCheckState(Qt.CheckState.Checked if taken else Qt.CheckState.Unchecked)
        self._busy = False
        count = len(self._taken.chosen())
        steps = trn("{n} step", "{n} steps", len(self._findings))
        self.head.setText(tr("{steps}, {n} taken", steps=steps, n=count))
        self._explain()

    def explain(self, finding: Finding | None) -> None:
        """Make a change the current one, as the comparison has it."""
        self._busy = True
        at = next((n for n, f in enumerate(self._findings) if f is finding), -1)
        self.steps.setCurrentRow(at)
        self._busy = False
        self._explain()

    def changeEvent(self, event: QEvent) -> None:
        """Write the text in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "reject"):
            self._explain()

    def current(self) -> Finding | None:
        """The change one is at."""
        row = self.steps.currentRow()
        return self._findings[row] if 0 <= row < len(self._findings) else None

    def _explain(self) -> None:
        finding, muted = self.current(), current_theme().tokens["muted"]
        self.accept.setEnabled(finding is not None and not self._is_taken(finding))
        self.reject.setEnabled(finding is not None and self._is_taken(finding))
        if finding is None:
            hint = tr("Select a step to see why it is needed.")
            self.text.setHtml(f"<p style='color:{muted}'>{escape(hint)}</p>")
            return
        parts = [f"<p style='font-size:large'><b>{escape(finding.title)}</b></p>"]
        parts.append(f"<p>{escape(finding.why)}</p>")
        together = self._taken is not None and self._taken.belongs(finding)
        note = (
            tr("This step belongs together with others: they are taken or left out as a whole.")
            if together
            else tr("This one can be left out by itself.")
        )
        parts.append(f"<p style='color:{muted}'>{escape(note)}</p>")
        self.text.setHtml("".join(parts))

    def _is_taken(self, finding: Finding) -> bool:
        return self._taken is not None and self._taken.of(finding) is Decision.ACCEPTED

    def _on_row(self, _row: int) -> None:
        if not self._busy:
            self._explain()
            self.chosen.emit(self.current())

    def _on_tick(self, row: QListWidgetItem) -> None:
        if not self._busy:
            on = row.checkState() is Qt.CheckState.Checked
            decision = Decision.ACCEPTED if on else Decision.REJECTED
            self.decided.emit([self._findings[self.steps.row(row)]], decision)

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.setContentsMargins(12, 8, 12, 10)
        buttons.setSpacing(6)
        buttons.addWidget(self.accept)
        buttons.addWidget(self.reject)
        buttons.addStretch()
        self.head.setContentsMargins(12, 8, 12, 4)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(self.steps)
        split.addWidget(self.text)
        split.setSizes([300, 220])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(split, 1)
        column.addLayout(buttons)
        self.setMinimumWidth(_WIDTH)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)

    def _button(self, icon: str, title: str, keys: str, decision: Decision) -> QPushButton:
        button = QPushButton(title)
        set_icon(button, icon)
        button.setToolTip(with_keys(title, keys))
        button.clicked.connect(lambda _checked=False: self._decide(decision))
        return button

    def _decide(self, decision: Decision) -> None:
        finding = self.current()
        if finding is not None:
            self.decided.emit([finding], decision)
