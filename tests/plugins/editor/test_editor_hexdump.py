"""Bytes of files: read in parts, found, and told as numbers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from plugins.editor.core import hexdump
from plugins.editor.core.hexdump import (
    find_bytes,
    meanings,
    offset_from,
    read_part,
    signs_of,
    wanted_bytes,
)
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("31", 31),
        ("0x1f", 31),
        ("1fh", 31),
        ("1f", 31),
        ("4_096", 4096),
        ("-3", 0),
        ("x", None),
        ("010", 10),
        ("0x010", 16),
        ("010h", 16),
        ("0b11", 0xB11),
        ("00", 0),
        ("-0x3", 0),
        ("", None),
        ("h", None),
        ("9" * 5000, None),
    ],
)
def test_offsets_are_typed_in_either_base(text: str, offset: int | None) -> None:
    assert offset_from(text) == offset


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("de ad be ef", b"\xde\xad\xbe\xef"),
        ("0xDEAD", b"\xde\xad"),
        ("dead", b"dead"),
        ("NUMPY", b"NUMPY"),
        ("损失", "损失".encode()),
    ],
)
def test_pairs_of_digits_are_bytes_and_all_else_is_text(text: str, data: bytes) -> None:
    assert wanted_bytes(text) == data


def test_bytes_are_found_across_the_pieces_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hexdump, "_CHUNK", 8)
    path = tmp_path / "a.bin"
    data = bytes(range(64)) + b"needle" + bytes(range(64))
    path.write_bytes(data)
    for start in range(len(data)):
        found = data.find(b"needle", start)
        assert find_bytes(path, b"needle", start) == (found if found >= 0 else data.find(b"needle"))
    assert find_bytes(path, b"\x05\x06", 6) == data.find(b"\x05\x06", 6)
    assert find_bytes(path, b"none", 0) == -1
    with pytest.raises(StudioError, match="nothing to look for"):
        find_bytes(path, b"", 0)
    assert read_part(path, len(data) - 2, 100) == data[-2:]
    with pytest.raises(StudioError, match="Cannot read"):
        read_part(tmp_path / "none", 0, 1)


def test_numbers_are_little_endian() -> None:
    text = meanings(struct.pack("<d", 1.5))
    assert "float64 1.5" in text
    assert f"int64 {struct.unpack('<q', struct.pack('<d', 1.5))[0]}" in text
    assert meanings(b"\xff") == "int8 -1"
    assert meanings(b"") == ""
    assert signs_of(b"a\x00\x7f~") == "a..~"
