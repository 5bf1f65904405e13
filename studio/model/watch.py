"""Hearing of changes on disk, gathered so that a storm of them is told once."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import report_error
from studio.model.tree import SKIPPED
from studio.model.watch_folders import FolderWatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

_KINDS = frozenset({"created", "modified", "moved", "deleted", "closed"})
_OWN_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{12}\.tmp")
_LONGEST_STORM = 1.0
_POLLED_FOLDERS = 200
_MOST_PATHS = 500
"""So many paths are told at a time."""

_Facts = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed on disk within a short time: every path concerned, and renames in order."""

    paths: frozenset[Path]
    moves: tuple[tuple[Path, Path], ...] = ()


class Watcher:
    """Watches a folder and tells of changes, through `post`, after a short quiet time.

    Runs on a thread of its own from `start` to `stop`. Files named by `open_files` are also looked
    at once a second, because systems lose events and network drives send none. When the system says
    that it lost some, the root itself is told as changed: anything in it may be. Where the system
    refuses to watch (too many folders), the top folders are looked at the same way, and
    `notice` is called once with a sentence for the user. `ready` is called once when no change can
    be missed any more.
    """

    def __init__(
        self,
        root: Path,
        deliver: Callable[[Changes], object],
        *,
        post: Callable[[Callable[[], object]], object],
        open_files: Callable[[], Iterable[Path]] = tuple,
        notice: Callable[[str], object] = lambda text: None,
        ready: Callable[[], object] = lambda: None,
        observer: Callable[[], BaseObserver] | None = None,
        quiet: float = 0.2,
        tick: float = 1.0,
    ) -> None:
        self.polling = False
        self._root = root
        self._deliver = deliver
        self._post = post
        self._open_files = open_files
        self._notice = notice
        self._ready = ready
        self._folders = FolderWatches(root, self._on_event, observer, self._on_lost)
        self._lost = False
        self._quiet = quiet
        self._tick = tick
        self._news = threading.Condition()
        self._stopping = False
        self._paths: set[Path] = set()
        self._moves: list[tuple[Path, Path]] = []
        self._last_event = 0.0
        self._seen: dict[Path, _Facts] = {}
        self._thread = threading.Thread(target=self._run, name="studio-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch; setting up happens on the watcher's own thread."""
        self._thread.start()

    def stop(self) -> None:
        """End all threads; nothing is delivered any more."""
        with self._news:
            self._stopping = True
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    # -- on the thread of the watcher ---------------------------------------------------------
    def _run(self) -> None:
        try:
            try:
                self._set_up()
                self._look()
            finally:
                self._tell(self._ready)
            while self._wait():
                if self._look_and_gather():
                    self._send()
        except Exception as error:  # noqa: BLE001 - reported; nobody else sees this thread
            report_error(error, "watching")
        finally:
            self._folders.close()

    def _set_up(self) -> None:
        try:
            self._folders.open(lambda: self._stopping)
        except OSError as error:
            self._folders.close()
            self._fall_back(error)

    def _fall_back(self, error: OSError) -> None:
        self.polling = True
        text = tr(
            "The system cannot watch all folders ({reason}). "
            "Open files and the top folders are still checked for changes.",
            reason=error.strerror or error,
        )
        self._tell(lambda: self._notice(text))

    def _wait(self) -> bool:
        """Wait for news or the next tick; False when it is time to end."""
        with self._news:
            self._news.wait_for(lambda: self._stopping or self._paths, self._tick)
            return not self._stopping

    def _look_and_gather(self) -> bool:
        """Look at what is polled, then wait until it is quiet; whether there is something."""
        polled = self._look()
        end = time.monotonic() + _LONGEST_STORM
        with self._news:
            self._paths.update(polled)
            while self._paths and not self._stopping:
                now = time.monotonic()
                left = min(self._last_event + self._quiet, end) - now
                if left <= 0:
                    break
                self._news.wait_for(lambda: self._stopping, left)
            return bool(self._paths) and not self._stopping

    def _look(self) -> list[Path]:
        """The polled paths that are not as they were."""
        opened = set(self._open_files())
        places = {*opened, self._root}
        if self.polling:
            places |= _top_folders(self._root)
        changed = []
        before, self._seen = self._seen, {place: _facts(place) for place in places}
        for place, facts in self._seen.items():
            if place in before and before[place] == facts:
                continue
            if place not in before and not (self.polling and place in opened):
                continue  # nobody knows an older state of it
            if place != self._root or self.polling or facts is None:
                changed.append(place)
        return changed

    def _send(self) -> None:
        with self._news:
            paths, moves = frozenset(self._paths), tuple(self._moves)
            self._paths.clear()
            self._moves.clear()
            lost, self._lost = self._lost, False
        try:
            if lost:
                self._folders.renew()
            self._folders.follow(paths)
        except OSError as error:
            self._folders.close()
            self._fall_back(error)
        for changes in _in_parts(paths, moves):
            self._tell(partial(self._deliver, changes))

    def _tell(self, action: Callable[[], object]) -> None:
        self._post(lambda: None if self._stopping else action())

    # -- on the thread of the observer --------------------------------------------------------
    def _on_event(self, event: FileSystemEvent) -> None:
        inner = event.is_directory and event.event_type == "modified"
        if inner or event.event_type not in _KINDS:
            return
        ends = [Path(os.fsdecode(p)) for p in (event.src_path, event.dest_path) if p]
        wanted = [path for path in ends if self._wanted(path)]
        with self._news:
            self._paths.update(wanted)
            if event.event_type == "moved" and len(wanted) == 2:
                self._moves.append((wanted[0], wanted[1]))
            if wanted:
                self._last_event = time.monotonic()
                self._news.notify_all()

    def _on_lost(self) -> None:
        with self._news:
            self._lost = True
            self._paths.add(self._root)
            self._last_event = time.monotonic()
            self._news.notify_all()

    def _wanted(self, path: Path) -> bool:
        """Whether a path is outside skipped folders and no temporary file of our own."""
        if _OWN_TEMPORARY.fullmatch(path.name):
            return False
        inner = path.parts[len(self._root.parts) : -1]
        return SKIPPED.isdisjoint(inner)


def _in_parts(paths: frozenset[Path], moves: tuple[tuple[Path, Path], ...]) -> Iterator[Changes]:
    """The changes of a storm so that each part is looked at in a moment; renames come first."""
    parts = iter(paths)
    while part := frozenset(islice(parts, _MOST_PATHS)):
        for path in part:
            os.fspath(path)  # is put together here and not by the window, and remembered
        yield Changes(part, moves)
        moves = ()


def _facts(path: Path) -> _Facts:
    try:
        found = path.stat()
    except OSError:
        return None
    size = 0 if os.path.isdir(path) else found.st_size
    return found.st_mtime_ns, size, found.st_ino


def _top_folders(root: Path) -> set[Path]:
    try:
        with os.scandir(root) as items:
            folders = [item.path for item in items if item.is_dir(follow_symlinks=False)]
    except OSError:
        return set()
    return {Path(folder) for folder in sorted(folders)[:_POLLED_FOLDERS]}
