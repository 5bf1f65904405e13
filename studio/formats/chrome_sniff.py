"""Recognising Chrome traces by their first bytes, with nothing heavy imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from studio.formats.byte_source import open_text, text_of_file

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.byte_source import ByteSource, Text

HEAD: Final = 4096
LONGEST_HEAD: Final = 8 << 20
"""How much may stand before the events of Kineto: the ranks of all groups of a large cluster."""

_BLOCK: Final = 1 << 16
_LIST_KEY: Final = b'"traceEvents"'
_OBJECT_START: Final = re.compile(rb"^[\s\xef\xbb\xbf]*\{")
_KINETO: Final = re.compile(rb'"(schemaVersion|deviceProperties|distributedInfo)"\s*:')
_LIST_START: Final = re.compile(rb"^[\s\xef\xbb\xbf]*\[\s*\{")
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')


def looks_like_trace(path: Path) -> bool:
    """Whether the first 4 KB of a file (unpacked, if it is a gzip) look like a Chrome trace.

    Of what looks like the head of a Kineto trace more is read.
    """
    try:
        return text_looks_like_trace(text_of_file(path))
    except OSError:
        return False


def text_looks_like_trace(text: Text) -> bool:
    """Whether the first 4 KB of a text look like a Chrome trace; raises OSError."""
    with open_text(text) as source:
        head = source.read(HEAD)
        if _LIST_KEY in head:
            return True
        if _KINETO.search(head):
            return fields_before_events(source, head) is not None
    return bool(_LIST_START.match(head) and _PHASE.search(head))


def fields_before_events(source: ByteSource, head: bytes = b"") -> bytes | None:
    """The text of the object that holds the events up to their key, given what was read of it.

    None when the source is no such object, or when it has no events within 8 MB.
    """
    parts, end = [head], head[-len(_LIST_KEY) :]
    length = len(head)
    while length < LONGEST_HEAD:
        block = source.read(_BLOCK)
        if not parts[0]:
            parts[0] = block
        else:
            parts.append(block)
        if not block or not _OBJECT_START.match(parts[0]):
            return None
        if _LIST_KEY in end + block:
            return b"".join(parts).partition(_LIST_KEY)[0]
        length += len(block)
        end = block[-len(_LIST_KEY) :]
    return None
