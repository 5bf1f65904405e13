"""What a terminal shows of control sequences (ECMA-48), as far as programs write them to logs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QTextFormat

from plugins.run.core.screen import PLAIN, Screen, Style, styled
from plugins.run.ui.looks import contrast, format_of, legible
from studio.ui.theme import load_theme

_GROUND = QTextFormat.Property.BackgroundBrush


def lines(*texts: str) -> list[str]:
    screen = Screen()
    for text in texts:
        screen.feed(text)
    return ["".join(piece for piece, _ in line) for line in screen.lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", ["a", "b"]),
        ("a\r\nb\n", ["a", "b", ""]),
        (" 10%|#\r 99%|##", [" 99%|##"]),
        ("long line\rshort", ["shortline"]),
        ("long line\r\x1b[Kshort", ["short"]),
        ("abc\b\bX", ["aXc"]),
        ("one\ntwo\x1b[A\rONE", ["ONE", "two"]),
        ("one\ntwo\x1b[1A\x1b[2K\rX\nY", ["X", "Ywo"]),
        ("a\x1b[5Gb", ["a   b"]),
        ("\x1b]0;title\x07text", ["text"]),
        ("\x1b[?25lx\x1b[?25h", ["x"]),
        ("a\x07b\0c", ["abc"]),
        ("a\x01\x7fb\x1cc\td", ["abc\td"]),
        ("a\u2029b\u2028c\x85d\ufdd0e", ["a\ufffdb\ufffdc\ufffdd\ufffde"]),
        ("$ python caf\udce9.py", ["$ python caf\ufffd.py"]),
        ("one\ntwo\nthree\x1b[2A\r\x1b[J1", ["1"]),
        ("one\ntwo\x1b[A\x1b[Jx", ["onex"]),
        ("old\n\x1b[H\x1b[2Jpage\nmore\x1b[H\x1b[2Jnew", ["old", "new"]),
        ("\x1b[2Ja\nb\x1b[1;1HA\x1b[2;3Hc", ["A", "b c"]),
        ("b\x1b[2;3Hc", ["bc"]),
    ],
)
def test_text_lands_where_a_terminal_puts_it(text, expected):
    assert lines(text) == expected
    assert lines(*text) == expected


@pytest.mark.parametrize(
    ("values", "style"),
    [
        ("31", Style(ink=1)),
        ("1;91;44", Style(ink=9, ground=4, bold=True)),
        ("38;5;202", Style(ink=202)),
        ("38;2;1;2;3;4", Style(ink="#010203", underlined=True)),
        ("38:2::1:2:3;1", Style(ink="#010203", bold=True)),
        ("48:5:202", Style(ground=202)),
        ("4:3;58;5;9", Style(underlined=True)),
        ("4;4:0", PLAIN),
        ("", PLAIN),
        ("0", PLAIN),
    ],
)
def test_colours(values, style):
    assert styled(PLAIN, values) == style


def test_styles_end_where_they_are_switched_off():
    style = styled(Style(ink=1, ground=2, bold=True, underlined=True), "22;24;39;49")
    assert style == PLAIN
    screen = Screen()
    screen.feed("a\x1b[31mb\x1b[0mc")
    assert screen.lines == [[("a", PLAIN), ("b", Style(ink=1)), ("c", PLAIN)]]


def test_the_first_changed_line_is_known():
    screen = Screen()
    screen.feed("a\nb\nc")
    screen.changed_from = screen.count
    screen.feed("\x1b[Ax")
    assert screen.changed_from == 1


def test_old_lines_are_dropped():
    screen = Screen()
    screen.feed("".join(f"{n}\n" for n in range(1000)))
    screen.drop(300)
    assert (screen.count, screen.dropped, len(screen.lines)) == (1001, 701, 300)
    screen.feed("end")
    assert screen.lines[-1] == [("end", PLAIN)]


@given(st.text("ab\r\n\b\x1b[0123;mAKGH?", max_size=60), st.integers(0, 60))
def test_where_the_text_is_cut_does_not_matter(text, cut):
    assert lines(text) == lines(text[:cut], text[cut:])


def test_a_line_goes_on_in_the_next_when_it_is_too_wide():
    assert lines("a" * 9001 + "\nb") == ["a" * 4000, "a" * 4000, "a" * 1001, "b"]
    assert lines(*["a" * 100] * 45) == ["a" * 4000, "a" * 500]
    assert lines("a" * 3990 + "\r" + "b" * 4001) == ["b" * 4000, "b"]


@pytest.mark.parametrize("name", ["dark", "light", "contrast"])
def test_every_colour_can_be_read_in_every_theme(qapp, monkeypatch, name):
    """VS Code, too, keeps 4.5 to 1 (WCAG 2.1 AA), whatever colours a program asks for."""
    theme = load_theme(name)
    monkeypatch.setitem(format_of.__globals__, "current_theme", lambda: theme)
    styles = [Style(ink=n) for n in range(256)] + [Style(ground=n) for n in range(256)]
    styles += [
        Style(ink="#ffff00"),
        Style(ink="#000080"),
        Style(ink=7, ground=15),
        Style(faint=True),
    ]
    styles += [Style(inverse=True), Style(ink=3, ground=3), Style(ink=1, inverse=True)]
    for style in styles:
        look = format_of(style)
        ground = look.background().color() if look.hasProperty(_GROUND) else theme.colour("bg")
        assert contrast(look.foreground().color(), ground) >= 4.5, style
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("#767676"), QColor("white")) == pytest.approx(4.54, abs=0.005)
    assert legible(QColor("#767676"), QColor("white")) == QColor("#767676")
