"""Text edits and fixes: the only way in which a text of the user is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.encoding import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence
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


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Return `text` with all edits made; raises `StudioError` when one does not fit.

    Edits may come in any order; insertions at one place keep the order in which they are given.
    """
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        _check(text, edit, done)
        parts += (text[done : edit.start], edit.text)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts)


def _check(text: str, edit: TextEdit, done: int) -> None:
    where = {"file": edit.path.name, "line": line_of(text, max(edit.start, 0))}
    if not 0 <= edit.start <= edit.end <= len(text):
        message = tr("{file}, line {line}: an edit lies outside the text.", **where)
    elif edit.start < done:
        message = tr("{file}, line {line}: two edits change the same place.", **where)
    elif text[edit.start : edit.end] != edit.expected:
        message = tr(
            "{file}, line {line}: the text is no longer the one the suggestion was made for. "
            "Scan it again.",
            **where,
        )
    else:
        return
    raise StudioError(message, path=edit.path)
