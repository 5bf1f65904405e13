"""The curves of one or two runs, and below them how far they lie apart; both move together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from plugins.losses.ui.polyline import polyline
from plugins.losses.ui.prepared import BASE, CANDIDATE
from studio.i18n import tr
from studio.ui.chart import CountAxis, Curve, LineChart
from studio.ui.chips import Chip, Chips
from studio.ui.text import format_number, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.losses.ui.prepared import Prepared

ERROR, TOLERANCE = "error", "tolerance"


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

    def show_series(self, shown: Prepared, tolerance: float) -> None:
        """Show the curves of all runs, and below them how far they lie from the base."""
        colours = self._colours(run.key for run in shown.runs)
        curves = []
        for run in shown.runs:
            if run.raw is not None:
                pale = colours[f"{run.key} raw"]
                curves.append(Curve(f"{run.key} raw", run.name, run.raw, pale))
            curves.append(Curve(run.key, run.name, run.curve, colours[run.key]))
        self._names = {run.key: run.name for run in shown.runs}
        self.values.set_curves(curves)
        self.values.redraw()
        self._renew_chips()
        self._show_errors(shown, tolerance)

    def _show_errors(self, shown: Prepared, tolerance: float) -> None:
        self.errors.setVisible(bool(shown.errors))
        if not shown.errors or not shown.steps:
            return
        colours = self._colours(self._names)
        limit = polyline(dict.fromkeys((shown.steps[0], shown.steps[-1]), tolerance))
        several = len(shown.errors) > 1
        curves = [Curve(TOLERANCE, tr("tolerance"), limit, colours[TOLERANCE], dashed=True)]
        for key, name, errors in shown.errors:
            title = name if several else tr("relative difference")
            colour = colours[key if several else ERROR]
            curves.append(Curve(f"{key} {ERROR}", title, errors, colour, filled=not several))
        self.errors.set_curves(curves)
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
            colours = self._colours(self._names)
            several = len(self._names) > 2
            for key in self._names:
                colours[f"{key} {ERROR}"] = colours[key if several else ERROR]
            self.values.recolour(colours)
            self.errors.recolour(colours)
            self._renew_chips()

    def _renew_chips(self) -> None:
        colours = self._colours(self._names)
        self.chips.set_chips([Chip(key, name, colours[key]) for key, name in self._names.items()])

    def _toggle(self, key: str, shown: bool) -> None:
        self.values.set_shown(key, shown)
        self.values.set_shown(f"{key} raw", shown)

    def _colours(self, keys: Iterable[str]) -> dict[str, QColor]:
        """Colours of runs, of what was smoothed, and of the parts that charts always have."""
        theme = current_theme()
        colours = {ERROR: theme.colour("warn"), TOLERANCE: theme.colour("muted")}
        places = {BASE: 1, CANDIDATE: 0}
        for number, key in enumerate(key for key in keys if key not in places):
            # The next colours in their order, but for those of base and candidate.
            colours[key] = theme.category(2 + number)
        colours |= {key: theme.category(place) for key, place in places.items()}
        for key in [*places, *(key for key in colours if key.startswith("run "))]:
            pale = QColor(colours[key])
            pale.setAlphaF(0.35)
            colours[f"{key} raw"] = pale
        return colours

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
        halves.setSizes([420, 240])
        self.errors.setMinimumHeight(150)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.chips)
        column.addWidget(halves, 1)


def _axis() -> CountAxis:
    return CountAxis(lambda step: tr("step {n}", n=thousands(step)))


def _written(value: float) -> str:
    return format_number(value, 6)
