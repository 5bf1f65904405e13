"""Languages, typing help and searching: the Qt-free part of the editor."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.model.pieces import Pieces
from studio.model.textsearch import Query, find_all, replace_all, replacement
from studio.ui.codelanguages import PLAIN, language_by_title, language_of, languages
from studio.ui.codetext import has_longer_line
from studio.ui.codetyping import detect_indent, indent_for_new_line, toggle_comment


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("train.py", "Python"),
        ("kernel.cu", "CUDA C++"),
        ("launch.sh", "Shell"),
        ("Dockerfile.npu", "Dockerfile"),
        ("requirements-gpu.txt", "Requirements"),
        ("CMakeLists.txt", "CMake"),
        ("notes.txt", "Plain text"),
        ("a/b/config.YAML", "Plain text"),
    ],
)
def test_a_file_name_tells_its_language(name: str, title: str) -> None:
    assert language_of(name).title == title


def test_every_language_is_found_by_its_title() -> None:
    titles = [language.title for language in languages()]
    assert len(titles) == len(set(titles))
    assert [language_by_title(title) for title in titles] == list(languages())
    assert language_by_title("Klingon") is PLAIN


@pytest.mark.parametrize(
    ("before", "indent"),
    [
        ("x = 1", ""),
        ("    x = 1", "    "),
        ("def f():", "    "),
        ("    if x:  # why:", "        "),
        ('s = "#:"', ""),
        ("call(", "    "),
        ("        return x", "    "),
        ("    pass", ""),
        ("\tif x:", "\t    "),
        ("", ""),
    ],
)
def test_a_new_python_line_is_indented_by_the_one_before(before: str, indent: str) -> None:
    assert indent_for_new_line(before, language_of("a.py"), "    ") == indent


def test_the_indentation_of_a_file_is_kept() -> None:
    assert detect_indent(["a:", "  b: 1", "  c:", "    d: 2"], 4) == ("  ", 2)
    assert detect_indent(["if x:", "\ty()", "\tz()"], 4) == ("\t", 4)
    assert detect_indent(["x = 1"], 4) == ("    ", 4)


def test_commenting_twice_gives_the_same_lines() -> None:
    lines = ["    if x:\n", "\n", "        y()\r\n"]
    commented = toggle_comment(lines, "#")
    assert commented == ["    # if x:\n", "\n", "    #     y()\r\n"]
    assert toggle_comment(commented, "#") == lines


def test_a_partly_commented_block_is_commented_once_more() -> None:
    assert toggle_comment(["# a\n", "b\n"], "#") == ["# # a\n", "# b\n"]
    assert toggle_comment(["a\n"], "") == ["a\n"]


def test_searching_counts_characters_and_wraps_round() -> None:
    text = "Cuda 你好 cuda\nbarracuda 😀 CUDA"
    hits = find_all(Query("cuda"), text)
    assert hits.spans == ((0, 4), (8, 12), (18, 22), (25, 29))
    assert find_all(Query("cuda", case=True), text).spans == ((8, 12), (18, 22))
    assert find_all(Query("cuda", whole_word=True), text).spans == ((0, 4), (8, 12), (25, 29))
    assert hits.after(9) == 2
    assert hits.after(26) == 0
    assert hits.before(8) == 0
    assert hits.before(0) == 3
    assert hits.at(8, 12) == 1
    assert hits.at(8, 11) == -1


def test_regular_expressions_replace_by_groups() -> None:
    query = Query(r"(\w+)\.cuda\(\)", regex=True)
    text = "a = b.cuda()\nc = d.cuda()\n"
    assert replace_all(query, text, r"\1.npu()") == ("a = b.npu()\nc = d.npu()\n", 2)
    with pytest.raises((re.error, IndexError)):
        replacement(query, text, (4, 12), r"\7")


def test_a_wrong_regular_expression_is_told_and_finds_nothing() -> None:
    query = Query("(", regex=True)
    assert "unterminated" in query.error
    assert find_all(query, "((").spans == ()
    assert find_all(Query("("), "((").spans == ((0, 1), (1, 2))


def test_a_plain_replacement_is_taken_literally() -> None:
    assert replace_all(Query("a"), "a.a", r"\1") == (r"\1.\1", 2)


@pytest.mark.parametrize(
    ("old", "new", "span"),
    [
        ("", "", (0, 0, "")),
        ("abc", "abc", (3, 3, "")),
        ("abc", "abXc", (2, 2, "X")),
        ("aaa", "aa", (2, 3, "")),
        ("x.cuda()", "x.npu()", (2, 6, "npu")),
        ("abc", "", (0, 3, "")),
        ("", "abc", (0, 0, "abc")),
    ],
)
def test_only_what_differs_is_replaced(old: str, new: str, span: tuple[int, int, str]) -> None:
    assert Pieces.of(old).changed_span(Pieces.of(new)) == span
    start, end, text = span
    assert old[:start] + text + old[end:] == new


@given(st.text("ab\r\n", max_size=40), st.integers(1, 8))
def test_long_lines_are_seen_at_any_line_end(text: str, limit: int) -> None:
    longest = max(map(len, re.split(r"[\r\n]", text)))
    assert has_longer_line(text, limit) == (longest > limit)


def test_what_only_looks_like_a_comment_of_markup_stays_within_one() -> None:
    around = ("<!--", "-->")
    assert toggle_comment(["<!-->\n"], "", around) == ["<!-- <!--> -->\n"]
    assert toggle_comment(["<!---->\n"], "", around) == ["\n"]
