"""What a terminal shows of control sequences (ECMA-48), as far as programs write them to logs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.run.core.screen import PLAIN, Screen, Style, styled


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
