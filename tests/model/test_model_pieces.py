"""Texts made of pieces: what strings do, and that a change of a long text shares the rest."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from studio.model import pieces as module
from studio.model.pieces import Pieces

if TYPE_CHECKING:
    import pytest


@given(st.text("ab\n中😀", max_size=40), st.data())
def test_changes_are_those_of_a_string(text: str, data: st.DataObject) -> None:
    found = Pieces.of(text)
    for _ in range(6):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        new = data.draw(st.text("abx", max_size=5))
        before, was = found, text
        text = text[:start] + new + text[end:]
        found = found.replaced(start, end, new)
        assert (found.text, len(found)) == (text, len(text))
        assert (before == found) == (was == text)
        first, last, middle = before.changed_span(found)
        assert was[:first] + middle + was[last:] == text
    low = data.draw(st.integers(0, len(text)))
    assert found.between(low, low + 3) == text[low : low + 3]
    assert "".join(found.blocks(2)) == text


def test_many_scattered_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SHORT", 10)
    draw = random.Random(1)
    text = "".join(draw.choice("abc\n") for _ in range(3_000))
    found = first = Pieces.of(text)
    original = text
    for _ in range(400):
        start = draw.randrange(len(text))
        end = min(start + draw.randrange(4), len(text))
        new = draw.choice(("", "x", "yz"))
        text = text[:start] + new + text[end:]
        found = found.replaced(start, end, new)
    assert found.text == text
    start, end, middle = first.changed_span(found)
    assert original[:start] + middle + original[end:] == text
    assert found == Pieces.of(text)
    assert found != first


def test_a_change_of_a_long_text_copies_next_to_nothing() -> None:
    long = Pieces.of("a line of text\n" * 1_000_000)
    changed = long.replaced(7_000_000, 7_000_000, "x")
    assert changed._text is None, "nothing was joined"
    assert long.changed_span(changed) == (7_000_000, 7_000_000, "x")
    back = changed.replaced(7_000_000, 7_000_001, "")
    assert back == long
    assert changed._text is None


def test_typing_at_one_place_does_not_add_up() -> None:
    found = Pieces.of("a" * 100_000)
    for number in range(300):
        found = found.replaced(50_000 + number, 50_000 + number, "b")
    assert found.text == "a" * 50_000 + "b" * 300 + "a" * 50_000
    assert len(found._parts) == 3
