"""Icons: 16 px drawings of one stroke style, tinted by the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from studio.paths import resource
from studio.ui.theme import Look, current_look

_SIZES = (16, 24, 32, 48)
_NAME = "studio_icon"
_TOKEN = "studio_icon_token"
_EDGE = "studio_icon_edge"


def icon(name: str, token: str = "text", edge: int = 16) -> QIcon:
    """The icon `name` in the colour of a theme token; empty when there is no such drawing.

    `edge` is the size at which it is sharp on every screen.
    """
    look = current_look()
    key = (name, token, edge)
    if key not in look.icons:
        look.icons[key] = _drawn(name, token, look, edge)
    return look.icons[key]


def pixmap(name: str, size: int, token: str = "text", ratio: float = 1.0) -> QPixmap:
    """The icon as a picture of `size` logical pixels for a screen of `ratio` pixels per pixel."""
    drawing = _drawing(name)
    colour = current_look().theme.colour(token)
    if drawing is None:
        return QPixmap()
    picture = _painted(_tinted(drawing, colour), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    return picture


def set_icon(
    target: QAction | QAbstractButton, name: str, token: str = "text", edge: int = 16
) -> None:
    """Give an action or button an icon that follows changes of the theme.

    `edge` is its size in logical pixels, in which it is sharp on every screen.
    """
    target.setProperty(_NAME, name)
    target.setProperty(_TOKEN, token)
    target.setProperty(_EDGE, edge)
    target.setIcon(icon(name, token, edge))
    current_look().tinted.add(target)


def retint() -> None:
    """Renew all icons that were given by `set_icon`, after the theme changed."""
    for target in list(current_look().tinted):
        if isValid(target) and isinstance(target, QAction | QAbstractButton):
            name, token = str(target.property(_NAME)), str(target.property(_TOKEN))
            target.setIcon(icon(name, token, int(target.property(_EDGE))))


def has_icon(name: str) -> bool:
    """Whether there is a drawing of this name."""
    return _drawing(name) is not None


def _drawn(name: str, token: str, look: Look, edge: int) -> QIcon:
    result = QIcon()
    drawing = _drawing(name)
    if drawing is None:
        return result
    lit, dim = look.theme.colour(token), look.theme.mix("muted", "surface", 0.45)
    renderer = _tinted(drawing, lit)
    for size in _SIZES if edge == 16 else (edge, 2 * edge, 3 * edge):
        picture = _painted(renderer, size)
        result.addPixmap(picture, QIcon.Mode.Normal)
        result.addPixmap(picture, QIcon.Mode.Selected)
        result.addPixmap(_recoloured(picture, dim), QIcon.Mode.Disabled)
    return result


def _recoloured(picture: QPixmap, colour: QColor) -> QPixmap:
    """The same drawing in another colour: drawings have one."""
    other = picture.copy()
    painter = QPainter(other)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(other.rect(), colour)
    painter.end()
    return other


def _tinted(drawing: bytes, colour: QColor) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(drawing.replace(b"currentColor", colour.name().encode())))


def _painted(drawing: QSvgRenderer, edge: int) -> QPixmap:
    picture = QPixmap(edge, edge)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    drawing.render(painter, QRectF(0, 0, edge, edge))
    painter.end()
    return picture


@lru_cache(maxsize=512)
def _drawing(name: str) -> bytes | None:
    path = resource("icons", f"{name}.svg")
    return path.read_bytes() if name and path.is_file() else None
