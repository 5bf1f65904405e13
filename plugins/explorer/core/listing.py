"""The entries of several folders. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.model.tree import list_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.kernel.job_context import JobContext
    from studio.model.tree import Entry


def list_folders(
    folders: Sequence[Path], job: JobContext | None = None
) -> list[tuple[Path, list[Entry]]]:
    """Each folder with its entries as they are now."""
    found = []
    for folder in folders:
        if job is not None:
            job.check()
        found.append((folder, list_folder(folder)))
    return found
