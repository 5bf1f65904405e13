"""Text edits and fixes: the only way in which a text of the user is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `[start, end)` of a text by `text`.

    Offsets count characters of the decoded text without its byte order mark, line ends as they
    stand in the file. `expected` is the text that must stand there, else the edit is refused.
    """

    path: Path
    start: int
    end: int
    text: str
    expected: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A set of edits that belong together and are applied or rejected as one."""

    title: str
    edits: tuple[TextEdit, ...]
    safe: bool = True
