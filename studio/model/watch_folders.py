"""Which folders the system is asked to watch: all but the skipped ones, with few threads."""

from __future__ import annotations

import errno
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from studio.model.tree import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

_LOGGER = "watchdog.observers.inotify_c"
_LOST = "events were lost"
"""What watchdog logs, and tells in no other way, when the system's queue ran over."""

# Each watch is a thread; a watch of a whole subtree is one, however many folders are in it.
_MOST_WATCHES = 24
# The kernel holds about one KiB for each folder.
_MOST_FOLDERS = 20_000
# Small skipped folders that are not worth splitting a watch for; their events are dropped later.
_SMALL = frozenset({"__pycache__", ".ipynb_checkpoints", ".eggs"})


class FolderWatches:
    """The watches below one root.

    A subtree without large skipped folders gets one recursive watch; a folder that holds such a one
    is watched alone, and its other folders one by one.
    """

    def __init__(
        self,
        root: Path,
        on_event: Callable[[FileSystemEvent], object],
        observer: Callable[[], BaseObserver] | None = None,
        on_lost: Callable[[], object] = lambda: None,
    ) -> None:
        self._root = root
        self._losses = _Losses(on_lost)
        self._on_event = on_event
        self._make = observer or _make_observer
        self._observer: BaseObserver | None = None
        self._watches: dict[Path, ObservedWatch] = {}

    def open(self, stopping: Callable[[], bool]) -> None:
        """Start watching; raises OSError when the system refuses."""
        plan = plan_watches(self._root, stopping)
        if stopping():
            return
        logging.getLogger(_LOGGER).addHandler(self._losses)
        self._observer = self._make()
        self._observer.start()
        for folder, recursive in plan.items():
            if stopping():
                return
            self._schedule(folder, recursive)

    def follow(self, paths: Iterable[Path]) -> None:
        """Watch new folders beside skipped ones, and let go of those that are gone."""
        if self._observer is None:
            return
        for path in paths:
            if (watch := self._watches.get(path)) and not path.is_dir():
                self._observer.unschedule(watch)
                del self._watches[path]
            parent = self._watches.get(path.parent)
            alone = parent is not None and not parent.is_recursive
            new = path.name not in SKIPPED and path not in self._watches
            if alone and new and _is_real_folder(path):
                self._schedule(path, recursive=True)

    def renew(self) -> None:
        """Watch folders that were made while events were lost."""
        alone = [folder for folder, watch in self._watches.items() if not watch.is_recursive]
        for folder in alone:
            with suppress(OSError), os.scandir(folder) as items:
                self.follow([Path(item.path) for item in items])

    def close(self) -> None:
        """Stop watching and end all threads."""
        logging.getLogger(_LOGGER).removeHandler(self._losses)
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join()

    def _schedule(self, folder: Path, recursive: bool) -> None:
        if self._observer is not None:
            with suppress(FileNotFoundError):
                self._watches[folder] = self._observer.schedule(
                    _handler(self._on_event),
                    os.fspath(folder),
                    recursive=recursive,
                    event_filter=_wanted_events(),
                )


class _Losses(logging.Handler):
    """Calls a function when watchdog logs that it missed events."""

    def __init__(self, tell: Callable[[], object]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Look at one record."""
        if _LOST in record.getMessage():
            self._tell()


def plan_watches(root: Path, stopping: Callable[[], bool] = lambda: False) -> dict[Path, bool]:
    """The folders to watch, each with whether its whole subtree is meant.

    Raises OSError (no space left for watches) when there are too many folders to ask for.
    """
    inner: dict[str, list[str]] = {}
    whole: dict[str, bool] = {}
    for folder, names, _ in os.walk(root):
        if stopping():
            return {}
        whole[folder] = not any(name in SKIPPED and name not in _SMALL for name in names)
        names[:] = [name for name in names if name not in SKIPPED]
        paths = [os.path.join(folder, name) for name in names]
        inner[folder] = [path for path in paths if not os.path.islink(path)]
        if len(inner) > _MOST_FOLDERS:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for folder in reversed(inner):
        whole[folder] = whole[folder] and all(whole.get(path, True) for path in inner[folder])
    plan: dict[Path, bool] = {}
    pending = [os.fspath(root)]
    while pending:
        folder = pending.pop()
        plan[Path(folder)] = whole.get(folder, True)
        if not plan[Path(folder)]:
            pending += inner[folder]
    return plan if len(plan) <= _MOST_WATCHES else {root: True}


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _wanted_events() -> list[type[FileSystemEvent]]:
    """All but opening and reading: a scan opens every file, which would flood the queue."""
    from watchdog import events

    return [
        events.DirCreatedEvent,
        events.DirDeletedEvent,
        events.DirModifiedEvent,
        events.DirMovedEvent,
        events.FileClosedEvent,
        events.FileCreatedEvent,
        events.FileDeletedEvent,
        events.FileModifiedEvent,
        events.FileMovedEvent,
    ]


def _handler(on_event: Callable[[FileSystemEvent], object]) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            on_event(event)

    return Handler()


def _make_observer() -> BaseObserver:
    from watchdog.observers import Observer

    return Observer()
