"""The words of a project's files, read in the background and shared by its editors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio

_FRESH_S = 120.0


def project_words(studio: Studio) -> str:
    """The words as they were read last, "" before; read anew when that is a while ago."""
    project = studio.project
    if project is None:
        return ""
    kept = project.memory("editor.words")
    now = time.monotonic()
    if now - kept.get("read", -_FRESH_S) >= _FRESH_S:
        kept["read"] = now

        def take(words: str) -> None:
            kept["words"] = words

        studio.start_job(
            "editor:core.vocabulary.words_of_files",
            {"root": project.root},
            title=tr("Reading the words of the project"),
            key="words of the project",
            process=True,
            done=take,
            failed=lambda _error: None,
        )
    words: str = kept.get("words", "")
    return words
