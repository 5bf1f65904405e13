"""Which rows of a comparison are shown: by verdict, by step and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox

from plugins.precision.core.align.change import Change
from plugins.precision.core.words import change_word, part_words, word
from plugins.precision.ui.prepared import ALL, CHANGED, DEVIATING
from studio.i18n import tr

if TYPE_CHECKING:
    from plugins.precision.ui.prepared import Prepared


class Filters:
    """Two boxes in the tool bar of the view."""

    def __init__(self) -> None:
        self.status, self.part = QComboBox(), QComboBox()
        self._wanted: str | None = None
        for box, name in ((self.status, tr("Verdicts to show")), (self.part, tr("Step and rank"))):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setMinimumContentsLength(12)

    def want_status(self, status: str | None) -> None:
        """Filter by this verdict once there is a result."""
        self._wanted = status

    def fill(self, found: Prepared) -> None:
        """Offer what a comparison has; what was chosen stays when it has that too."""
        wanted = self._wanted or self.status.currentData()
        self._wanted = None
        with QSignalBlocker(self.status), QSignalBlocker(self.part):
            self.status.clear()
            self.status.addItem(tr("All tensors"), ALL)
            self.status.addItem(tr("Deviating"), DEVIATING)
            changes = [change for change in found.changes if change is not Change.SAME]
            if changes:
                self.status.addItem(tr("Changed calls"), CHANGED)
            for status in found.counts:
                self.status.addItem(word(status), status.value)
            for change in changes:
                self.status.addItem(change_word(change), f"{CHANGED} {change.value}")
            self.status.setCurrentIndex(max(self.status.findData(wanted), 0))
            self.part.clear()
            for part in found.parts:
                self.part.addItem(part_words(part) or tr("All"), part.label)
            first = found.overview.diagnosis.first
            self.part.setCurrentIndex(max(self.part.findData(first.label if first else ""), 0))

    def show_part(self, label: str) -> None:
        """Choose a step and rank."""
        self.part.setCurrentIndex(max(self.part.findData(label), 0))

    def chosen(self) -> tuple[str, str]:
        """The verdict and the part that are chosen."""
        return str(self.status.currentData() or ""), str(self.part.currentData() or "")
