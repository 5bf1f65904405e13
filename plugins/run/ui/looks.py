"""The colours of terminals, taken from the theme so that they can be read in each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QFont, QTextCharFormat

from studio.ui.theme import Theme, current_theme

if TYPE_CHECKING:
    from plugins.run.core.screen import Style

_TOKENS = ("muted", "error", "ok", "warn", "accent", "info", "info", "text")
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
