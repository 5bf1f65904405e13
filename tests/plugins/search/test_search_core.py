"""What is found in files, against a plain reading of the same files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.search.core.choice import Choice
from plugins.search.core.find import find_in_files, search
from plugins.search.core.matches import hits_in, spans
from plugins.search.core.replacing import edits_of
from studio.kernel.errors import StudioError
from studio.model.edits import apply_edits
from studio.model.textsearch import Query

if TYPE_CHECKING:
    from pathlib import Path


def places(found):
    return [
        (file.path.name, hit.line, hit.column, hit.found)
        for file in found.files
        for hit in file.hits
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("import torch\nx = x.cuda()\n# CUDA\n", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes("设备 cuda\r\ncuda2\r\n".encode("gb18030"))
    (tmp_path / "c.bin").write_bytes(b"\0\1cuda")
    (tmp_path / "wide.txt").write_bytes("﻿x\ncuda".encode("utf-16-le"))
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "d.py").write_text("cuda\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    return tmp_path


def test_case_is_ignored_unless_it_is_asked_for(folder):
    found = find_in_files(folder, Query("cuda"), Choice())
    assert places(found) == [
        ("a.py", 2, 7, "cuda"),
        ("a.py", 3, 3, "CUDA"),
        ("b.txt", 1, 4, "cuda"),
        ("b.txt", 2, 1, "cuda"),
        ("wide.txt", 2, 1, "cuda"),
    ]
    strict = find_in_files(folder, Query("CUDA", case=True), Choice())
    assert places(strict) == [("a.py", 3, 3, "CUDA")]


def test_words_patterns_of_files_and_ignored_ones(folder):
    words = find_in_files(folder, Query("cuda", whole_word=True), Choice("*.txt"))
    assert places(words) == [("b.txt", 1, 4, "cuda"), ("wide.txt", 2, 1, "cuda")]
    everything = find_in_files(folder, Query("cuda"), Choice("*.py", "a.*", ignored=True))
    assert places(everything) == [("d.py", 1, 1, "cuda")]


def test_text_that_is_not_saved_stands_in_for_the_file(folder):
    texts = {folder / "a.py": "npu\n"}
    assert places(find_in_files(folder, Query("npu"), Choice(), texts)) == [("a.py", 1, 1, "npu")]


def test_an_expression_stays_in_its_line_unless_it_names_line_ends():
    assert list(spans(Query(r"a\s*b", regex=True), "a\nb a b")) == [(4, 7)]
    assert list(spans(Query(r"a\nb", regex=True), "a\nb a b")) == [(0, 3)]
    assert list(spans(Query(r"[^x]+$", regex=True), "ab\ncd")) == [(0, 2), (3, 5)]


@given(st.text("aAbß\n\r ", max_size=40), st.text("aAbß", min_size=1, max_size=3), st.booleans())
def test_plain_texts_are_found_where_a_pattern_finds_them(text, wanted, case):
    flags = 0 if case else re.IGNORECASE
    expected = [m.span() for m in re.finditer(re.escape(wanted), text, flags)]
    assert list(spans(Query(wanted, case=case), text)) == expected


@given(st.text("ab\n\r", max_size=60))
def test_lines_and_columns_are_those_of_a_plain_count(text):
    for hit in hits_in(Query("a"), text):
        before = text[: hit.start].replace("\r\n", "\n\0").replace("\r", "\n")
        assert hit.line == before.count("\n") + 1
        assert hit.column == len(re.split(r"\r\n|\r|\n", text[: hit.start])[-1]) + 1
        assert hit.shown[hit.at : hit.at + hit.size] == hit.found


def test_long_lines_are_cut_around_the_hit():
    (hit,) = hits_in(Query("needle"), "x" * 5000 + "needle" + "y" * 5000)
    assert len(hit.shown) <= 300
    assert hit.shown[hit.at : hit.at + hit.size] == "needle"
    assert hit.column == 5001


def test_replacing_uses_groups_and_keeps_case(folder):
    query = Query(r"(\w+)\.cuda\(\)", regex=True)
    found = find_in_files(folder, query, Choice(), by=r"\1.npu()")
    text = (folder / "a.py").read_text()
    assert apply_edits(text, edits_of(found.files)) == "import torch\nx = x.npu()\n# CUDA\n"
    kept = find_in_files(folder, Query("cuda"), Choice("a.py"), by="npu", keep_case=True)
    assert apply_edits(text, edits_of(kept.files)) == "import torch\nx = x.npu()\n# NPU\n"


def test_what_is_not_valid_is_said(folder):
    with pytest.raises(StudioError, match="regular expression"):
        find_in_files(folder, Query("(", regex=True), Choice())
    with pytest.raises(StudioError, match="replacement"):
        find_in_files(folder, Query("(c)uda", regex=True), Choice(), by=r"\2")
    with pytest.raises(StudioError, match="does not exist"):
        search(folder / "nowhere", "x")


def test_on_the_command_line(folder):
    options = ["--regex", "--case", "--json"]
    command = [sys.executable, "-m", "studio", "search", str(folder), "npu|CUDA", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (hit,) = json.loads(run.stdout)["hits"]
    assert hit == {"file": "a.py", "line": 3, "column": 3, "end_column": 7, "text": "# CUDA"}
    assert search(folder, "nothing such").exit_code == 1


def test_a_file_in_which_an_expression_tries_without_end_is_left_out(folder, monkeypatch):
    monkeypatch.setattr("plugins.search.core.find._LEAST_SECONDS", 0.2)
    (folder / "slow.txt").write_text("a" * 60 + "b\n")
    (folder / "zfast.txt").write_text("aaa\n")
    found = find_in_files(folder, Query("(a+)+$", regex=True), Choice("slow.txt, zfast.txt"))
    assert found.left_out == ("slow.txt",)
    assert [file.path.name for file in found.files] == ["zfast.txt"]
