"""Regular expressions in texts of every line end: `$` and `.` mean the same in all of them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.model.textsearch import Query, before_returns, find_all, replace_all, replacement

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


SOURCES = [
    "^", "$", "^$", "a*", r"\b", "(a)(b)?", r"\b|(a)$", r"(?<=a)b", r"(?<!a)b", "a|ab", r"\s*$",
    r"^\s+", "x?", r"a\nb", "(?s)a.b", r"(\w)(\w)",
]  # fmt: skip


@given(
    st.text("aAbB x1\n_中😀", max_size=30),
    st.sampled_from(SOURCES),
    st.sampled_from(["Z", r"<\g<0>>", ""]),
    st.booleans(),
)
def test_hits_and_replacements_are_those_of_python(
    text: str, source: str, by: str, case: bool
) -> None:
    flags = re.MULTILINE | (0 if case else re.IGNORECASE)
    query = Query(source, True, case)
    hits = [found.span() for found in re.finditer(source, text, flags)]
    assert list(find_all(query, text).spans) == hits
    assert replace_all(query, text, by) == re.subn(source, by, text, flags=flags)


def test_every_hit_is_replaced_however_many_there_are() -> None:
    text = "x = 1\n" * 30_000
    assert find_all(Query("x"), text).more
    assert replace_all(Query("x"), text, "y") == ("y = 1\n" * 30_000, 30_000)


@pytest.mark.parametrize("by", [r"\7", r"\g<name>"])
def test_a_group_that_there_is_not_is_told(by: str) -> None:
    with pytest.raises(re.error):
        replace_all(Query("(a)", True), "a", by)
    with pytest.raises(re.error):
        replacement(Query("(a)", True), "a", (0, 1), by)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_new_line_in_a_replacement_ends_as_the_others_do(end: str) -> None:
    query, text = Query(", ", True), f"a, b{end}c"
    assert replace_all(query, text, r",\n") == (f"a,{end}b{end}c", 1)
    assert replacement(query, text, (1, 3), r",\n") == f",{end}"


def test_a_new_line_leaves_the_line_ends_within_a_group() -> None:
    query, text = Query("(b\nc)", True), "a\r\nb\nc"
    assert replace_all(query, text, r"\1\n") == ("a\r\nb\nc\r\n", 1)
    assert replace_all(Query("b", True), "a\nb", r"\\n\r\n") == ("a\n\\n\n", 1)
    assert replace_all(Query(",", True), "a,b", r"\r\n") == ("a\r\nb", 1)


@pytest.mark.bench
def test_one_long_line_is_parted_fast() -> None:
    text = '"abc",' * 100_000
    began = time.process_time()
    assert replace_all(Query(",", True), text, r",\n") == ('"abc",\n' * 100_000, 100_000)
    assert time.process_time() - began < 5, "60 GB of characters looked through take minutes"
