"""The colours of terminals, taken from the theme so that they can be read in each of them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QFont, QTextCharFormat

from studio.ui.theme import Theme, current_theme

if TYPE_CHECKING:
    from plugins.run.core.screen import Style

_TOKENS = ("muted", "error", "ok", "warn", "accent", "info", "info", "text")
_LEAST, _BLENDS = 4.5, 20
_STEPS = (0, 95, 135, 175, 215, 255)


def format_of(style: Style) -> QTextCharFormat:
    """How a style is shown in the current theme."""
    look = QTextCharFormat()
    theme = current_theme()
    ink, ground = _colour(style.ink, theme), _colour(style.ground, theme)
    if style.inverse:
        ink, ground = ground or theme.colour("bg"), ink or theme.colour("text")
    if style.faint:
        ink = theme.colour("muted")
    behind = ground or theme.colour("bg")
    if ink is not None or ground is not None:
        ink = legible(ink or theme.colour("text"), behind)
    if ink is not None:  # else the colour of the widget
        look.setForeground(ink)
    if ground is not None:
        look.setBackground(ground)
    if style.bold:
        look.setFontWeight(QFont.Weight.Bold)
    look.setFontItalic(style.italic)
    look.setFontUnderline(style.underlined)
    return look


def _colour(colour: int | str | None, theme: Theme) -> QColor | None:
    """A colour of the palette of xterm: 16 of the theme, a cube of 6×6×6, and 24 greys."""
    if colour is None:
        return None
    if isinstance(colour, str):
        return QColor(colour)
    if colour < 16:
        return QColor(theme.colour(_TOKENS[colour % 8]))
    if colour < 232:
        red, green, blue = (colour - 16) // 36, (colour - 16) // 6 % 6, (colour - 16) % 6
        return QColor(_STEPS[red], _STEPS[green], _STEPS[blue])
    grey = 8 + 10 * (colour - 232)
    return QColor(grey, grey, grey)


def legible(ink: QColor, ground: QColor) -> QColor:
    """A colour meant for another ground, moved towards black or white until it can be read."""
    return QColor(_legible(ink.rgb(), ground.rgb()))


@lru_cache(4096)
def _legible(ink: int, ground: int) -> int:
    behind, wanted = QColor(ground), QColor(ink)
    end = max(QColor("black"), QColor("white"), key=lambda colour: contrast(colour, behind))
    for step in range(_BLENDS):
        part = step / _BLENDS
        red, green, blue = (
            round(own + (other - own) * part)
            for own, other in zip(_parts(wanted), _parts(end), strict=True)
        )
        mixed = QColor(red, green, blue)
        if contrast(mixed, behind) >= _LEAST:
            return mixed.rgb()
    return end.rgb()


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.1, contrast ratio)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    """Relative luminance (WCAG 2.1)."""
    parts = [part / 255 for part in _parts(colour)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4) for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
