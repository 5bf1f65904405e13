"""The words of a project: from its sources alone, the most frequent first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.editor.core import vocabulary
from plugins.editor.core.vocabulary import words_of_files

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_words_come_by_frequency_from_sources_that_git_keeps(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "out" / "made.py").write_text("never_seen")
    (tmp_path / "a.py").write_text("alpha beta\nbeta = 12ab + ab\n", encoding="utf-8")
    (tmp_path / "sub" / "b.md").write_text("# 损失曲线 beta alpha gamma\n", encoding="utf-8")
    (tmp_path / "c.py").write_bytes(b"\xff\xfe broken_bytes")
    (tmp_path / "d.bin").write_text("binary_word")
    words = words_of_files(tmp_path).split()
    assert words[:2] == ["beta", "alpha"]
    assert sorted(words[2:]) == ["gamma", "损失曲线"]


def test_large_files_and_more_than_enough_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_MOST_BYTES", 30)
    monkeypatch.setattr(vocabulary, "_LARGEST", 20)
    (tmp_path / "a.py").write_text("first_word")
    (tmp_path / "b.py").write_text("x" * 21)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.py").write_text("second_word_here")
    (tmp_path / "deep" / "d.py").write_text("third_word")
    assert words_of_files(tmp_path).split() == ["first_word", "second_word_here"]
