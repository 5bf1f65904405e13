"""Clearing what the program keeps of files that it has read, after saying how much it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.text import format_bytes

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.kernel.caches import Cache


def clear_cache(studio: Studio) -> None:
    """Look how much there is, ask, and clear it; both in the background."""
    studio.start_job(
        "studio:kernel.caches.look_at_cache",
        {},
        title=tr("Looking at the cache"),
        key="cache",
        done=lambda found: _ask(studio, found),
    )


def _ask(studio: Studio, found: Cache) -> None:
    window = studio.window
    if window is None:
        return
    if not found.bytes:
        studio.notify(tr("The cache is empty."))
        return
    yes = tr("Clear")
    question = tr(
        "{size} are kept of files that were read before, in {folder}. What is needed again is "
        "read anew from the files, which are not touched.",
        size=format_bytes(found.bytes),
        folder=found.folder,
    )
    if window.ask(tr("Clear the cache?"), question, (yes,), yes) != yes:
        return
    studio.start_job(
        "studio:kernel.caches.clear_cache",
        {},
        title=tr("Clearing the cache"),
        key="cache",
        done=lambda done: studio.notify(
            tr("The cache is cleared: {size} are free again.", size=format_bytes(done.bytes)),
            severity="ok",
        ),
    )
