"""Earlier versions of files that were saved here, and the last committed one."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from studio.kernel.job_context import JobContext

VERSIONS = 50
"""As many versions of a file are kept; the oldest go first."""

LARGEST = 5_000_000
"""Files of more bytes have no history."""

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it was until a moment (seconds since the epoch), kept in a file of its own."""

    path: Path
    until: float
    size: int


class History:
    """Keeps what each save overwrites, in a folder of the user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, path: Path, now: float | None = None) -> None:
        """Keep a file as it is on disk, before it is overwritten; the same twice is kept once."""
        data = bytes_to_keep(path)
        if data is not None:
            self.keep_bytes(path, data, now)

    def keep_bytes(self, path: Path, data: bytes, now: float | None = None) -> None:
        """Keep what a file held."""
        try:
            known = self.versions(path)
            if known and known[0].path.read_bytes() == data:
                return
            place = self._place(path)
            place.mkdir(parents=True, exist_ok=True)
            moment = time.time() if now is None else now
            write_atomic(place / f"{round(moment * 1000):015d}{path.suffix}", data)
            for old in self.versions(path)[VERSIONS:]:
                old.path.unlink(missing_ok=True)
        except OSError:
            return  # a full disk must not keep a file from being saved

    def versions(self, path: Path) -> list[Version]:
        """The versions of a file, newest first."""
        try:
            entries = list(os.scandir(self._place(path)))
        except OSError:
            return []
        found = []
        for entry in entries:
            stem = entry.name.split(".")[0]
            if stem.isdigit():
                size = entry.stat().st_size
                found.append(Version(Path(entry.path), int(stem) / 1000, size))
        return sorted(found, key=lambda version: -version.until)

    def _place(self, path: Path) -> Path:
        name = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()[:24]
        return self._folder / name


def bytes_to_keep(path: Path) -> bytes | None:
    """What a file holds before it is overwritten; None when it is absent or too large to keep."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes()
    except OSError:
        return None


def keep_version(folder: Path, path: Path, data: bytes) -> None:
    """Keep what a file held, as a job."""
    History(folder).keep_bytes(path, data)


def committed(path: Path, keep_in: Path, job: JobContext | None = None) -> Path:
    """Write the last committed version of a file into a folder, and return where.

    Raises StudioError when git is not there, or has no such file.
    """
    if shutil.which("git") is None:
        raise StudioError(tr("git was not found on this machine."))
    try:
        done = subprocess.run(
            ["git", "-C", os.fspath(path.parent), "cat-file", "blob", f"HEAD:./{path.name}"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise StudioError(tr("git could not be asked: {why}.", why=error), path=path) from error
    if job:
        job.check()
    if done.returncode:
        raise StudioError(tr("{file} was never committed.", file=path.name), path=path)
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    target = keep_in / f"{name}{path.suffix}"
    keep_in.mkdir(parents=True, exist_ok=True)
    write_atomic(target, done.stdout)
    return target
