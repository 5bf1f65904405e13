"""Reading a file that is too long to be read while the window waits. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.editor.core import Excerpt, excerpt
from studio.model.document import unreadable
from studio.model.encoding import Decoded, decode
from studio.model.outside import LONG, read_now

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.kernel.job_context import JobContext
    from studio.model.stamps import Stamp


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
        now = read_now(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return ReadFile(now.decoded, now.found)


def read_text(path: Path, encoding: str | None = None) -> str:
    """The text of a file; raises StudioError when it cannot be read."""
    try:
        return decode(path.read_bytes(), encoding).text
    except OSError as error:
        raise unreadable(path, error) from error


def read_to_compare(sources: Sequence[str | Path]) -> list[str]:
    """Texts as they are, and those of files, fit to be shown; "" for a file that is gone."""
    return [source if isinstance(source, str) else _shown(source) for source in sources]


def _shown(path: Path) -> str:
    try:
        return decode(path.read_bytes()).shown
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable(path, error) from error
