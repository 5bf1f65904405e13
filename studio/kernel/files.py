"""Write files so that a crash leaves the old or the new content, never half of it."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)
_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY
_CANNOT_RESERVE = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}


def write_atomic(path: Path, content: bytes | Sequence[bytes]) -> None:
    """Replace the content of a file in one step; a long one may come in several parts.

    The content goes to a temporary file in the same folder, is flushed to disk and renamed over the
    target. The mode of an existing file is kept, and a symbolic link stays a link: its target is
    replaced. Where that would take something away from the file (see `is_written_in_place`), its
    content is overwritten instead, with a whole copy beside it until that is done where the folder
    takes one.
    """
    target = path.resolve()
    content = (content,) if isinstance(content, bytes) else content
    if is_written_in_place(target):
        _write_in_place(target, content)
        return
    temporary = _write_beside(target, content)
    try:
        with suppress(FileNotFoundError):
            _take_after(temporary, target.stat())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def is_written_in_place(path: Path) -> bool:
    """Whether a file cannot be replaced by another one of the same name without a loss.

    It has other names (hard links), or belongs to somebody else, or its folder is closed to us.
    """
    if os.name != "posix":
        return False
    try:
        facts = path.stat()
    except OSError:
        return False
    if not stat.S_ISREG(facts.st_mode) or not os.access(path, os.W_OK):
        return False
    foreign = facts.st_uid != os.geteuid() and os.geteuid() != 0
    return facts.st_nlink > 1 or foreign or not os.access(path.resolve().parent, os.W_OK)


def _write_in_place(target: Path, content: Sequence[bytes]) -> None:
    """Overwrite a file; a copy of the whole content stays beside it when that is broken off."""
    copy = None
    with suppress(PermissionError):
        copy = _write_beside(target, content)
    stream = None
    try:
        stream = os.fdopen(os.open(target, os.O_WRONLY | _BINARY), "wb")
        _reserve(stream.fileno(), sum(map(len, content)))
    except BaseException:
        if stream is not None:
            stream.close()
        if copy is not None:
            copy.unlink()
        raise
    with stream:
        stream.writelines(content)
        stream.truncate()
        stream.flush()
        os.fsync(stream.fileno())
    if copy is not None:
        copy.unlink()


def _reserve(handle: int, size: int) -> None:
    """Take the room that a content needs before the first byte is overwritten."""
    before = os.fstat(handle).st_size
    if size <= before or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError as error:
        if error.errno not in _CANNOT_RESERVE:
            os.ftruncate(handle, before)
            raise


def _write_beside(target: Path, content: Sequence[bytes]) -> Path:
    """Write a content to a new file in the same folder, down to the disk, and return its path.

    Nobody may read it who may not read the target.
    """
    temporary = target.with_name(f".{target.name[:60]}.{secrets.token_hex(6)}.tmp")
    mode = 0o666
    with suppress(OSError):
        mode &= target.stat().st_mode | 0o600
    handle = os.open(temporary, _FLAGS, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _take_after(temporary: Path, facts: os.stat_result) -> None:
    """Give a file the owner (as far as we may) and the mode of the one that it replaces."""
    made = temporary.stat()
    if os.name == "posix" and (made.st_uid, made.st_gid) != (facts.st_uid, facts.st_gid):
        with suppress(OSError):
            os.chown(temporary, facts.st_uid, facts.st_gid)
    temporary.chmod(stat.S_IMODE(facts.st_mode))


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
