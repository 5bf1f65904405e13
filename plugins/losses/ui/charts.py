"""The curves of one or two runs, and below them how far they lie apart; both move together."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from plugins.losses.core.curves import smooth
from plugins.losses.ui.polyline import polyline
from studio.i18n import tr
from studio.ui.chart import CountAxis, Curve, LineChart
from studio.ui.chips import Chip, Chips
from studio.ui.text import format_number, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QColor

    from plugins.losses.core.compare import LossComparison

_WEIGHT = 0.9
BASE, CANDIDATE, ERROR, TOLERANCE = "base", "candidate", "error", "tolerance"


class Charts(QWidget):
    """Values above, relative difference below."""

    def __init__(self) -> None:
        super().__init__()
        self.values = LineChart(
            name=tr("Values by step"), axis=_axis(), from_zero=False, write=_written
        )
        self.errors = LineChart(name=tr("Relative difference by step"), axis=_axis())
        self.errors.set_writer(lambda share: f"{share * 100:.4g} %", 0.01, "%")
        self.chips = Chips()
        self._names: dict[str, str] = {}
        self._moving = False
        self._lay_out()

    def show_values(
        self,
        candidate: Mapping[int, float],
        base: Mapping[int, float] | None,
        names: tuple[str, str],
        smoothed: bool,
    ) -> None:
        """Show the values of one run or two; names are those of candidate and base."""
        colours = self._colours()
        sides = [(CANDIDATE, names[0], candidate)]
        if base is not None:
            sides.insert(0, (BASE, names[1], base))
        curves = []
        for key, name, series in sides:
            if smoothed:
                pale = colours[key]
                pale.setAlphaF(0.35)
                curves.append(Curve(f"{key} raw", name, polyline(series), pale))
                even = smooth(list(series.values()), _WEIGHT)
                series = dict(zip(series, even, strict=True))
                name = tr("{name} (smoothed)", name=name)
            curves.append(Curve(key, name, polyline(series), self._colours()[key]))
        self._names = {key: name for key, name, _ in sides}
        self.values.set_curves(curves)
        self.values.redraw()
        self._renew_chips()

    def show_errors(self, found: LossComparison | None) -> None:
        """Show how far two runs lie apart; nothing for a single run."""
        self.errors.setVisible(found is not None)
        if found is None:
            return
        errors = {row.step: row.relative_error or 0.0 for row in found.finite}
        errors = {step: error for step, error in errors.items() if error < inf}
        colours = self._colours()
        ends = [found.rows[0].step, found.rows[-1].step]
        limit = polyline(dict.fromkeys(ends, found.tolerance))
        title = tr("relative difference")
        self.errors.set_curves(
            [
                Curve(TOLERANCE, tr("tolerance"), limit, colours[TOLERANCE], dashed=True),
                Curve(ERROR, title, polyline(errors), colours[ERROR], filled=True),
            ]
        )
        self.errors.redraw()

    def mark(self, step: int | None) -> None:
        """Mark a step in both charts."""
        chosen = None if step is None else (step, step)
        self.values.set_range(chosen)
        self.errors.set_range(chosen)

    def show_all(self) -> None:
        """Show all steps."""
        self.values.show_all()

    def idle(self) -> bool:
        """Whether all is drawn."""
        return self.values.idle() and (self.errors.isHidden() or self.errors.idle())

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_names"):
            colours = self._colours()
            for side in (BASE, CANDIDATE):
                pale = self._colours()[side]
                pale.setAlphaF(0.35)
                colours[f"{side} raw"] = pale
            self.values.recolour(colours)
            self.errors.recolour(colours)
            self._renew_chips()

    def _renew_chips(self) -> None:
        colours = self._colours()
        self.chips.set_chips([Chip(key, name, colours[key]) for key, name in self._names.items()])

    def _toggle(self, key: str, shown: bool) -> None:
        self.values.set_shown(key, shown)
        self.values.set_shown(f"{key} raw", shown)

    def _colours(self) -> dict[str, QColor]:
        theme = current_theme()
        return {
            BASE: theme.category(1),
            CANDIDATE: theme.category(0),
            ERROR: theme.colour("warn"),
            TOLERANCE: theme.colour("muted"),
        }

    def _follow(self, leader: LineChart, follower: LineChart) -> None:
        if not self._moving:
            self._moving = True
            follower.show_times(*leader.shown_times())
            self._moving = False

    def _lay_out(self) -> None:
        self.values.view_changed.connect(lambda: self._follow(self.values, self.errors))
        self.errors.view_changed.connect(lambda: self._follow(self.errors, self.values))
        self.chips.toggled.connect(self._toggle)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.values)
        halves.addWidget(self.errors)
        halves.setSizes([420, 220])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.chips)
        column.addWidget(halves, 1)


def _axis() -> CountAxis:
    return CountAxis(lambda step: tr("step {n}", n=thousands(step)))


def _written(value: float) -> str:
    return format_number(value, 6)
