"""Regular expressions in texts of every line end: `$` and `.` mean the same in all of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.model.textsearch import Query, before_returns, find_all, replace_all

LINES = "x = 1\n\ny = 2\nlast = 3"


def lines_found(source: str, text: str) -> list[tuple[int, str]]:
    """The line and the text of every hit."""
    hits = find_all(Query(source, regex=True), text)
    ends = re.compile(r"\r\n|\r|\n")
    return [(len(ends.findall(text, 0, start)), text[start:end]) for start, end in hits.spans]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"\d$", [(0, "1"), (2, "2"), (3, "3")]),
        (r"= .*", [(0, "= 1"), (2, "= 2"), (3, "= 3")]),
        (r"=.+$", [(0, "= 1"), (2, "= 2"), (3, "= 3")]),
        (r"(?m)[^=]\d$", [(0, " 1"), (2, " 2"), (3, " 3")]),
        (r"1\r?\n", []),
        (r"\$|[$.]", []),
    ],
)
def test_ends_of_lines_are_those_of_an_editor(
    end: str, source: str, found: list[tuple[int, str]]
) -> None:
    text = LINES.replace("\n", end)
    if source == r"1\r?\n":
        assert bool(lines_found(source, text)) == ("\n" in end)
    else:
        assert lines_found(source, text) == found


def test_replacing_up_to_the_end_of_a_line_keeps_its_end() -> None:
    text = "a = 1  # one\r\nb = 2\r\n"
    assert replace_all(Query(r"\s*#.*$", regex=True), text, "") == ("a = 1\r\nb = 2\r\n", 1)
    assert replace_all(Query(r"(\d)$", regex=True), text, r"\1;") == (
        "a = 1  # one\r\nb = 2;\r\n",
        1,
    )


def test_only_signs_of_the_expression_are_read_anew() -> None:
    assert before_returns(r"\$[$.\]]\.[^]$]") == r"\$[$.\]]\.[^]$]"
    assert before_returns(r"a.$") == r"a[^\r\n](?=\r?\n|\r|\Z)"
    assert before_returns(r"(?s)a.b") == r"(?s)a.b"
    assert find_all(Query(r"(?s)a.+b", regex=True), "a\r\nb").spans == ((0, 4),)


@given(st.text("ab1 \n", max_size=40), st.sampled_from([r"\w$", r".+", r"a.*$", r"[ab]+\s?$"]))
def test_hits_are_those_in_the_same_text_with_plain_line_ends(text: str, source: str) -> None:
    plain = [(n, hit.rstrip("\r\n")) for n, hit in lines_found(source, text)]
    returns = lines_found(source, text.replace("\n", "\r\n"))
    assert [(n, hit.rstrip("\r\n")) for n, hit in returns] == plain


def test_a_hit_that_begins_where_an_empty_one_stands_is_replaced_by_its_own_groups() -> None:
    assert replace_all(Query(r"\b|(a)$", True), "A-a", r"<\1>") == ("A-<a>", 1)
