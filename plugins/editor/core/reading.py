"""Reading a file that is too long to be read while the window waits. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.editor.core import Excerpt, excerpt
from studio.model.document import unreadable
from studio.model.encoding import Decoded, decode
from studio.model.stamps import Stamp, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext

LONG = 4_000_000
"""A file of more bytes takes longer to read and decode than a window may stand still."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What an editor opens: the text, or as much of it as can be shown."""

    decoded: Decoded | None = None
    found: Stamp | None = None
    excerpt: Excerpt | None = None


def is_long(path: Path) -> bool:
    """Whether a file is to be read in the background."""
    try:
        return path.stat().st_size > LONG
    except OSError:
        return False


def read_file(path: Path, job: JobContext | None = None) -> ReadFile:
    """Read and decode a file; raises StudioError when it cannot be read."""
    shown = excerpt(path)
    if shown is not None:
        return ReadFile(excerpt=shown)
    if job:
        job.check()
    try:
        data = path.read_bytes()
        found = stamp(path, data)
    except OSError as error:
        raise unreadable(path, error) from error
    return ReadFile(decode(data), found)
