"""Earlier versions of files that were saved here, and the last committed one."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import is_written_in_place, write_atomic

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

    def keep_bytes(self, path: Path, data: bytes, now: float | None = None) -> None:
        """Keep what a file held before it was overwritten; the same twice is kept once."""
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


class Before:
    """A file as it is before a save replaces it, held open so that a job can read it later."""

    def __init__(self, path: Path) -> None:
        self._handle: int | None = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def read(self) -> bytes:
        """What the file holds, or held."""
        if self._handle is None:
            return b""
        with open(self._handle, "rb") as file:
            self._handle = None
            return file.read()

    def __del__(self) -> None:
        """Let go of the file when the job that should have read it was given up."""
        if getattr(self, "_handle", None) is not None:
            os.close(self._handle)  # type: ignore[arg-type]


def to_keep(path: Path) -> Before | bytes | None:
    """What is to be kept before a file is overwritten; None when it is absent or too large.

    Nothing is read, unless the file itself will be written anew.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST:
            return None
        at_once = os.name == "nt" or is_written_in_place(path)
        return path.read_bytes() if at_once else Before(path)
    except OSError:
        return None


def keep_version(folder: Path, path: Path, before: Before | bytes) -> None:
    """Keep what a file held, as a job."""
    try:
        data = before if isinstance(before, bytes) else before.read()
    except OSError:
        return
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
