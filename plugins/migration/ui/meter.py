"""The readiness of a project as a figure, one bar of colours, and the counts behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from plugins.migration.ui.counts import Summary
from plugins.migration.ui.looks import STATUSES, status_colour, status_title
from studio.i18n import tr, trn
from studio.ui.text import format_percent
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = tuple(status for status in STATUSES if status != "info")


class ReadinessHeader(QWidget):
    """A figure, a bar and the counts behind it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._summary = Summary()
        self._figure = QLabel()
        font = self._figure.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self._figure.setFont(font)
        self._counts = QLabel()
        self._counts.setProperty("role", "muted")
        self._counts.setWordWrap(True)
        self._legend = QLabel()
        self._legend.setWordWrap(True)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._bar = ReadinessBar(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        for widget in (self._figure, self._bar, self._legend, self._counts):
            column.addWidget(widget)

    def show_summary(self, summary: Summary) -> None:
        """Show other counts."""
        self._summary = summary
        share = format_percent(summary.readiness)
        self._figure.setText(tr("{share} automatic", share=share))
        self._figure.setToolTip(
            tr("The share of the findings that are rewritten without work by hand or a look")
        )
        self._bar.show_counts(summary.statuses)
        parts = [
            trn("{n} file", "{n} files", summary.files),
            tr("{n} of {total} accepted", n=summary.accepted, total=summary.changes),
        ]
        if summary.rejected:
            parts.append(tr("{n} rejected", n=summary.rejected))
        self._counts.setText(" · ".join(parts))
        self._draw_legend()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the legend in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw_legend()

    def _draw_legend(self) -> None:
        parts = [
            f"<span style='color:{status_colour(status).name()}'>■</span>&nbsp;"
            f"{self._summary.statuses[status]}&nbsp;{status_title(status).replace(' ', '&nbsp;')}"
            for status in _SHOWN
            if self._summary.statuses.get(status)
        ]
        self._legend.setText(" &nbsp; ".join(parts))
        self._legend.setVisible(bool(parts))


class ReadinessBar(QWidget):
    """Findings by what is to be done, as one bar of colours."""

    def __init__(self, parent: QWidget | None = None, height: int = 8) -> None:
        super().__init__(parent)
        self._height = height
        self._counts: Mapping[str, int] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(100, self._height)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Show other counts."""
        self._counts = counts
        words = [f"{counts[s]} {status_title(s)}" for s in _SHOWN if counts.get(s)]
        self.setToolTip("\n".join(words))
        self.setAccessibleName(", ".join(words))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a piece for each status, never narrower than can be seen."""
        theme = current_theme()
        painter = QPainter(self)
        total = sum(self._counts.get(status, 0) for status in _SHOWN)
        left = 0.0
        for status in _SHOWN:
            count = self._counts.get(status, 0)
            if count:
                width = max(self.width() * count / total - 1, 3.0)
                place = QRectF(left, 1, width, self._height - 2)
                painter.fillRect(place, status_colour(status))
                left += width + 1
        if not total:
            painter.fillRect(QRectF(0, 1, self.width(), self._height - 2), theme.colour("line"))
        painter.end()
