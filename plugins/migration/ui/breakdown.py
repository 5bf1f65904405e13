"""What there is to do, counted in four ways and by rule for what needs work by hand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.migration.core.assessment.facts import category_name
from plugins.migration.ui.bars import Bar, BarList
from plugins.migration.ui.looks import (
    EFFORTS,
    ICONS,
    SEVERITIES,
    STATUSES,
    effort_title,
    severity_title,
    status_colour,
    status_title,
)
from plugins.migration.ui.ruletitles import rule_title
from studio.i18n import tr
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.migration.ui.review import Review


_MOST_OPERATORS = 12
_CALLS = frozenset(["custom-operator-use", "custom-operator-call"])


class Breakdown(QWidget):
    """Lists of bars; a click on one asks for the list of what it counts."""

    chosen = Signal(str)
    """A filter, such as "category:device"."""

    def __init__(self, review: Review, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self.statuses = BarList(tr("What is to be done"))
        self.categories = BarList(tr("What it is about"))
        self.by_hand = BarList(tr("What needs work by hand, by rule"), name_width=220)
        self.operators = BarList(tr("Operators of the project, by calls"), name_width=220)
        self.efforts = BarList(tr("Effort of what is not automatic"))
        self.severities = BarList(tr("How severe"))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(16)
        for name, part in (
            ("status", self.statuses),
            ("category", self.categories),
            ("rule", self.by_hand),
            ("", self.operators),
            ("effort", self.efforts),
            ("severity", self.severities),
        ):
            column.addWidget(part)
            part.chosen.connect(
                lambda key, name=name: self.chosen.emit(f"{name}:{key}" if name else key)
            )
        column.addStretch()

    def refresh(self) -> None:
        """Count anew."""
        theme, counts = current_theme(), self._review.counts
        accent = theme.mix("bg", "accent", 0.8)
        statuses = counts.statuses()
        self.statuses.show_bars(
            [
                Bar(status, status_title(status), statuses[status], status_colour(status),
                    ICONS[status])
                for status in STATUSES
                if statuses[status]
            ]
        )  # fmt: skip
        self.categories.show_bars(
            [
                Bar(category, category_name(category), number, accent)
                for category, number in counts.by("category").most_common()
            ]
        )
        self.by_hand.show_bars(
            [
                Bar(rule, rule_title(rule), number, theme.mix("warn", "error", 0.5),
                    tip=f"{rule}: {number}\n{tr('effort: {effort}', effort=effort_title(effort))}")
                for (rule, effort), number in counts.by_hand().most_common()
            ]
        )  # fmt: skip
        self.operators.show_bars(
            [
                Bar(name, name, number, theme.mix("warn", "error", 0.5))
                for name, number in _called(self._review).most_common(_MOST_OPERATORS)
            ]
        )
        efforts = counts.by("effort")
        self.efforts.show_bars(
            [
                Bar(effort, effort_title(effort).capitalize(), efforts[effort],
                    theme.mix("warn", "error", share))
                for effort, share in EFFORTS.items()
                if efforts[effort]
            ]
        )  # fmt: skip
        severities = counts.by("severity")
        self.severities.show_bars(
            [
                Bar(name, severity_title(name), severities[name], theme.colour(token),
                    (drawing, token))
                for name, (drawing, token) in SEVERITIES.items()
                if severities[name]
            ]
        )  # fmt: skip


def _called(review: Review) -> Counter[str]:
    """The operators that the project builds itself, by how often they are called."""
    return Counter(
        str(finding.facts.get("name", ""))
        for result in review.results.values()
        for finding in result.findings
        if finding.rule in _CALLS
    )
