"""The card beside the pointer: name, exact times, lane; or a counter's value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.lanetitles import place
from studio.i18n import tr
from studio.ui.text import exact_ns, format_number
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.state import TimelineState

_WIDEST = 420.0
_LINE = 16.0
_PADDING = 9.0
_AWAY = 16


@dataclass(frozen=True, slots=True)
class Card:
    """A heading with its colour, and lines of text."""

    heading: str
    lines: tuple[str, ...]
    colour: QColor


def card_at(state: TimelineState, place: QPoint) -> Card | None:
    """Tell what is under the pointer; None over empty ground."""
    if state.hover_slice >= 0:
        return slice_card(state, state.hover_slice)
    band = state.lanes.at(place.y())
    if band is None or band.track is None:
        return None
    if band.kind == "counter":
        return _counter_card(state, band)
    return _instant_card(state, band, place.x()) if band.kind == "instants" else None


def slice_card(state: TimelineState, index: int) -> Card:
    """Describe a slice."""
    scene = state.scene
    trace = scene.trace
    start, duration = int(scene.rows.start[index]), int(scene.rows.duration[index])
    length = exact_ns(duration)
    if trace.open_ended[index]:
        length = tr("{time} or longer: its end was not written", time=length)
    lane = trace.lanes[int(trace.lane[index])]
    return Card(
        trace.names[int(trace.name[index])],
        (
            tr("Duration {time}", time=length),
            tr("Start {time}", time=exact(start - scene.start)),
            place(lane),
        ),
        state.palette.fills[int(scene.rows.slot[index])],
    )


def _counter_card(state: TimelineState, band: Band) -> Card | None:
    if band.track is None or state.cursor is None:
        return None
    value = state.scene.counters[band.track.number].at(state.cursor)
    text = tr("not recorded here") if value is None else format_number(value, 9)
    return Card(
        band.track.title,
        (text, tr("at {time}", time=exact(state.cursor - state.scene.start))),
        state.palette.theme.category(band.track.number),
    )


def _instant_card(state: TimelineState, band: Band, x: float) -> Card | None:
    if band.track is None:
        return None
    number = state.scene.instants[band.track.number].nearest(state.viewport, x)
    return instant_card(state, number) if number >= 0 else None


def instant_card(state: TimelineState, number: int) -> Card:
    """Describe an event without duration."""
    trace = state.scene.trace
    lane = trace.lanes[int(trace.instants.lane[number])]
    return Card(
        trace.names[int(trace.instants.name[number])],
        (
            tr("at {time}", time=exact(int(trace.instants.time[number]) - state.scene.start)),
            place(lane),
        ),
        state.palette.theme.colour("muted"),
    )


def draw_card(painter: QPainter, state: TimelineState, place: QPoint) -> None:
    """Draw the card near the pointer, inside the lane area."""
    card = card_at(state, place)
    if card is None:
        return
    plain, bold = label_font(), label_font()
    plain.setPixelSize(12)
    bold.setPixelSize(12)
    bold.setWeight(QFont.Weight.DemiBold)
    metrics, strong = QFontMetricsF(plain), QFontMetricsF(bold)
    heading = strong.elidedText(card.heading, Qt.TextElideMode.ElideMiddle, _WIDEST)
    lines = [metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, _WIDEST) for line in card.lines]
    wide = max(
        strong.horizontalAdvance(heading) + 14,
        *(metrics.horizontalAdvance(line) for line in lines),
    )
    box = QRectF(0, 0, wide + 2 * _PADDING, _LINE * (1 + len(lines)) + 2 * _PADDING - 3)
    box.moveTo(_place(state, place, box))
    colour = state.palette.colour
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour("line"), 1))
    painter.setBrush(colour("raised", 0.97))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(card.colour)
    x, y = box.left() + _PADDING, box.top() + _PADDING
    painter.drawRoundedRect(QRectF(x, y + 1, 9, 9), 2, 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(colour("text"))
    painter.setFont(bold)
    painter.drawText(QPointF(x + 14, y + strong.ascent() - 2), heading)
    painter.setFont(plain)
    for number, line in enumerate(lines):
        painter.setPen(colour("text" if number == 0 else "muted"))
        painter.drawText(QPointF(x, y + metrics.ascent() - 1 + _LINE * (number + 1)), line)


def _place(state: TimelineState, place: QPoint, box: QRectF) -> QPointF:
    x, y = float(place.x() + _AWAY), float(place.y() + _AWAY)
    if x + box.width() > state.width - 4:
        x = max(place.x() - _AWAY - box.width(), 4.0)
    if y + box.height() > state.lanes.height - 4:
        y = max(place.y() - _AWAY - box.height(), 4.0)
    return QPointF(x, y)
