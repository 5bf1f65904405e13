"""Unsaved texts, kept in the user's folder so that they outlive a crash or a kill.

Each run has a folder of its own with a lock that the system releases when the run ends, however it
ends. What lies in a folder that nobody locks is work of a run that did not end in order.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

from studio.kernel.errors import report_error
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from studio.model.document import Document
    from studio.model.pieces import Pieces

_VERSION = 1
_LOCK = "lock"
_SUFFIX = ".unsaved"
_REST = 9
"""Writing a long text again and again takes at most one second in so many and one."""
_LONGEST_REST_S = 10.0
_BLOCK = 250_000
"""Characters encoded at a time: nobody else runs meanwhile."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A text that was not saved: of which file, when it was kept, and what the file was then."""

    path: Path
    text: str
    encoding: str
    bom: bool
    lossy: bool
    kept_at: float
    base: str
    entry: Path


class Journal:
    """Keeps the unsaved texts of one run; written `delay` seconds after the first change.

    Nothing is written on the thread that calls `put`. A text that takes long to write is written
    more seldom: it rests for nine times as long as that took, but never longer than ten seconds.
    """

    def __init__(self, folder: Path, *, delay: float = 0.5) -> None:
        self._folder = folder
        self._delay = delay
        self._own: Path | None = None
        self._lock: IO[bytes] | None = None
        self._writing = threading.Lock()
        self._guard = threading.RLock()
        self._names: dict[Document, str] = {}
        self._pending: dict[str, tuple[dict[str, Any], Pieces]] = {}
        self._taken: dict[str, list[Unsaved]] = {}
        self._resting: dict[str, float] = {}
        self._removing: list[threading.Thread] = []
        self._timer: threading.Timer | None = None

    def put(self, document: Document) -> None:
        """Keep the text of a document soon."""
        base = document.on_disk
        facts = {
            "version": _VERSION,
            "path": os.fspath(document.path),
            "encoding": document.encoding,
            "bom": document.bom,
            "lossy": document.lossy,
            "kept_at": time.time(),
            "base": base.digest.hex() if base else "",
        }
        with self._guard:
            name = self._names.setdefault(document, f"{uuid4().hex}{_SUFFIX}")
            self._pending[name] = facts, document.pieces
            if self._timer is None:
                self._wake(self._delay)

    def drop(self, document: Document) -> None:
        """Forget a document that was saved or closed."""
        with self._guard:
            name = self._names.pop(document, "")
            self._pending.pop(name, None)
            self._resting.pop(name, None)
            if name and self._own:
                self._remove(self._own / name)
        self._discard_taken(name)

    def _remove(self, entry: Path) -> None:
        """Remove an entry; of a long one a file system may take its time to give up the room."""
        try:
            if entry.stat().st_size <= _BLOCK:
                entry.unlink()
                return
        except FileNotFoundError:
            return
        thread = threading.Thread(target=entry.unlink, args=(True,), name="studio-journal")
        self._removing = [*filter(threading.Thread.is_alive, self._removing), thread]
        thread.start()

    def flush(self) -> None:
        """Write what is pending now; `put` and `drop` do not wait for a long text to be written."""
        self._write_pending(time.monotonic() + _LONGEST_REST_S)

    def _write_pending(self, now: float) -> None:
        """Write the texts that have rested until now, and come back for the others."""
        with self._writing:
            with self._guard:
                if self._timer:
                    self._timer.cancel()
                    self._timer = None
                due = [name for name in self._pending if self._resting.get(name, 0.0) <= now]
                pending = {name: self._pending.pop(name) for name in due}
            for name, (facts, text) in pending.items():
                try:
                    self._write(name, _entry(facts, text))
                except OSError as error:  # a long text may lack room where a short one has it
                    report_error(error, "keeping unsaved texts")
            with self._guard:
                if self._pending and self._timer is None:
                    rested = min(self._resting.get(name, 0.0) for name in self._pending)
                    self._wake(max(rested - time.monotonic(), self._delay))

    def _wake(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, lambda: self._write_pending(time.monotonic()))
        self._timer.name = "studio-journal"
        self._timer.daemon = True
        self._timer.start()

    def _write(self, name: str, entry: list[bytes]) -> None:
        begin = time.monotonic()
        path = self._folder_of_this_run() / name
        write_atomic(path, entry)
        end = time.monotonic()
        with self._guard:
            self._resting[name] = end + min(_REST * (end - begin), _LONGEST_REST_S)
            if name not in self._names.values():
                self._resting.pop(name)
                path.unlink(missing_ok=True)  # it was saved or closed meanwhile
            kept = name not in self._pending
        if kept:
            self._discard_taken(name)

    def leftovers(self) -> list[Unsaved]:
        """The unsaved texts of runs that are over, oldest first."""
        found = [
            unsaved
            for folder in self._ended_runs()
            for entry in folder.glob(f"*{_SUFFIX}")
            if (unsaved := _read(entry))
        ]
        with self._guard:
            taken = {unsaved.entry for each in self._taken.values() for unsaved in each}
        found = [unsaved for unsaved in found if unsaved.entry not in taken]
        return sorted(found, key=lambda unsaved: unsaved.kept_at)

    def has_leftovers(self) -> bool:
        """Whether a run that is over left texts behind; reads none of them."""
        return any(any(folder.glob(f"*{_SUFFIX}")) for folder in self._ended_runs())

    def take_over(self, document: Document, unsaved: Unsaved) -> None:
        """Remove one of the leftovers, which a document has now, once that is kept itself."""
        with self._guard:
            name = self._names.get(document)
            if name is not None:
                self._taken.setdefault(name, []).append(unsaved)
                return
        self.discard(unsaved)

    def _discard_taken(self, name: str) -> None:
        with self._guard:
            taken = self._taken.pop(name, [])
        for unsaved in taken:
            self.discard(unsaved)

    def discard(self, unsaved: Unsaved) -> None:
        """Remove one of the leftovers."""
        unsaved.entry.unlink(missing_ok=True)
        folder = unsaved.entry.parent
        if not any(folder.glob(f"*{_SUFFIX}")):
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """End the run: write what is pending, and keep the folder only if something is in it."""
        timer = self._timer
        self.flush()
        for thread in (timer, *self._removing):
            if thread:
                thread.join()
        if self._lock and self._own:
            self._lock.close()
            if not any(self._own.glob(f"*{_SUFFIX}")):
                shutil.rmtree(self._own, ignore_errors=True)
            self._lock = self._own = None

    def _folder_of_this_run(self) -> Path:
        if self._own is None:
            self._own = self._folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid4().hex[:8]}"
            self._own.mkdir(parents=True)
            self._lock = (self._own / _LOCK).open("wb")
            lock_file(self._lock)
        return self._own

    def _ended_runs(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        folders = [folder for folder in self._folder.iterdir() if folder.is_dir()]
        return [folder for folder in folders if folder != self._own and _ended(folder)]


def lock_file(handle: IO[bytes]) -> bool:
    """Lock an open file until it is closed; False when another run holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _ended(folder: Path) -> bool:
    try:
        with (folder / _LOCK).open("r+b") as handle:
            return lock_file(handle)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _entry(facts: dict[str, Any], text: Pieces) -> list[bytes]:
    """The bytes of an entry: a line of facts, then the text as it is."""
    blocks = (block.encode("utf-8", "surrogatepass") for block in text.blocks(_BLOCK))
    return [json.dumps(facts).encode("ascii") + b"\n", *blocks]


def _read(entry: Path) -> Unsaved | None:
    """One entry, or None when it is damaged or of a newer version."""
    try:
        line, _, text = entry.read_bytes().partition(b"\n")
        facts = json.loads(line)
        if facts["version"] != _VERSION:
            return None
        return Unsaved(
            Path(facts["path"]),
            text.decode("utf-8", "surrogatepass"),
            str(facts["encoding"]),
            bool(facts["bom"]),
            bool(facts["lossy"]),
            float(facts["kept_at"]),
            str(facts["base"]),
            entry,
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
