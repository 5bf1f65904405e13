"""Themes: the one table of colours behind Qt's palette, Scintilla and the charts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from studio.kernel.errors import StudioError
from studio.paths import resource
from studio.ui.style import palette_of, style_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QObject

THEMES = ("dark", "light", "contrast")
"""The bundled themes, by file name."""

_PROPERTY = "studio_look"


@dataclass(frozen=True)
class Theme:
    """Colours by meaning; views ask for tokens and never name a colour themselves."""

    name: str
    title: str
    dark: bool
    tokens: Mapping[str, str]
    categories: Sequence[str]
    semantics: Mapping[str, str]
    sequential_stops: Sequence[str]
    diverging_stops: Sequence[str]
    diff: Mapping[str, str]
    syntax: Mapping[str, str]

    def colour(self, token: str) -> QColor:
        """The colour of a token: bg, surface, raised, line, hover, text, muted and so on."""
        return QColor(self.tokens[token])

    def category(self, index: int) -> QColor:
        """One of the twelve categorical colours; larger numbers begin anew."""
        return QColor(self.categories[index % len(self.categories)])

    def semantic(self, name: str) -> QColor:
        """The fixed colour of computing, communication, free, memory_copy, host or overflow."""
        return QColor(self.semantics[name])

    def sequential(self, fraction: float) -> QColor:
        """A colour for an amount, 0 to 1."""
        return _along(self.sequential_stops, fraction)

    def diverging(self, fraction: float) -> QColor:
        """A colour for a signed amount, -1 to 1."""
        return _along(self.diverging_stops, (fraction + 1) / 2)

    def mix(self, first: str, second: str, fraction: float) -> QColor:
        """The colour `fraction` of the way from one token to another."""
        return _along((self.tokens[first], self.tokens[second]), fraction)


@dataclass
class Look:
    """What belongs to the running application.

    Its theme, icons already tinted for it, the actions and buttons whose icons follow it, and the
    icons of themes that were chosen before.
    """

    theme: Theme
    icons: dict[tuple[str, str, int], QIcon] = field(default_factory=dict)
    tinted: WeakSet[QObject] = field(default_factory=WeakSet)
    drawn: dict[str, dict[tuple[str, str, int], QIcon]] = field(default_factory=dict)


def load_theme(name: str) -> Theme:
    """Read one bundled theme."""
    path = resource("themes", f"{name}.toml")
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return Theme(
            name=name,
            title=raw["title"],
            dark=raw["dark"],
            tokens=raw["tokens"],
            categories=raw["categories"]["colours"],
            semantics=raw["semantic"],
            sequential_stops=raw["scales"]["sequential"],
            diverging_stops=raw["scales"]["diverging"],
            diff=raw["diff"],
            syntax=raw["syntax"],
        )
    except (OSError, ValueError, KeyError) as error:
        raise StudioError(f"The theme {name} cannot be read: {error}", path=path) from error


def chosen_theme(setting: str) -> str:
    """The theme for a setting's value; "system" follows the desktop where Qt tells its choice."""
    if setting in THEMES:
        return setting
    scheme = QGuiApplication.styleHints().colorScheme()
    return "light" if scheme == Qt.ColorScheme.Light else "dark"


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Give the application its colours; every widget hears of it as a palette change."""
    before = current_look()
    known = {**before.drawn, before.theme.name: before.icons}
    look = Look(theme, known.get(theme.name, {}), before.tinted, known)
    app.setProperty(_PROPERTY, look)
    app.setStyleSheet("")  # a sheet in place of another takes Qt five times as long as a first one
    app.setPalette(palette_of(theme.tokens))
    app.setStyleSheet(style_sheet(theme.tokens))


def current_look() -> Look:
    """The look of the running application; plain dark before one was applied."""
    app = QApplication.instance()
    look = app.property(_PROPERTY) if app is not None else None
    if isinstance(look, Look):
        return look
    look = Look(load_theme("dark"))
    if app is not None:
        app.setProperty(_PROPERTY, look)
    return look


def current_theme() -> Theme:
    """The theme of the running application."""
    return current_look().theme


def _along(stops: Sequence[str], fraction: float) -> QColor:
    place = min(max(fraction, 0.0), 1.0) * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    low, high, part = QColor(stops[index]), QColor(stops[index + 1]), place - index
    return QColor(
        round(low.red() + (high.red() - low.red()) * part),
        round(low.green() + (high.green() - low.green()) * part),
        round(low.blue() + (high.blue() - low.blue()) * part),
    )
