"""Why a change is proposed: the rule, the reason, before and after, the effort, the evidence."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from plugins.migration.ui.looks import (
    decision_title,
    effort_title,
    status_colour,
    status_of,
    status_title,
)
from plugins.migration.ui.review import can_decide
from studio.i18n import tr
from studio.ui.diff import Decision
from studio.ui.fonts import mono_font
from studio.ui.icons import set_icon
from studio.ui.text import with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding


class WhyPane(QWidget):
    """Explains the findings at hand and lets one decide about them, or about all of their rule."""

    decided = Signal(list, Decision)
    rule_accepted = Signal(str)

    def __init__(self, review: Review, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._findings: Sequence[Finding] = ()
        self.text = QTextBrowser()
        self.text.setOpenExternalLinks(True)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setAccessibleName(tr("Why"))
        self.text.document().setDocumentMargin(12)
        self.accept = self._button("accept", tr("Accept"), "A", Decision.ACCEPTED)
        self.reject = self._button("reject", tr("Reject"), "R", Decision.REJECTED)
        self.same = QPushButton()
        self.same.clicked.connect(lambda _checked=False: self._accept_rule())
        buttons = QHBoxLayout()
        buttons.setContentsMargins(12, 6, 12, 0)
        buttons.setSpacing(6)
        buttons.addWidget(self.accept)
        buttons.addWidget(self.reject)
        buttons.addStretch()
        below = QHBoxLayout()
        below.setContentsMargins(12, 6, 12, 10)
        below.addWidget(self.same)
        below.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.text, 1)
        column.addLayout(buttons)
        column.addLayout(below)
        self.setMinimumWidth(220)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.explain(())

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
        self.text.setHtml(self._html())

    def changeEvent(self, event: QEvent) -> None:
        """Write the text in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.text.setHtml(self._html())

    # -- text -----------------------------------------------------------------------------------
    def _html(self) -> str:
        theme = current_theme()
        if not self._findings:
            muted = theme.tokens["muted"]
            hint = tr("Select a change to see why it is proposed.")
            return f"<p style='color:{muted}'>{escape(hint)}</p>"
        return "<hr>".join(self._finding_html(finding) for finding in self._findings)

    def _finding_html(self, finding: Finding) -> str:
        theme = current_theme()
        muted = theme.tokens["muted"]
        status = status_of(finding)
        colour = status_colour(status).name()
        head = f"<span style='color:{colour}'>● {escape(status_title(status))}</span>"
        facts = [head]
        if effort := effort_title(str(finding.facts.get("effort", ""))):
            facts.append(escape(tr("effort: {effort}", effort=effort)))
        if can_decide(finding):
            facts.append(escape(decision_title(self._review.decision(finding))))
        parts = [
            f"<p style='font-size:large;margin-bottom:2px'><b>{escape(finding.title)}</b></p>",
            f"<p style='color:{muted};margin-top:0'>{' &nbsp;·&nbsp; '.join(facts)}</p>",
        ]
        parts += [f"<p>{escape(line)}</p>" for line in finding.why.splitlines() if line.strip()]
        old, new = str(finding.facts.get("old", "")), str(finding.facts.get("new", ""))
        if new:
            parts += [self._code(old, "removed", "-"), self._code(new, "added", "+")]
        elif old:
            parts.append(self._code(old, "", ""))
        place = tr("line {line}", line=finding.location.line)
        foot = [place, tr("rule {rule}", rule=finding.rule)]
        if finding.evidence:
            foot.append(tr("source: {source}", source=finding.evidence))
        small = "<br>".join(escape(text) for text in foot)
        parts.append(f"<p style='color:{muted};font-size:small'>{small}</p>")
        return "".join(parts)

    def _code(self, text: str, kind: str, sign: str) -> str:
        if not text:
            return ""
        theme = current_theme()
        back = theme.diff[kind] if kind else theme.tokens["raised"]
        family = mono_font().families()[0]
        lines = "<br>".join(
            escape(f"{sign} {line}" if sign else line).replace(" ", "&nbsp;")
            for line in text.splitlines()
        )
        return (
            f"<table width='100%' cellpadding='5' style='margin-top:2px'><tr>"
            f"<td bgcolor='{back}' style='font-family:\"{family}\"'>{lines}</td></tr></table>"
        )

    # -- deciding -------------------------------------------------------------------------------
    def _same_rule(self) -> list[Finding]:
        rules = {finding.rule for finding in self._findings if can_decide(finding)}
        return [
            finding
            for path in self._review.files()
            for finding in self._review.findings(path)
            if finding.rule in rules and can_decide(finding)
        ]

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
