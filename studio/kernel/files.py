"""Write files so that a crash leaves the old or the new content, never half of it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the content of a file in one step.

    The content goes to a temporary file in the same folder, is flushed to disk and renamed over the
    target. The mode of an existing file is kept, and a symbolic link stays a link: its target is
    replaced.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name[:60]}.{secrets.token_hex(6)}.tmp")
    handle = os.open(temporary, _FLAGS, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
