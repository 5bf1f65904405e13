"""Bytes to text and back."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.model import encoding as module
from studio.model.encoding import (
    UnencodableError,
    declared_encoding,
    decode,
    encode,
    line_ends,
    line_of,
    normal_name,
)

if TYPE_CHECKING:
    from pathlib import Path

CASE = "A29-encodings-round-trip"
SHOWN = {
    "gbk.py": ("gbk", False, "\n", "# 训练脚本：旧名字\nname = 'old'  # 精度比对\n"),
    "gbk_cookie.py": (
        "gbk",
        False,
        "\n",
        "# -*- coding: gbk -*-\n# 训练脚本：旧名字\nname = 'old'  # 精度比对\n",
    ),
    "gb18030.py": ("gb18030", False, "\n", "# -*- coding: gb18030 -*-\nname = 'old'  # 㐀𠀀\n"),
    "big5.txt": ("big5", False, "\n", "訓練腳本 old 舊名字\n"),
    "utf16.txt": ("utf-16-le", True, "\r\n", "精度 old\r\n"),
    "utf8_nobom.py": ("utf-8", False, "\n", "# 训练脚本：旧名字\nname = 'old'  # 精度比对\n"),
    "utf8_bom_crlf.py": (
        "utf-8",
        True,
        "\r\n",
        "# 训练脚本：旧名字\r\nname = 'old'  # 精度比对\r\n",
    ),
    "odd.py": ("utf-8", False, "\n", "name = 'old'\nx = b'\\xff'  # \ufffd\ufffd\ufffd\n"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_right_text_is_shown_and_unedited_bytes_are_kept(cases: Path, name: str) -> None:
    data = (cases / CASE / "input" / name).read_bytes()
    decoded = decode(data)
    assert (decoded.encoding, decoded.bom, decoded.line_end, decoded.shown) == SHOWN[name]
    assert decoded.lossy is (name == "odd.py")
    assert not decoded.mixed

    def back(text: str) -> bytes:
        return encode(text, decoded.encoding, bom=decoded.bom, lossy=decoded.lossy)

    assert back(decoded.text) == data
    expected = (cases / CASE / "expected" / name).read_bytes()
    assert back(decoded.text.replace("old", "new", 1)) == expected


@pytest.mark.parametrize("name", ["gbk.py", "big5.txt", "odd.py"])
def test_a_guess_is_told_as_one(cases: Path, name: str) -> None:
    assert decode((cases / CASE / "input" / name).read_bytes()).guessed


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# 设置随机种子\nseed = 1\n", "gbk"),
        ("日志", "gbk"),
        ("损失 0.5，学习率 0.1", "gbk"),
        ("# 繁體中文註解，設定參數\n", "big5"),
        ("測試", "big5"),
        ("# 学習率を下げてください。データの確認\n", "shift_jis"),
        ("損失が発散した", "shift_jis"),
        ("# Größe über Maß\n", "cp1252"),
        ("name = 'café'\nville = 'Zürich'\n", "cp1252"),
        ("import torch\nx = 1\n", "utf-16-le"),
        ("import torch\nx = 1\n", "utf-16-be"),
    ],
)
def test_guesses(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.guessed) == (text, encoding, True)


def test_any_bytes_come_back() -> None:
    chance = random.Random(20250607)
    starts = [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"# coding: gbk\n"]
    starts += [b"# coding: utf-7\n", b"# coding: big5\n", b"#!x\n# vim: fileencoding=shift_jis :\n"]
    alphabets = [range(256), range(0x80, 256), [10, 13, 32, 65, 0xB0, 0xC4, 0xFE, 0xA1], [0, 65]]
    for _ in range(4000):
        body = bytes(chance.choices(chance.choice(alphabets), k=chance.randrange(40)))
        data = chance.choice(starts) + body
        for hint in (None, "utf-8", "gbk", "utf-16-le", "latin-1", "shift_jis", "big5"):
            decoded = decode(data, hint)
            kept = encode(decoded.text, decoded.encoding, bom=decoded.bom, lossy=decoded.lossy)
            assert kept == data, (data, hint)
            assert len(decoded.shown) == len(decoded.text)
            decoded.shown.encode("utf-8")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"# -*- coding: gbk -*-\n", "gbk"),
        (b"#!/bin/sh\n# vim: set fileencoding=big5 :\n", "big5"),
        (b"\xef\xbb\xbf# coding: utf-8\n", "utf-8"),
        (b"x = 1\n# coding: gbk\n", ""),
        (b"\n\n# coding: gbk\n", ""),
        (b"# coding: rot13\n", ""),
        (b"# coding: no-such\n", ""),
        (b"# coding: utf-16\n", ""),
        (b"s = 'coding: gbk'\n", ""),
    ],
)
def test_coding_lines(data: bytes, encoding: str) -> None:
    assert declared_encoding(data) == encoding


def test_a_missing_character_is_named_with_its_line() -> None:
    with pytest.raises(StudioError, match=r"gbk has no character 😀 \(U\+1F600, line 3\)"):
        encode("a\r\nb\r\nc = '😀'\n", "gbk")
    with pytest.raises(StudioError, match=r"U\+D800, line 1"):
        encode("\ud800", "utf-8")


def test_line_ends_and_lines() -> None:
    assert line_ends("a\r\nb\nc\r\n") == ("\r\n", True)
    assert line_ends("a") == ("\n", False)
    assert line_ends("a\rb\r") == ("\r", False)
    text = "a\r\nb\rc\nd"
    assert [line_of(text, text.index(letter)) for letter in "abcd"] == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["rot13", "hex", "undefined", "idna", "utf-7", "", "nonsense"])
def test_what_is_no_encoding_for_files_is_refused(name: str) -> None:
    with pytest.raises(StudioError, match="not a known encoding"):
        normal_name(name)


# Encodings with states, with signs made of two characters, and with marks: pieces meet anywhere.
MEETING = {
    "utf-8": "a é 中 😀",
    "utf-16-le": "a é 中 😀",
    "latin-1": "a é",
    "gb18030": "a é 中 😀",
    "big5hkscs": "a 中 ê ê\u0304 Ê\u030c",
    "euc_jis_2004": "a 中 か か\u309a セ\u309a",
    "iso2022_jp_3": "a 中 か か\u309a セ\u309a",
}


@pytest.mark.parametrize("encoding", MEETING)
def test_long_texts_are_encoded_as_in_one_piece(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(encoding)
    signs = MEETING[encoding].split(" ")
    for length in (0, 1, 2, 3, 7, 100):
        text = "".join(drawn.choice(signs) for _ in range(length))
        expected = text.encode(encoding)
        for piece in (1, 2, 3, 250_000):
            monkeypatch.setattr(module, "_SLICE", piece)
            assert encode(text, encoding) == expected


@pytest.mark.parametrize("encoding", ["gbk", "big5hkscs", "euc_jis_2004", "latin-1", "utf-8"])
def test_a_lacking_character_is_named_in_whatever_piece(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = "\ud800" if encoding == "utf-8" else "😀"
    for piece in (1, 2, 3, 250_000):
        monkeypatch.setattr(module, "_SLICE", piece)
        with pytest.raises(UnencodableError) as error:
            encode(f"a\r\nb\rc\nc{lacking}d", encoding)
        assert (error.value.character, error.value.line) == (lacking, 4)
