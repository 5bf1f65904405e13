"""Colours of the timeline, made from the theme: a table from slot and busy share to a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from plugins.timeline.core.colouring import VARIANTS
from plugins.timeline.ui.classes import KINDS
from plugins.timeline.ui.raster import SHARES

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from studio.ui.theme import Theme

SLOTS = 1 + len(KINDS) * VARIANTS
"""Number of colour slots, that of nothing included."""

_FAINTEST = 0.3
_DIMMED = 0.2
_LIGHTNESS = (1.0, 1.1, 0.9, 1.18)


@dataclass(frozen=True)
class Palette:
    """Everything the timeline paints with; made anew when the theme changes."""

    theme: Theme
    fills: tuple[QColor, ...]
    inks: tuple[QColor, ...]
    table: NDArray[np.uint32]
    dimmed: NDArray[np.uint32]
    muted: AbstractSet[int] = frozenset()

    def is_muted(self, slot: int) -> bool:
        """Whether the user dimmed what has the colour of a slot."""
        return slot in self.muted

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """Return a token's colour, made transparent."""
        colour = self.theme.colour(token)
        colour.setAlphaF(alpha)
        return colour


def make_palette(theme: Theme, muted: AbstractSet[int] = frozenset()) -> Palette:
    """Build the palette of a theme; the slots in `muted` are dimmed."""
    background = theme.colour("bg")
    fills = [background]
    for kind in KINDS:
        base = mixed(theme, kind.colours)
        fills += [_shaded(base, _LIGHTNESS[variant]) for variant in range(VARIANTS)]
    dims = [slot in muted for slot in range(SLOTS)]
    full, faint = _table(fills, background, 1.0), _table(fills, background, _DIMMED)
    shown = np.where(np.repeat(dims, SHARES), faint, full)
    return Palette(theme, tuple(fills), tuple(map(_ink, fills)), shown, faint, muted)


def mixed(theme: Theme, colours: tuple[tuple[str, float], ...]) -> QColor:
    """Mix colours of the theme by their shares."""
    parts = [(_named(theme, name), share) for name, share in colours]
    red, green, blue = (
        round(sum(getattr(colour, channel)() * share for colour, share in parts))
        for channel in ("red", "green", "blue")
    )
    return QColor(red, green, blue)


def contrast(first: QColor, second: QColor) -> float:
    """Return the contrast of two colours as WCAG defines it, 1 to 21."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _named(theme: Theme, name: str) -> QColor:
    if name.isdigit():
        return theme.category(int(name))
    step, _, last = name.partition("/")
    if last:
        # the ends of the scale lie too close to the ground and to white
        return theme.sequential(0.25 + 0.75 * int(step) / int(last))
    return theme.semantic(name) if name in theme.semantics else theme.colour(name)


def _shaded(colour: QColor, factor: float) -> QColor:
    lightness = min(colour.lightnessF() * factor, max(colour.lightnessF(), 0.8))
    return QColor.fromHslF(max(colour.hslHueF(), 0.0), colour.hslSaturationF(), lightness)


def _ink(fill: QColor) -> QColor:
    """Choose black or white for text on a fill, whichever is easier to read."""
    dark, light = QColor("#000000"), QColor("#ffffff")
    return dark if contrast(fill, dark) >= contrast(fill, light) else light


def _luminance(colour: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    return (
        0.2126 * linear(colour.redF())
        + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF())
    )


def _table(fills: list[QColor], background: QColor, strength: float) -> NDArray[np.uint32]:
    """Blend every fill with the background, for each step of the busy share."""
    channels = np.array([[c.red(), c.green(), c.blue()] for c in fills], np.float64)
    ground = np.array([background.red(), background.green(), background.blue()], np.float64)
    share = np.linspace(0.0, 1.0, SHARES)
    weight = strength * (_FAINTEST + (1 - _FAINTEST) * share)
    mixture = ground + (channels[:, None, :] - ground) * weight[None, :, None]
    red, green, blue = (mixture[:, :, i].round().astype(np.uint32) for i in range(3))
    packed = (np.uint32(255) << 24) | (red << 16) | (green << 8) | blue
    return np.asarray(packed, np.uint32).ravel()


def swatch(colour: QColor, ratio: float) -> QPixmap:
    """A small patch of a colour for lists and menus, sharp at `ratio` pixels per pixel."""
    picture = QPixmap(round(12 * ratio), round(12 * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(0, 0, 12, 12, 3, 3)
    painter.end()
    return picture
