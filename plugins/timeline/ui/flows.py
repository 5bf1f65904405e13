"""Arrows between slices: what a launch started, what a wait waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from plugins.timeline.ui.layout import group_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray
    from PySide6.QtGui import QColor

    from plugins.timeline.ui.state import TimelineState
    from studio.trace import Flows as TraceFlows

MOST = 300
"""Of more flows in view, so many are drawn, evenly chosen."""

_CURVE = 46.0


@dataclass(frozen=True, slots=True)
class Links:
    """Slices before and after one slice along its flows."""

    preceding: tuple[int, ...]
    following: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """The numbers of the flows that leave a slice, and of those that enter it."""

    leaving: NDArray[np.int64]
    entering: NDArray[np.int64]


@dataclass(frozen=True)
class Flows:
    """Pairs of slices: `source[i]` leads to `target[i]`; times tell where on the slices."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    source_time: NDArray[np.int64]
    target_time: NDArray[np.int64]
    category: NDArray[np.int32]
    categories: Sequence[str]
    by_time: NDArray[np.int64]
    _latest: dict[int, Ends] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, flows: TraceFlows, categories: Sequence[str]) -> Flows:
        """Index the flows of a trace; those without a slice at an end are left out."""
        kept = (flows.source_slice >= 0) & (flows.target_slice >= 0)
        source = flows.source_slice[kept].astype(np.int32)
        target = flows.target_slice[kept].astype(np.int32)
        source_time = flows.source_time[kept]
        return cls(
            source,
            target,
            source_time,
            flows.target_time[kept],
            flows.category[kept].astype(np.int32),
            categories,
            _by_time(source_time),
        )

    def counts(self) -> dict[str, int]:
        """How many flows each category has, the largest first."""
        count = np.bincount(self.category, minlength=len(self.categories)).tolist()
        present = [(name, n) for name, n in zip(self.categories, count, strict=False) if n]
        return dict(sorted(present, key=lambda pair: (-pair[1], pair[0])))

    def without(
        self, numbers: NDArray[np.int64], categories: AbstractSet[str]
    ) -> NDArray[np.int64]:
        """Leave out the flows of some categories."""
        if not categories:
            return numbers
        off = np.array([name in categories for name in self.categories], np.bool_)
        return numbers[~off[self.category[numbers]]]

    def of_slice(self, index: int) -> Links:
        """Return the slices linked with one."""
        ends = self._ends(index)
        before, after = self.source[ends.entering], self.target[ends.leaving]
        return Links(
            tuple(int(i) for i in np.unique(before)), tuple(int(i) for i in np.unique(after))
        )

    def at_slice(self, index: int) -> NDArray[np.int64]:
        """Return the numbers of the flows that begin or end at a slice."""
        ends = self._ends(index)
        return np.concatenate([ends.leaving, ends.entering])

    def _ends(self, index: int) -> Ends:
        """Looked up once for the slice that is selected: a scan costs less than an index."""
        if index not in self._latest:
            self._latest.clear()
            leaving, entering = (np.flatnonzero(c == index) for c in (self.source, self.target))
            self._latest[index] = Ends(leaving, entering)
        return self._latest[index]

    def starting(self, start: int, end: int) -> NDArray[np.int64]:
        """Return the numbers of the flows that begin within `[start, end)`."""
        low, high = np.searchsorted(self.source_time, (start, end), sorter=self.by_time)
        return self.by_time[low:high]


def _by_time(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order by time, which is mostly that of the trace."""
    if (times[1:] >= times[:-1]).all():
        return np.arange(times.size)
    return np.argsort(times, kind="stable")


def some(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose evenly among more flows than can be told apart."""
    if numbers.size <= MOST:
        return numbers
    return numbers[np.arange(MOST) * numbers.size // MOST]


def of_selected(state: TimelineState) -> NDArray[np.int64]:
    """The flows of the selected slice, without those of categories that are off."""
    flows = state.scene.flows
    own = flows.at_slice(state.selected) if state.selected >= 0 else flows.by_time[:0]
    return flows.without(own, state.flows_off)


def flow_colour(state: TimelineState, category: int) -> QColor:
    """The colour of the flows of a category."""
    return state.palette.theme.category(category * 5 + 1)


def draw_flows(painter: QPainter, state: TimelineState) -> None:
    """Draw the flows of the selected slice, and those in view when asked for and few."""
    own = of_selected(state)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if state.all_flows:
        for number in np.setdiff1d(some(state.flows_in_view()), own).tolist():
            _draw_one(painter, state, number, strong=False)
    for number in some(own).tolist():
        _draw_one(painter, state, number, strong=True)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_one(painter: QPainter, state: TimelineState, number: int, *, strong: bool) -> None:
    flows = state.scene.flows
    begin = _end(state, int(flows.source[number]), _leaving(state, number))
    end = _end(state, int(flows.target[number]), int(flows.target_time[number]))
    if begin is None or end is None:
        return
    if max(begin.x(), end.x()) < -50 or min(begin.x(), end.x()) > state.width + 50:
        return
    bend = min(max(abs(end.x() - begin.x()) * 0.5, 12.0), 160.0) if strong else _CURVE
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end)
    if strong:
        colour = state.palette.colour("accent")
    else:
        colour = flow_colour(state, int(flows.category[number]))
        colour.setAlphaF(0.7)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if strong:
        painter.setPen(QPen(state.palette.colour("bg", 0.8), 4))
        painter.drawPath(path)
    painter.setPen(QPen(colour, 1.6 if strong else 1.0))
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    size = 6.0 if strong else 4.0
    painter.drawPolygon(
        QPolygonF([end, end + QPointF(-size, -size * 0.6), end + QPointF(-size, size * 0.6)])
    )
    if strong:
        painter.drawEllipse(begin, 2.5, 2.5)


def _leaving(state: TimelineState, number: int) -> int:
    """Return when an arrow leaves its slice: at its end, unless the target began before that."""
    flows, rows = state.scene.flows, state.scene.rows
    source = int(flows.source[number])
    end = int(rows.start[source] + rows.duration[source])
    return end if end <= int(flows.target_time[number]) else int(flows.source_time[number])


def _end(state: TimelineState, index: int, time: int) -> QPointF | None:
    """Return where a flow touches a slice; at its process's heading when that is folded."""
    scene = state.scene
    row = scene.row_of(index)
    start = int(scene.rows.start[index])
    inside = min(max(time, start), start + int(scene.rows.duration[index]))
    x = min(max(state.viewport.x(inside), -1e5), 1e5)
    lanes = state.lanes
    band = lanes.layout.band_of_row(row)
    if band is not None:
        return QPointF(x, lanes.row_y(band, row) + band.row_height / 2)
    found = group_of_row(lanes.arranged.groups, row)
    heading = lanes.layout.band_of(found[0].key) if found is not None else None
    return None if heading is None else QPointF(x, lanes.y(heading) + heading.height / 2)
