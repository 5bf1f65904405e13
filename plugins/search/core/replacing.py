"""The edits that replace what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.model.edits import TextEdit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.search.core.find import FileHits


def edits_of(files: Iterable[FileHits]) -> list[TextEdit]:
    """One edit for each hit that has a replacement other than what stands there."""
    return [
        TextEdit(file.path, hit.start, hit.end, hit.after, hit.found)
        for file in files
        for hit in file.hits
        if hit.after is not None and hit.after != hit.found
    ]
