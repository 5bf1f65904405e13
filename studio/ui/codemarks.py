"""Numbers and looks of the markers and indicators that the Scintilla editor uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyside6_scintilla import Scintilla as S  # noqa: TID253 - imported with the first editor

from studio.ui.code import Mark, Tint
from studio.ui.codecolours import bgr

if TYPE_CHECKING:
    from PySide6.QtGui import QColor
    from pyside6_scintilla import ScintillaEdit

    from studio.ui.theme import Theme

# Markers 25–31 belong to folding and 21–24 to the change history; indicators 0–7 to lexers.
MARK_MARKERS = {Mark.ERROR: 3, Mark.WARNING: 2, Mark.INFO: 1, Mark.HINT: 0}
TINT_MARKERS = {tint: 5 + number for number, tint in enumerate(Tint)}
SQUIGGLES = {Mark.ERROR: 11, Mark.WARNING: 10, Mark.INFO: 9, Mark.HINT: 8}
HIT, CURRENT_HIT, FLASH = 13, 14, 15
WORD_OLD, WORD_NEW, STRUCK = 16, 17, 18
CLOSER = 19
"""Unseen, on what was put in to close a bracket or a quote."""

MARGIN_MARKS, MARGIN_NUMBERS, MARGIN_HISTORY, MARGIN_FOLDS, MARGIN_REST = range(5)
_ALL_FOLDERS = -33554432
"""SC_MASK_FOLDERS, 0xFE000000, as the signed number the binding takes."""


def mark_colour(theme: Theme, mark: Mark) -> QColor:
    """The colour of a severity."""
    names = {Mark.ERROR: "error", Mark.WARNING: "warn", Mark.INFO: "info", Mark.HINT: "muted"}
    return theme.colour(names[mark])


def prepare(edit: ScintillaEdit) -> None:
    """Lay out the margins and define marker symbols; colours come with `colour_marks`.

    A marker colours its whole line only if no margin shows it, so every margin's mask is set. The
    icons of findings are drawn by our own painting: sharp at any scale.
    """
    edit.indicSetStyle(CLOSER, S.IndicatorStyle.Hidden)
    edit.setMargins(5)
    edit.setMarginLeft(6)
    for margin, kind, width in (
        (MARGIN_MARKS, S.MarginType.Colour, 18),
        (MARGIN_NUMBERS, S.MarginType.Number, 30),
        (MARGIN_HISTORY, S.MarginType.Symbol, 4),
        (MARGIN_FOLDS, S.MarginType.Symbol, 16),
        (MARGIN_REST, S.MarginType.Symbol, 0),
    ):
        edit.setMarginTypeN(margin, kind)
        edit.setMarginWidthN(margin, width)
        edit.setMarginMaskN(margin, 0)
    edit.setMarginMaskN(MARGIN_FOLDS, _ALL_FOLDERS)
    edit.setMarginMaskN(MARGIN_HISTORY, 0b1111 << 21)
    edit.setMarginSensitiveN(MARGIN_FOLDS, True)
    edit.setMarginSensitiveN(MARGIN_MARKS, True)
    for number in MARK_MARKERS.values():
        edit.markerDefine(number, S.MarkerSymbol.Empty)
    for number in TINT_MARKERS.values():
        edit.markerDefine(number, S.MarkerSymbol.Background)
    for number in range(25, 32):
        edit.markerDefine(number, S.MarkerSymbol.Empty)  # the arrows of folds are painted as icons
    for number in range(21, 25):
        edit.markerDefine(number, S.MarkerSymbol.Bar)


def colour_marks(edit: ScintillaEdit, theme: Theme) -> None:
    """Give markers and indicators the theme's colours."""
    edit.setMarginBackN(MARGIN_MARKS, bgr(theme.colour("bg")))
    for margin in (MARGIN_NUMBERS, MARGIN_HISTORY, MARGIN_FOLDS):
        edit.setMarginBackN(margin, bgr(theme.colour("bg")))
    for number, token in ((21, "muted"), (22, "ok"), (23, "info"), (24, "muted")):
        edit.markerSetFore(number, bgr(theme.mix("bg", token, 0.75)))
        edit.markerSetBack(number, bgr(theme.mix("bg", token, 0.75)))
    tints: dict[Tint, QColor | str] = {
        Tint.ADDED: theme.diff["added"],
        Tint.REMOVED: theme.diff["removed"],
        Tint.CHANGED: theme.diff["changed"],
        Tint.FILLER: theme.diff["filler"],
        Tint.REJECTED: theme.tokens["raised"],
        Tint.MOVED: theme.diff["moved"],
        Tint.FLASH: theme.mix("bg", "accent", 0.28),
    }
    for tint, number in TINT_MARKERS.items():
        edit.markerSetBack(number, bgr(tints[tint]))
    for mark, number in SQUIGGLES.items():
        style = S.IndicatorStyle.Dots if mark is Mark.HINT else S.IndicatorStyle.Squiggle
        edit.indicSetStyle(number, style)
        edit.indicSetFore(number, bgr(mark_colour(theme, mark)))
    for number, colour, fill, outline in (
        (HIT, theme.colour("warn"), 60, 90),
        (CURRENT_HIT, theme.colour("warn"), 120, 255),
        (FLASH, theme.colour("accent"), 70, 160),
    ):
        _box(edit, number, colour, fill, outline)
    for number, word in ((WORD_OLD, "removed_word"), (WORD_NEW, "added_word")):
        edit.indicSetStyle(number, S.IndicatorStyle.FullBox)
        edit.indicSetFore(number, bgr(theme.diff[word]))
        edit.indicSetAlpha(number, 255)
        edit.indicSetOutlineAlpha(number, 255)
        edit.indicSetUnder(number, True)
    edit.indicSetStyle(STRUCK, S.IndicatorStyle.Strike)
    edit.indicSetFore(STRUCK, bgr(theme.colour("muted")))


def _box(edit: ScintillaEdit, number: int, colour: QColor, fill: int, outline: int) -> None:
    edit.indicSetStyle(number, S.IndicatorStyle.StraightBox)
    edit.indicSetFore(number, bgr(colour))
    edit.indicSetAlpha(number, fill)
    edit.indicSetOutlineAlpha(number, outline)
    edit.indicSetUnder(number, True)
