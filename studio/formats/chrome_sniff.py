"""Recognising Chrome traces by their first bytes, with nothing heavy imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from studio.formats.byte_source import open_text, text_of_file

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.byte_source import Text

HEAD: Final = 4096
_LIST_START: Final = re.compile(rb"^[\s\xef\xbb\xbf]*\[\s*\{")
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')


def looks_like_trace(path: Path) -> bool:
    """Whether the first 4 KB of a file (unpacked, if it is a gzip) look like a Chrome trace."""
    try:
        return text_looks_like_trace(text_of_file(path))
    except OSError:
        return False


def text_looks_like_trace(text: Text) -> bool:
    """Whether the first 4 KB of a text look like a Chrome trace; raises OSError."""
    with open_text(text) as source:
        head = source.read(HEAD)
    if b'"traceEvents"' in head:
        return True
    return bool(_LIST_START.match(head) and _PHASE.search(head))
