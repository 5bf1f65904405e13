"""How the titles of processes and lanes look, and what lies where on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QPolygonF

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.layout import ROW, Band
from studio.i18n import tr, trn
from studio.ui.icons import icon
from studio.ui.text import format_number, format_percent
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from plugins.timeline.ui.state import TimelineState

EDGE = 5
"""Pixels at the right edge that change the width."""

_BUTTON = 18
_SHARE = 38


@dataclass
class Look:
    """What the pointer and the keys are at."""

    hovered: str = ""
    current: str = ""
    focused: bool = False
    dragged: str = ""
    drop: int = 0


def part_at(state: TimelineState, band: Band, place: QPoint, width: int) -> str:
    """Return what is at a place: "pin", "hide" or "title"."""
    for name, box in _buttons(state, band, width):
        if box.contains(place):
            return name
    return "title"


def explain(state: TimelineState, band: Band, *, hints: bool = False) -> str:
    """Say all about a process or lane, and what can be done."""
    if band.track is None:
        count = len(band.group.tracks)
        text = f"{band.group.title} · {trn('{n} lane', '{n} lanes', count)}"
        hint = tr("Click to unfold") if band.folded else tr("Click to fold")
    else:
        text = f"{band.group.title} · {band.track.title}"
        hint = ""
        if band.kind == "slices":
            start, end = state.range or state.shown()
            busy = state.scene.utilisation.within(band.track.number, start, end)
            text += "\n" + tr(
                "busy {time} of {span} ({share})",
                time=exact(busy),
                span=exact(end - start),
                share=format_percent(busy / max(end - start, 1)),
            )
        if band.track.rows > 1:
            hint = tr("Click for full rows") if band.folded else tr("Click for low rows")
    if not hints:
        return text
    more = tr("Drag to move it; Ctrl+click selects its time; right click for more")
    return "\n".join(filter(None, (text, hint, more)))


def draw_bands(painter: QPainter, state: TimelineState, look: Look, width: int) -> None:
    """Draw all titles that are in view."""
    lanes, colour = state.lanes, state.palette.colour
    painter.fillRect(QRect(0, 0, width, lanes.height), colour("surface"))
    over_pinned = False
    for band in lanes.shown():
        if band.pinned and lanes.sticky and not over_pinned:
            over_pinned = True
            painter.fillRect(QRect(0, 0, width, lanes.sticky), colour("surface"))
        if band.kind == "process":
            _draw_process(painter, state, look, band, width)
        else:
            _draw_track(painter, state, look, band, width)
        if look.focused and band.key == look.current:
            painter.setPen(QPen(colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRect(1, lanes.y(band), width - 4, band.height - 3))
    if lanes.sticky:
        painter.fillRect(QRect(0, lanes.sticky - 2, width, 2), colour("line"))
    if look.dragged:
        _draw_drop(painter, state, look, width)
    painter.setPen(colour("line"))
    painter.drawLine(width - 1, 0, width - 1, lanes.height)


def _draw_process(
    painter: QPainter, state: TimelineState, look: Look, band: Band, width: int
) -> None:
    colour = state.palette.colour
    y = state.lanes.y(band)
    painter.fillRect(QRect(0, y, width, band.height), colour("raised"))
    painter.setPen(colour("line"))
    painter.drawLine(0, y, width, y)
    painter.drawLine(0, y + band.height - 1, width, y + band.height - 1)
    _draw_chevron(painter, state, 12, y + band.height / 2, band.folded)
    font = label_font()
    font.setPixelSize(12)
    font.setWeight(QFont.Weight.DemiBold)
    right = width - 8
    if band.key == look.hovered and not look.dragged:
        right = _draw_buttons(painter, state, band, width)
    elif band.group.labels:
        right = _draw_chip(painter, state, band.group.labels, right, y + band.height // 2, width)
    painter.setFont(font)
    painter.setPen(colour("text"))
    room = right - 22 - 6
    title = QFontMetrics(font).elidedText(band.group.title, Qt.TextElideMode.ElideRight, room)
    painter.drawText(QRect(22, y, room, band.height), Qt.AlignmentFlag.AlignVCenter, title)


def _draw_chip(
    painter: QPainter, state: TimelineState, text: str, right: int, middle: int, width: int
) -> int:
    colour = state.palette.colour
    font = label_font()
    font.setPixelSize(10)
    painter.setFont(font)
    wide = min(QFontMetrics(font).horizontalAdvance(text) + 10, width // 3)
    box = QRectF(right - wide, middle - 8, wide, 15)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("hover"))
    painter.drawRoundedRect(box, 7, 7)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(colour("muted"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    return right - wide


def _draw_track(
    painter: QPainter, state: TimelineState, look: Look, band: Band, width: int
) -> None:
    track, colour, lanes = band.track, state.palette.colour, state.lanes
    if track is None:
        return
    y = lanes.y(band)
    visible = max(y, lanes.clip(band)) if y + band.height > ROW else y
    visible = min(visible, y + band.height - ROW - 4)
    if not band.first and not (band.pinned and band.top == 0):
        painter.setPen(colour("line", 0.6))
        painter.drawLine(0, y - 3, width - 1, y - 3)
    chosen = state.area is not None and band.key in state.area
    if chosen:
        painter.fillRect(QRect(0, y - 2, width - 1, band.height - 1), colour("selected", 0.7))
    if _holds_selected(state, band):
        painter.fillRect(QRect(0, y, 3, band.height - 5), colour("accent"))
    if track.rows > 1:
        _draw_chevron(painter, state, 20, visible + ROW / 2, band.folded)
    font = label_font()
    painter.setFont(font)
    metrics = QFontMetrics(font)
    if band.key == look.hovered and not look.dragged:
        right = _draw_buttons(painter, state, band, width)
    elif band.kind == "counter":
        right = _draw_scale(painter, state, band, y, width - 8, metrics)
    else:
        right = _draw_share(painter, state, band, visible, width - 8)
    painter.setFont(font)
    painter.setPen(colour("text", 0.92))
    room = right - 30 - 4
    title = metrics.elidedText(band.title, Qt.TextElideMode.ElideMiddle, room)
    painter.drawText(QRect(30, visible, room, ROW), Qt.AlignmentFlag.AlignVCenter, title)


def _holds_selected(state: TimelineState, band: Band) -> bool:
    if state.selected < 0 or band.track is None or band.kind != "slices":
        return False
    return 0 <= state.scene.row_of(state.selected) - band.track.first_row < band.track.rows


def _draw_share(painter: QPainter, state: TimelineState, band: Band, y: int, right: int) -> int:
    """Write how busy a lane is in view, over a bar as long as that share."""
    track = band.track
    if track is None or band.kind != "slices":
        return right
    start, end = state.range or state.shown()
    share = state.scene.utilisation.within(track.number, start, end) / max(end - start, 1)
    if share <= 0:
        return right
    colour = state.palette.colour
    font = label_font()
    font.setPixelSize(10)
    painter.setFont(font)
    painter.setPen(colour("muted"))
    text = f"{share:.0%}" if share >= 0.095 else f"{share:.1%}" if share >= 0.001 else "<0.1%"
    box = QRect(right - _SHARE, y, _SHARE, ROW - 2)
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    bar = QRectF(right - _SHARE + 4, y + ROW - 3, _SHARE - 4, 2)
    painter.fillRect(bar, colour("line"))
    bar.setWidth(max(bar.width() * min(share, 1.0), 1.0))
    painter.fillRect(bar, colour("accent" if state.range is not None else "muted"))
    return right - _SHARE


def _draw_scale(
    painter: QPainter, state: TimelineState, band: Band, y: int, right: int, metrics: QFontMetrics
) -> int:
    """Write the largest value of a counter's lane beside its top."""
    if band.track is None:
        return right
    top = format_number(state.scene.counters[band.track.number].largest, 3)
    painter.setPen(state.palette.colour("muted"))
    wide = metrics.horizontalAdvance(top)
    painter.drawText(QRect(right - wide, y, wide, ROW), Qt.AlignmentFlag.AlignVCenter, top)
    return right - wide - 4


def _buttons(state: TimelineState, band: Band, width: int) -> list[tuple[str, QRect]]:
    """The buttons that show while the pointer is on a title."""
    y = state.lanes.y(band)
    middle = y + band.height // 2 if band.track is None else y + ROW // 2
    middle = max(middle, state.lanes.clip(band) + ROW // 2)
    names = ["hide"] if band.track is None else ["hide", "pin"]
    return [
        (name, QRect(width - EDGE - 2 - _BUTTON * (place + 1), middle - 9, _BUTTON, _BUTTON))
        for place, name in enumerate(names)
    ]


def _draw_buttons(painter: QPainter, state: TimelineState, band: Band, width: int) -> int:
    right = width - 8
    for name, box in _buttons(state, band, width):
        on = name == "pin" and band.pinned
        picture = icon("pin" if name == "pin" else "close", "accent" if on else "text")
        picture.paint(painter, box.adjusted(2, 2, -2, -2))
        right = min(right, box.left())
    return right


def _draw_drop(painter: QPainter, state: TimelineState, look: Look, width: int) -> None:
    """Draw a line where the dragged lane would land."""
    lanes = state.lanes
    band = lanes.layout.band_of(look.dragged)
    if band is None:
        return
    target = lanes.layout.band_of(lanes.drop_before(band, look.drop))
    if target is not None:
        y = lanes.y(target) - (2 if target.track is not None else 0)
    else:
        last = lanes.layout.band_of(lanes.siblings(band)[-1])
        y = lanes.height if last is None else lanes.y(last) + last.height - 3
    painter.fillRect(QRect(0, y - 1, width - 1, 3), state.palette.colour("accent"))


def _draw_chevron(
    painter: QPainter, state: TimelineState, x: float, y: float, folded: bool
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(state.palette.colour("muted"))
    side = 3.5
    points = (
        [QPointF(x - 2, y - side), QPointF(x + 3, y), QPointF(x - 2, y + side)]
        if folded
        else [QPointF(x - side, y - 2), QPointF(x + side, y - 2), QPointF(x, y + 3)]
    )
    painter.drawPolygon(QPolygonF(points))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
