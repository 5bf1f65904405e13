"""What is found in bytes, against a plain search of every line of the decoded text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plugins.search.core.choice import Choice
from plugins.search.core.find import find_in_files
from plugins.search.core.matches import hits_in
from plugins.search.core.reading import read_bytes, text_with
from plugins.search.core.required import required_by
from studio.model.textsearch import Query

LETTERS = "aAk_K-. \n"
EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "A", "k", "_", r"\.", "-", ".", "[ak]", "[^a]", r"[]\]a]", r"\b", r"\w"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{,2}", "*?"])).map(
            lambda both: f"({both[0]}){both[1]}"
        ),
        inner.map(lambda one: f"^{one}"),
        inner.map(lambda one: f"{one}$"),
    ),
    max_leaves=8,
)
NEEDED = st.tuples(EXPRESSIONS, st.sampled_from(["aka", "k_k", "A-a", ""]), EXPRESSIONS)


def found(query: Query, data: bytes) -> list[tuple[int, int, str]]:
    text = text_with(query, data)
    return [] if text is None else [(h.line, h.column, h.found) for h in hits_in(query, text)]


def plainly(query: Query, text: str) -> list[tuple[int, int, str]]:
    """Look at one line after the other with a pattern."""
    source = query.text if query.regex else re.escape(query.text)
    source = rf"(?<!\w)(?:{source})(?!\w)" if query.whole_word else source
    pattern = re.compile(source, 0 if query.case else re.IGNORECASE)
    return [
        (number, hit.start() + 1, hit[0])
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1)
        for hit in pattern.finditer(line)
        if hit[0]
    ]


@given(
    st.text("aAbB_ ſKİı设\r\n", max_size=60),
    st.text("aAbB_KsS设", min_size=1, max_size=3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_plain_texts(text, wanted, case, word, encoding):
    query = Query(wanted, case=case, whole_word=word)
    assert found(query, text.encode(encoding)) == plainly(query, text)


@given(st.text("aAbB_ \r\n", max_size=60), st.text("aAbB_", min_size=1, max_size=3), st.booleans())
def test_plain_texts_in_ascii(text, wanted, case):
    for word in (False, True):
        query = Query(wanted, case=case, whole_word=word)
        assert isinstance(text_with(query, text.encode()), bytes)
        assert found(query, text.encode()) == plainly(query, text)


@settings(max_examples=150)
@given(NEEDED.map("".join), st.text(LETTERS, max_size=40), st.booleans(), st.booleans())
def test_what_an_expression_requires_stands_in_each_of_its_matches(source, text, case, word):
    for match in Query(source, True, case, word).pattern.finditer(text):
        for wanted in required_by(source).texts:
            assert wanted.lower() in match[0].lower()
            assert not case or wanted in match[0]


@settings(max_examples=150)
@given(
    st.tuples(EXPRESSIONS, st.sampled_from(["aka", "k_k", "A-a"]), EXPRESSIONS).map("".join),
    st.lists(st.sampled_from(["aka", "AKA", "k_k", "A-a", "a", "K", "_", ".", " ", "\n"])),
    st.booleans(),
)
@example(r"aakaa|\b|a$", ["A-a"], False)
@example(r"aakaa|\b|a\s*a", ["a", "\n", "aka", "a"], False)
def test_expressions_with_a_text_that_they_require(source, parts, word):
    text = "".join(parts)
    for case in (False, True):
        query = Query(source, True, case, word)
        assert found(query, text.encode()) == plainly(query, text)


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        (r"step\(9[0-9]*, 77[0-9]*\)", {"step(9", ", 77", ")"}),
        (r"\bneedle\b", {"needle"}),
        ("ab*c+d", {"a", "c", "d"}),
        ("a{2}b{3,}c", {"c"}),
        ("a|b", set()),
        ("(?i)abc", set()),
        (r"\x41b", set()),
        ("(?:ab|[)])c(?=de)f", {"c", "f"}),
        ("设备npu.x", {"x"}),
    ],
)
def test_required_texts(source, texts):
    assert set(required_by(source).texts) == texts


def test_files_of_other_encodings_and_no_text(tmp_path):
    query = Query("设备")
    for encoding in ("utf-8", "utf-8-sig", "gb18030", "utf-16"):
        data = ("模型在昇腾设备上运行，精度与显存都正常。\n" * 20).encode(encoding)
        assert len(found(query, data)) == 20
    assert found(Query("self"), b"\xff self \xc3\n") == [(1, 3, "self")]
    place = tmp_path / "a"
    place.write_bytes(b"x" * 70_000 + b"\n")
    assert read_bytes(str(place), 1 << 20) == place.read_bytes()
    with pytest.raises(OSError, match="large"):
        read_bytes(str(place), 1000)
    place.write_bytes(b"\0" + b"x" * 70_000)
    assert read_bytes(str(place), 1 << 20) is None
    assert read_bytes(str(tmp_path), 1 << 20) is None


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_the_end_of_a_line_is_found_whatever_it_is(tmp_path, end):
    (tmp_path / "a.py").write_bytes(end.join([b"x = 1", b"y = 12", b"z = 1", b""]))
    found = find_in_files(tmp_path, Query(r"= \d$", regex=True), Choice(), by="= 0")
    hits = [hit for file in found.files for hit in file.hits]
    assert [(hit.line, hit.found, hit.after) for hit in hits] == [
        (1, "= 1", "= 0"),
        (3, "= 1", "= 0"),
    ]
