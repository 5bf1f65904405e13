"""Keeping a project's items current: scans in the background, again when files change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from studio.kernel.job import Job
    from studio.kernel.jobs import Jobs
    from studio.model.project import Project
    from studio.model.scan import Scan, Scanner


class Scanning:
    """Scans the roots of one project, one job at a time for each of them.

    `finished` tells the root whose items are current.
    """

    def __init__(self, project: Project, jobs: Jobs, scanners: Callable[[], list[Scanner]]) -> None:
        self.finished: Event[Path] = Event("scanning.finished")
        self._project = project
        self._jobs = jobs
        self._scanners = scanners
        self._running: dict[Path, Job] = {}
        self._waiting: dict[Path, set[Path]] = {}
        self._disconnect = (
            project.files_changed.connect(self.update).disconnect,
            project.linked_changed.connect(self._scan_new_links).disconnect,
        )

    def start(self) -> None:
        """Scan all roots from scratch."""
        for root in self._project.roots:
            self._start(root, None)

    def update(self, paths: Iterable[Path]) -> None:
        """Look at changed files and folders again."""
        places = [(path, os.path.normcase(path)) for path in paths]
        for root in self._project.roots:
            own = os.path.normcase(root)
            inside = os.path.join(own, "")  # comparing paths as such takes ten times as long
            mine = {path for path, text in places if text == own or text.startswith(inside)}
            if not mine:
                continue
            if (job := self._running.get(root)) and job.active:
                self._waiting.setdefault(root, set()).update(mine)
            else:
                self._start(root, mine)

    def stop(self) -> None:
        """Give up what is running."""
        for disconnect in self._disconnect:
            disconnect()
        for job in self._running.values():
            job.cancel()
        self._running.clear()

    def _scan_new_links(self, linked: list[Path]) -> None:
        for root in linked:
            if self._project.scan_of(root) is None:
                self._start(root, None)

    def _start(self, root: Path, changed: set[Path] | None) -> None:
        before = self._project.scan_of(root)
        arguments: dict[str, Any] = {"root": root, "scanners": self._scanners()}
        function = "studio:model.scan.scan"
        if changed is not None and before is not None and root not in changed:
            function = "studio:model.rescan.rescan"
            arguments = {"before": before, "paths": changed, "scanners": arguments["scanners"]}
        self._running[root] = self._jobs.start(
            function,
            arguments,
            title=tr("Looking through {name}", name=root.name),
            key=f"scan {root}",
            done=lambda scan: self._done(root, scan),
        )

    def _done(self, root: Path, scan: Scan) -> None:
        self._project.take_scan(scan, root)
        if waiting := self._waiting.pop(root, None):
            self._start(root, waiting)
        else:
            self.finished.emit(root)
