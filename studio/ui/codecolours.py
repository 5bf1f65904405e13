"""From the theme to Scintilla: what a lexer says about its styles decides their colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexilla import create_lexer  # noqa: TID253 - this module is imported with the first editor
from lexilla.pyside6_scintilla import set_lexer  # noqa: TID253
from PySide6.QtGui import QColor, QFont
from pyside6_scintilla import Scintilla as S  # noqa: TID253

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyside6_scintilla import ScintillaEdit

    from studio.ui.codelanguages import Language
    from studio.ui.theme import Theme

NOTE_STYLE = 64
"""Style of annotations; lexers use those below 32 and, for substyles, from 128."""

_TAGS = (
    ("error", "error"),
    ("comment", "comment"),
    ("preprocessor", "preprocessor"),
    ("keyword", "keyword"),
    ("numeric", "number"),
    ("string", "string"),
    ("tag", "keyword"),
    ("attribute", "type"),
    ("label", "function"),
    ("literal", "constant"),
    ("operator", "operator"),
)
"""The first word found among a style's tags gives its colour."""

_NAMED = {
    "SCE_P_CLASSNAME": "type",
    "SCE_P_DEFNAME": "function",
    "SCE_P_DECORATOR": "decorator",
    "SCE_P_WORD2": "type",
    "SCE_SH_SCALAR": "type",
    "SCE_SH_PARAM": "type",
    "SCE_MAKE_TARGET": "function",
    "SCE_C_GLOBALCLASS": "type",
}

_UNTAGGED: Mapping[str, str] = {
    # Lexers without tags: colour names of their styles 0, 1, 2, … as in SciLexer.h ("-": default).
    "yaml": "- comment type constant number decorator keyword string error operator",
    "json": "- number string error type constant comment comment operator string string constant "
    "keyword error",
    "toml": "- comment - constant number function type error operator string string string string "
    "constant number",
    "props": "- comment function operator constant type",
    "markdown": "- - constant constant decorator decorator keyword keyword keyword keyword keyword "
    "keyword operator operator operator comment comment operator function string string string",
    "diff": "- comment function keyword type error string number",
    "cmake": "- comment string string string function - type - keyword keyword keyword keyword "
    "type number",
}

_BOLD = frozenset({"keyword"})


def bgr(colour: QColor | str) -> int:
    """A colour as Scintilla's styles, markers and indicators take it: 0xBBGGRR."""
    c = QColor(colour)
    return c.red() | c.green() << 8 | c.blue() << 16


def abgr(colour: QColor | str, alpha: int = 255) -> int:
    """A colour as Scintilla's elements take it: 0xAABBGGRR as a signed number."""
    value = bgr(colour) | alpha << 24
    return value - (1 << 32) if value >= 1 << 31 else value


def apply_colours(edit: ScintillaEdit, theme: Theme, font: QFont, language: Language) -> None:
    """Set fonts, colours and lexer. Clearing all styles has to come before the other styles."""
    default, numbers = S.StylesCommon.Default, S.StylesCommon.LineNumber
    edit.styleSetFont(default, font.families()[0] if font.families() else font.family())
    edit.styleSetSizeFractional(default, round(font.pointSizeF() * 100))
    edit.styleSetCheckMonospaced(default, True)  # makes long lines 30 to 60 times as fast
    edit.styleSetFore(default, bgr(theme.colour("text")))
    edit.styleSetBack(default, bgr(theme.colour("bg")))
    edit.styleClearAll()
    edit.styleSetFore(numbers, bgr(theme.syntax["line_number"]))
    edit.styleSetBack(numbers, bgr(theme.colour("bg")))
    edit.styleSetFore(S.StylesCommon.IndentGuide, bgr(theme.colour("line")))
    edit.styleSetFore(S.StylesCommon.BraceLight, bgr(theme.colour("accent")))
    edit.styleSetBold(S.StylesCommon.BraceLight, True)
    edit.styleSetFore(S.StylesCommon.BraceBad, bgr(theme.colour("error")))
    edit.styleSetFore(NOTE_STYLE, bgr(theme.colour("muted")))
    edit.styleSetBack(NOTE_STYLE, bgr(theme.colour("surface")))
    _colour_elements(edit, theme)
    _set_language(edit, theme, language)


def _colour_elements(edit: ScintillaEdit, theme: Theme) -> None:
    element = S.Element
    edit.setElementColour(element.Caret, abgr(theme.colour("accent")))
    edit.setElementColour(element.CaretAdditional, abgr(theme.colour("accent")))
    edit.setElementColour(element.CaretLineBack, abgr(theme.syntax["current_line"]))
    edit.setElementColour(element.SelectionBack, abgr(theme.colour("selected")))
    edit.setElementColour(element.SelectionAdditionalBack, abgr(theme.colour("selected")))
    edit.setElementColour(element.SelectionInactiveBack, abgr(theme.mix("bg", "selected", 0.6)))
    edit.setElementColour(element.WhiteSpace, abgr(theme.mix("bg", "muted", 0.45)))
    edit.setElementColour(element.FoldLine, abgr(theme.colour("line")))
    edit.setFoldMarginColour(True, bgr(theme.colour("bg")))
    edit.setFoldMarginHiColour(True, bgr(theme.colour("bg")))


def _set_language(edit: ScintillaEdit, theme: Theme, language: Language) -> None:
    lexer = create_lexer(language.lexer or "null")
    styles = [] if lexer is None else list(_styles(lexer, language.lexer))
    if lexer is not None:
        set_lexer(edit, lexer)
    for number, colour in styles:
        edit.styleSetFore(number, bgr(theme.syntax[colour]))
        edit.styleSetBold(number, colour in _BOLD)
    for number, words in enumerate(language.keywords):
        edit.setKeyWords(number, words)
    edit.setProperty("fold", "1")
    edit.setProperty("fold.compact", "0")
    edit.setProperty("lexer.props.allow.initial.spaces", "0")
    edit.setProperty("lexer.python.identifier.attributes", "1")


def _styles(lexer: object, name: str) -> Iterator[tuple[int, str]]:
    if name in _UNTAGGED:
        for number, colour in enumerate(_UNTAGGED[name].split()):
            if colour != "-":
                yield number, colour
        return
    for number in range(32):
        tags = lexer.tags_of_style(number).split()  # type: ignore[attr-defined]
        named = _NAMED.get(lexer.name_of_style(number))  # type: ignore[attr-defined]
        colour = named or next((colour for tag, colour in _TAGS if tag in tags), "")
        if colour:
            yield number, colour
