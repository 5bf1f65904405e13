"""What the editor knows of a file before it opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from plugins.editor.core import (
    LONG_LINE,
    break_lines,
    encoding_title,
    excerpt,
    is_text,
    unencodable,
    with_coding_line,
)
from studio.model.encoding import encode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", True),
        (b"x = 1\n", True),
        ("中文".encode("gbk"), True),
        (b"\xff\xfe" + "x".encode("utf-16-le"), True),
        (b"\x93NUMPY\x01\0v\0", False),
    ],
)
def test_text_is_told_from_binary(tmp_path: Path, data: bytes, text: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert is_text(path) is text


def test_a_folder_or_missing_file_is_no_text(tmp_path: Path) -> None:
    assert not is_text(tmp_path)
    assert not is_text(tmp_path / "missing")


def test_a_very_long_line_is_shown_broken_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    line = ",".join(f'{{"n": {n}}}' for n in range(20_000))
    path.write_text("[\n" + line + "\n]\n")
    found = excerpt(path)
    assert found is not None
    assert found.longest == len(line)
    assert not found.cut
    assert max(map(len, found.text.split("\n"))) <= 2_000
    assert found.text.replace("\n", "") == "[" + line + "]"


def test_an_ordinary_file_is_opened_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n" * (LONG_LINE // 3))
    assert excerpt(path) is None


def test_lines_break_behind_a_comma_or_a_space() -> None:
    assert break_lines("aaaa,bbbb cccc", 10) == "aaaa,bbbb \ncccc"
    assert break_lines("x" * 7, 3) == "xxx\nxxx\nx"


def test_the_first_character_that_an_encoding_lacks_is_named() -> None:
    assert unencodable("a\r\nb😀", "gbk") == ("😀", 2)
    assert unencodable("中文", "gbk") is None


def test_the_coding_line_follows_the_encoding() -> None:
    text = "#!/usr/bin/python\n# -*- coding: gbk -*-\nx = '# coding: gbk'\n"
    changed = with_coding_line(text, "utf-8")
    assert changed == text.replace("coding: gbk -*-", "coding: utf-8 -*-")
    assert with_coding_line("x = 1\n", "utf-8") == "x = 1\n"


def test_encodings_are_named_as_users_know_them() -> None:
    assert encoding_title("utf-8", False) == "UTF-8"
    assert encoding_title("utf-8", True) == "UTF-8 BOM"
    assert encoding_title("shift-jis", False) == "Shift-JIS"
    assert encoding_title("koi8-r", False) == "KOI8-R"
    assert encode("x", "utf-16-le", bom=True) == b"\xff\xfex\0"
