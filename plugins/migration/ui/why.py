"""Why a change is proposed, beside or below the comparison, and what one decides about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import QBoxLayout, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from plugins.migration.ui.evidence import evidence_of
from plugins.migration.ui.explanation import ROW_LINK, explained, hint
from plugins.migration.ui.review import Review, can_decide
from studio.i18n import tr
from studio.model.locations import Location
from studio.ui.diff import Decision
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.api import Studio
    from studio.model.findings import Finding

_WIDTH = 220


class WhyPane(QWidget):
    """Explains the findings at hand and lets one decide about them, or about all of their rule."""

    decided = Signal(list, Decision)

    def __init__(self, studio: Studio, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._review = studio.shared(Review)
        self._findings: Sequence[Finding] = ()
        self._below = False
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setAccessibleName(tr("Why"))
        self.text.document().setDocumentMargin(12)
        self.accept = self._button("accept", tr("Accept"), "A", Decision.ACCEPTED)
        self.reject = self._button("reject", tr("Reject"), "R", Decision.REJECTED)
        self.same = QPushButton()
        self.same.clicked.connect(lambda _checked=False: self._accept_rule())
        self.similar = QPushButton(tr("Show similar ones"))
        set_icon(self.similar, "search")
        self.similar.clicked.connect(lambda _checked=False: self._show_similar())
        self._deciding = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._deciding.setSpacing(6)
        self._deciding.addWidget(self.accept)
        self._deciding.addWidget(self.reject)
        self._deciding.addStretch()
        buttons = QVBoxLayout()
        buttons.setContentsMargins(12, 8, 12, 10)
        buttons.setSpacing(6)
        buttons.addLayout(self._deciding)
        buttons.addWidget(self.same)
        buttons.addWidget(self.similar)
        buttons.addStretch()
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(self.text, 1)
        self._box.addLayout(buttons)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.set_below(below=False)
        self.explain(())

    def set_below(self, *, below: bool) -> None:
        """Stand below the comparison, low and wide, or beside it."""
        self._below = below
        self._box.setDirection(
            QBoxLayout.Direction.LeftToRight if below else QBoxLayout.Direction.TopToBottom
        )
        self.setMinimumWidth(0 if below else _WIDTH)
        self.setMinimumHeight(90 if below else 0)
        self.text.setHtml(self._html())

    def explain(self, findings: Sequence[Finding]) -> None:
        """Explain these findings."""
        self._findings = findings
        self.refresh()

    def refresh(self) -> None:
        """Show the same findings with the decisions as they are now."""
        decidable = [finding for finding in self._findings if can_decide(finding)]
        for button in (self.accept, self.reject):
            button.setVisible(bool(decidable))
        decisions = {self._review.decision(finding) for finding in decidable}
        self.accept.setEnabled(decisions != {Decision.ACCEPTED})
        self.reject.setEnabled(decisions != {Decision.REJECTED})
        others = self._same_rule()
        self.same.setVisible(len(others) > len(decidable) and bool(decidable))
        self.same.setText(tr("Accept all {n} of this rule", n=len(others)))
        self.similar.setVisible(bool(self._findings))
        place = self.text.verticalScrollBar().value()
        self.text.setHtml(self._html())
        self.text.verticalScrollBar().setValue(place)

    def changeEvent(self, event: QEvent) -> None:
        """Write the text in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.text.setHtml(self._html())

    def _html(self) -> str:
        project = self._studio.project
        values = project.context.values if project else None
        texts = [
            explained(finding, self._review, values, wide=self._below) for finding in self._findings
        ]
        return "<hr>".join(texts) or hint()

    # -- doing ----------------------------------------------------------------------------------
    def _follow(self, link: QUrl) -> None:
        """Open the row of a table, or a page in the browser."""
        text = link.toString()
        if not text.startswith(ROW_LINK):
            QDesktopServices.openUrl(link)
            return
        key = text.removeprefix(ROW_LINK)
        finding = next((f for f in self._findings if f.key == key), None)
        project = self._studio.project
        if finding is None or project is None:
            return
        values = project.context.values
        row = evidence_of(finding, values.torch_version, values.chip)
        if row is not None:
            self._studio.reveal(Location.source(*row.place()))

    def _show_similar(self) -> None:
        if self._findings:
            self._studio.run("migration.similar", finding=self._findings[0])

    def _same_rule(self) -> list[Finding]:
        rules = {finding.rule for finding in self._findings if can_decide(finding)}
        return [f for rule in rules for f in self._review.of_rule(rule) if can_decide(f)]

    def _accept_rule(self) -> None:
        self.decided.emit(self._same_rule(), Decision.ACCEPTED)

    def _button(self, icon: str, title: str, keys: str, decision: Decision) -> QPushButton:
        button = QPushButton(title)
        set_icon(button, icon)
        button.setToolTip(with_keys(title, keys))
        button.clicked.connect(
            lambda _checked=False: self.decided.emit(list(self._findings), decision)
        )
        return button
