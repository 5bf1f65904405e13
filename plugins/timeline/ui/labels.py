"""Names on slices: drawn once into small pictures, then copied, so that hundreds cost little."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPainter, QPixmap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.timeline.ui.frame import Placed
    from plugins.timeline.ui.state import TimelineState

MOST = 700
"""Labels drawn at most in one frame; the widest slices keep theirs."""

_NEW = 250
"""Names drawn for the first time in one frame."""

_NARROWEST = 30.0
_ELLIPSIS_FROM = 54
"""In narrower room a cut name is just cut: dots would take the place of what can be read."""

_PADDING = 4
_LONGEST = 120
_CACHED = 4000
_HEIGHT = 17
_FRAME = re.compile(r"^(?:.*[/\\])?(?P<file>[^/\\]+)\((?P<line>\d+)\): (?P<function>.+)$")

_PREFIX = re.compile(
    r"^(?:aten::|c10d::|nn\.Module: |AscendCL@(?=acl)|Runtime@|hcom_|aclnn(?=[A-Z]))(?=.)"
)


@dataclass(frozen=True, slots=True)
class _Text:
    picture: QPixmap
    widths: Sequence[float]


@dataclass
class Labels:
    """Draws the names of slices; holds the pictures of names drawn before."""

    ratio: float = 1.0
    font: QFont = field(default_factory=lambda: label_font())
    _cache: dict[tuple[str, int], _Text] = field(default_factory=dict)
    _advances: dict[str, float] = field(default_factory=dict)
    _left: int = 0

    def draw(self, painter: QPainter, state: TimelineState, placed: Placed, ratio: float) -> bool:
        """Draw the names of those slices that are wide enough.

        Returns False when so many names were new that some are left for the next frame.
        """
        self._left = _NEW
        if ratio != self.ratio or len(self._cache) > _CACHED:
            self.ratio = ratio
            self._cache.clear()
        chosen = np.flatnonzero(placed.width >= _NARROWEST)
        if chosen.size > MOST:
            widest = np.argpartition(placed.width[chosen], chosen.size - MOST)[-MOST:]
            chosen = chosen[widest]
        trace, palette = state.scene.trace, state.palette
        indices = placed.index[chosen]
        slots, names = state.scene.rows.slot[indices], trace.name[indices]
        lit = np.ones(chosen.size, np.bool_) if state.hits is None else state.hits.hold(indices)
        for index, slot, name, is_lit in zip(
            chosen.tolist(), slots.tolist(), names.tolist(), lit.tolist(), strict=True
        ):
            ink = palette.inks[slot]
            if not is_lit or palette.is_muted(slot):
                ink = palette.theme.colour("muted")
            top, clip = int(placed.top[index]), int(placed.clip[index])
            if top < clip:
                painter.setClipRect(0, clip, state.width, state.lanes.height)
            self._draw_one(
                painter, placed.left[index], top, placed.width[index], trace.names[name], ink
            )
            if top < clip:
                painter.setClipping(False)
        return self._left >= 0

    def _draw_one(
        self, painter: QPainter, left: float, top: int, width: float, name: str, ink: QColor
    ) -> None:
        room = int(width) - 2 * _PADDING
        text = self._text(name, ink)
        if text is not None and text.widths[-1] > room and (short := without_prefix(name)) != name:
            text = self._text(short, ink)
        if text is None:
            return
        x, y = int(left) + _PADDING, top
        if text.widths[-1] <= room:
            painter.drawPixmap(x, y, text.picture)
            return
        dots = self._text("...", ink) if room >= _ELLIPSIS_FROM else None
        fitting = bisect_right(text.widths, room - (dots.widths[-1] if dots else 0))
        if fitting < 2:
            return
        cut = text.widths[fitting - 1]
        painter.drawPixmap(x, y, text.picture, 0, 0, round(cut * self.ratio), text.picture.height())
        if dots is not None:
            painter.drawPixmap(x + round(cut), y, dots.picture)

    def _text(self, name: str, ink: QColor) -> _Text | None:
        key = (name, ink.rgb())
        found = self._cache.get(key)
        if found is None:
            self._left -= 1
            if self._left < 0 and name != "...":
                return None
            found = self._cache[key] = self._render(short_name(name)[:_LONGEST], ink)
        return found

    def _render(self, text: str, ink: QColor) -> _Text:
        metrics = QFontMetricsF(self.font)
        widths, total = [], 0.0
        for character in text or " ":
            advance = self._advances.get(character)
            if advance is None:
                advance = self._advances[character] = metrics.horizontalAdvance(character)
            total += advance
            widths.append(total)
        picture = QPixmap(max(round((total + 2) * self.ratio), 1), round(_HEIGHT * self.ratio))
        picture.setDevicePixelRatio(self.ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setFont(self.font)
        painter.setPen(ink)
        baseline = (_HEIGHT + metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(0, round(baseline)), text)
        painter.end()
        return _Text(picture, widths)


def label_font() -> QFont:
    """The font of names on slices and titles of lanes: eleven pixels high."""
    font = QGuiApplication.font()
    font.setPixelSize(11)
    return font


def short_name(name: str) -> str:
    """Shorten a Python frame to what tells most: `forward  model.py:91`."""
    frame = _FRAME.match(name)
    if frame is None:
        return name
    return f"{frame['function']}  {frame['file']}:{frame['line']}"


def without_prefix(name: str) -> str:
    """Leave out what many names begin with, where there is no room: `aten::mm` as `mm`."""
    return _PREFIX.sub("", name)
