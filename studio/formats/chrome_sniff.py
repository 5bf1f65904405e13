"""Recognising Chrome traces by their first bytes, with nothing heavy imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from studio.formats.byte_source import open_bytes

if TYPE_CHECKING:
    from pathlib import Path

HEAD: Final = 4096
_LIST_START: Final = re.compile(rb"^[\s\xef\xbb\xbf]*\[\s*\{")
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')


def looks_like_trace(path: Path) -> bool:
    """Whether the first 4 KB of a file (unpacked, if it is a gzip) look like a Chrome trace."""
    try:
        with open_bytes(path) as source:
            head = source.read(HEAD)[:HEAD]
    except OSError:
        return False
    if b'"traceEvents"' in head:
        return True
    return bool(_LIST_START.match(head) and _PHASE.search(head))
