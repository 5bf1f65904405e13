"""Listing folders in the background: few one by one, many together, taken over bit by bit."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from PySide6.QtCore import QObject

    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.tree import Entry

_FEW = 4
_MOST = 100
"""So many folders are listed by one job: one that takes long holds up no more than these."""
_TURN_SECONDS = 0.015


class Listings:
    """Asks for the entries of folders and hands them to `take`, on the window's thread.

    No folder is listed twice at a time: one that is asked for again meanwhile is listed anew
    afterwards, so that a storm of changes can neither pile up work nor keep what is shown from
    following. `take` is called for no longer than a moment at a time.
    """

    def __init__(
        self, studio: Studio, parent: QObject, take: Callable[[Path, Sequence[Entry]], object]
    ) -> None:
        self._studio = studio
        self._take = take
        self._wanted: dict[Path, None] = {}
        self._running: dict[Path, Job] = {}
        self._again: dict[Path, None] = {}
        self._arrived: deque[tuple[Path, Sequence[Entry]]] = deque()
        self._starting = QTimer(parent, singleShot=True, interval=0)
        self._starting.timeout.connect(self._start)
        self._taking = QTimer(parent, interval=0)
        self._taking.timeout.connect(self._take_some)

    def ask(self, folder: Path) -> None:
        """List a folder, soon."""
        job = self._running.get(folder)
        if job is not None and job.active:
            self._again[folder] = None
        else:
            self._wanted[folder] = None
            self._starting.start()

    def forget(self) -> None:
        """Drop what was asked for, as for another project."""
        self._starting.stop()
        self._taking.stop()
        for job in set(self._running.values()):
            job.cancel()
        for waiting in (self._wanted, self._running, self._again, self._arrived):
            waiting.clear()

    def busy(self) -> bool:
        """Whether something is still to be listed or taken over."""
        active = any(job.active for job in set(self._running.values()))
        return bool(self._wanted or self._arrived) or active

    def _start(self) -> None:
        folders = list(self._wanted)
        self._wanted.clear()
        count = 1 if len(folders) <= _FEW else _MOST
        for at in range(0, len(folders), count):
            part = folders[at : at + count]
            job = self._studio.start_job(
                "explorer:core.listing.list_folders",
                {"folders": part},
                title=tr("Listing {name}", name=part[0].name),
                done=self._listed,
            )
            self._running.update(dict.fromkeys(part, job))

    def _listed(self, found: list[tuple[Path, list[Entry]]]) -> None:
        self._arrived.extend(found)
        for folder, _ in found:
            self._running.pop(folder, None)
            if folder in self._again:
                del self._again[folder]
                self.ask(folder)
        self._taking.start()

    def _take_some(self) -> None:
        """Hand over what a moment allows, at least one folder."""
        end = time.thread_time() + _TURN_SECONDS
        while self._arrived:
            self._take(*self._arrived.popleft())
            if time.thread_time() > end:
                break
        if not self._arrived:
            self._taking.stop()
