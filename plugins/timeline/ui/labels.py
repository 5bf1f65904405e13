"""Names on slices: drawn once into small pictures, then copied, so that hundreds cost little."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPainter, QPixmap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from plugins.timeline.ui.frame import Placed
    from plugins.timeline.ui.state import TimelineState

MOST = 500
"""Labels drawn at most in one frame; the widest slices keep theirs."""

_NEW_FOR = 0.002
"""Seconds of one frame in which names are drawn for the first time; the others follow in the next
ones, so that moving stays smooth."""

_NARROWEST = 30.0
_DOTS_FROM = 54
"""In narrower room a cut name is just cut: dots would take the place of what can be read."""

_FEWEST = 2
_DIMMED, _MIDDLE = 2, 127
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
    """A drawn name: its picture, and how far it reaches after each character."""

    picture: QPixmap
    widths: Sequence[float]
    total: float


@dataclass
class Labels:
    """Draws the names of slices; holds the pictures of names drawn before."""

    ratio: float = 1.0
    theme: str = ""
    font: QFont = field(default_factory=lambda: label_font())
    _cache: dict[tuple[str, int], _Text] = field(default_factory=dict)
    _advances: dict[str, float] = field(default_factory=dict)
    hurried: bool = True
    """Whether names may be left for the next frame; not so in pictures that are saved."""
    _until: float = 0.0
    _left: bool = False

    def draw(self, painter: QPainter, state: TimelineState, placed: Placed, ratio: float) -> bool:
        """Draw the names of those slices that are wide enough.

        Returns False when so many names were new that some are left for the next frame.
        """
        self._until, self._left = perf_counter() + _NEW_FOR, False
        theme = state.palette.theme.name
        if (ratio, theme) != (self.ratio, self.theme) or len(self._cache) > _CACHED:
            self.ratio, self.theme = ratio, theme
            self._cache.clear()
        chosen = np.flatnonzero(placed.width >= _NARROWEST)
        if chosen.size > MOST:
            widest = np.argpartition(placed.width[chosen], chosen.size - MOST)[-MOST:]
            chosen = chosen[widest]
        trace, indices = state.scene.trace, placed.index[chosen]
        texts, cache = trace.names, self._cache
        inks, colours = _inks(state, indices)
        clipped = (placed.top < placed.clip)[chosen]
        for place, name, ink, left, top, room, is_clipped in zip(
            chosen.tolist(),
            trace.name[indices].tolist(),
            inks,
            (placed.left[chosen].astype(np.int64) + _PADDING).tolist(),
            placed.top[chosen].tolist(),
            (placed.width[chosen] - 2 * _PADDING).tolist(),
            clipped.tolist(),
            strict=True,
        ):
            text = cache.get((texts[name], ink)) or self._text(texts[name], ink, colours)
            if is_clipped:
                painter.setClipRect(0, int(placed.clip[place]), state.width, state.lanes.height)
            if text is not None and text.total <= room:
                painter.drawPixmap(left, top, text.picture)
            elif text is not None:
                self._draw_cut(painter, left, top, room, (texts[name], ink), colours)
            if is_clipped:
                painter.setClipping(False)
        return not self._left

    def _draw_cut(
        self,
        painter: QPainter,
        left: int,
        top: int,
        room: float,
        key: tuple[str, int],
        colours: Sequence[QColor],
    ) -> None:
        """Draw what fits of a name, without its prefix; with dots where there is room for them."""
        name, ink = key
        text = self._text(without_prefix(name), ink, colours)
        if text is None or text.total <= room:
            if text is not None:
                painter.drawPixmap(left, top, text.picture)
            return
        dots = self._text("...", ink, colours) if room >= _DOTS_FROM else None
        fitting = bisect_right(text.widths, room - (dots.total if dots else 0))
        if fitting < _FEWEST:
            return
        cut = text.widths[fitting - 1]
        height = text.picture.height()
        painter.drawPixmap(left, top, text.picture, 0, 0, round(cut * self.ratio), height)
        if dots is not None:
            painter.drawPixmap(left + round(cut), top, dots.picture)

    def _text(self, name: str, ink: int, colours: Sequence[QColor]) -> _Text | None:
        found = self._cache.get((name, ink))
        if found is None:
            if self.hurried and name != "..." and perf_counter() > self._until:
                self._left = True
                return None
            found = self._render(short_name(name)[:_LONGEST], colours[ink])
            self._cache[name, ink] = found
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
        return _Text(picture, widths, total)


def _inks(state: TimelineState, indices: NDArray[np.int64]) -> tuple[list[int], list[QColor]]:
    """Which of three inks each slice's name has: dark, light, or that of what is dimmed."""
    palette = state.palette
    light = np.array([ink.lightness() > _MIDDLE for ink in palette.inks], np.int64)
    table = np.where([palette.is_muted(slot) for slot in range(len(palette.inks))], _DIMMED, light)
    inks = table[state.scene.rows.slot[indices]]
    if state.hits is not None:
        inks = np.where(state.hits.hold(indices), inks, _DIMMED)
    return inks.tolist(), [QColor("#000000"), QColor("#ffffff"), palette.theme.colour("muted")]


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
