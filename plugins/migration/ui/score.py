"""The head of the overview: how ready the project is, how far the decisions are, what is next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from plugins.migration.ui.meter import ReadinessBar
from studio.i18n import tr, trn
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.migration.ui.counts import Summary


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: a sentence, a button and what it asks for."""

    text: str
    title: str
    action: str


class Score(QWidget):
    """A large figure, a bar of colours, and the next step as the one large button."""

    stepped = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step = Step("", "", "")
        self.figure = QLabel()
        font = self.figure.font()
        font.setPointSizeF(font.pointSizeF() * 2.6)
        self.figure.setFont(font)
        self._unit = _muted(tr("rewritten automatically"))
        self._unit.setWordWrap(True)
        self.bar = ReadinessBar(height=12)
        self.decided = _muted("")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.button = QPushButton()
        self.button.setProperty("primary", True)
        self.button.clicked.connect(lambda _checked=False: self.stepped.emit(self._step.action))
        self._arrange()

    def show_summary(self, summary: Summary, strategy: str) -> None:
        """Show other counts; a shim replaces names at run time, so only the rest is counted."""
        shim = strategy == "shim"
        self._unit.setText(
            tr("of what the shim leaves is automatic") if shim else tr("rewritten automatically")
        )
        self.figure.setText(f"{summary.readiness * 100:.0f} %")
        tip = tr("The share of the findings that are rewritten without work by hand or a look")
        self.figure.setToolTip(tip)
        self._unit.setToolTip(tip)
        self.bar.show_counts(summary.statuses)
        parts = [trn("{n} change", "{n} changes", summary.changes)]
        for number, text in (
            (summary.accepted, tr("{n} accepted", n=thousands(summary.accepted))),
            (summary.rejected, tr("{n} rejected", n=thousands(summary.rejected))),
            (summary.open, tr("{n} undecided", n=thousands(summary.open))),
        ):
            if number:
                parts.append(text)
        self.decided.setText(" · ".join(parts))
        self._step = next_step(summary)
        self.text.setText(self._step.text)
        self.button.setText(self._step.title)
        self.button.setVisible(bool(self._step.title))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the hairline that ends the head."""
        painter = QPainter(self)
        line = QRect(0, self.height() - 1, self.width(), 1)
        painter.fillRect(line, current_theme().colour("line"))
        painter.end()

    def _arrange(self) -> None:
        figure = QVBoxLayout()
        figure.setSpacing(0)
        figure.addWidget(self.figure)
        figure.addWidget(self._unit)
        middle = QVBoxLayout()
        middle.setSpacing(8)
        middle.addStretch()
        middle.addWidget(self.bar)
        middle.addWidget(self.decided)
        middle.addStretch()
        following = QVBoxLayout()
        following.setSpacing(8)
        following.addStretch()
        following.addWidget(self.text)
        following.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)
        following.addStretch()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(24)
        row.addLayout(figure, 3)
        row.addLayout(middle, 8)
        row.addLayout(following, 5)


def next_step(summary: Summary) -> Step:
    """What brings the migration on: the safe changes, then the others, then applying them."""
    if summary.safe:
        number = thousands(summary.safe)
        text = trn("{n} change is safe without a look.", "{n} changes are safe without a look.",
                   summary.safe)  # fmt: skip
        return Step(text, tr("Accept {n} safe changes", n=number), "accept_safe")
    if summary.open:
        text = trn("{n} change asks for a look.", "{n} changes ask for a look.", summary.open)
        return Step(text, tr("Review the next change"), "review")
    if summary.accepted:
        text = tr("Every change is decided.")
        title = trn(
            "Apply {n} accepted change…", "Apply {n} accepted changes…", summary.accepted
        )  # fmt: skip
        return Step(text, title, "apply")
    by_hand = summary.statuses.get("manual", 0) + summary.statuses.get("unsupported", 0)
    if by_hand:
        text = trn("{n} place needs work by hand.", "{n} places need work by hand.", by_hand)
        return Step(text, tr("Show them"), "by_hand")
    return Step(tr("There is nothing left to decide."), "", "")


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "muted")
    return label
