"""Changing many files in a job, so that the window goes on: all of them or none."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.changes import (
    FileChange,
    OpenText,
    back_up,
    closed_step,
    make_changes,
    plan_changes,
    raise_together,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from studio.kernel.job import Job
    from studio.kernel.job_context import JobContext
    from studio.model.documents import Documents
    from studio.model.edits import TextEdit

_PATIENCE_S = 5.0
_PLANNED, _CHECKED, _BACKED_UP = 0.3, 0.5, 0.55


class OpenTexts:
    """What all open documents held at one moment, to be looked up from any thread."""

    def __init__(self, documents: Documents) -> None:
        self._texts = {
            d.path: OpenText(d.text, d.encoding, d.bom, d.lossy) for d in documents.all()
        }
        self._real: dict[str, OpenText] | None = None

    def get(self, path: Path) -> OpenText | None:
        """The open text of a file whatever name it was opened by, or None."""
        if not self._texts or path in self._texts:
            return self._texts.get(path)
        if self._real is None:
            self._real = {os.path.realpath(place): text for place, text in self._texts.items()}
        return self._real.get(os.path.realpath(path))


def _ended() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


@dataclass(eq=False)
class Work:
    """What is wanted: edits to be fitted, or changes that are known; `backups` is a folder."""

    title: str
    edits: Sequence[TextEdit] = ()
    changes: tuple[FileChange, ...] | None = None
    backups: Path | None = None
    ended: threading.Event = field(default_factory=_ended)
    """Not set while files are read and written."""


@dataclass(frozen=True, slots=True)
class Made:
    """All changes, those of files that are not open (which are written), and the backup."""

    changes: tuple[FileChange, ...]
    written: tuple[FileChange, ...]
    backup: Path | None


class Changing:
    """Starts such jobs, one at a time, and changes the open documents when the files are done.

    Without the jobs of a live project everything is done at once.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._job: Job | None = None
        self._work: Work | None = None
        self._deliver: Callable[[], None] = lambda: None

    def start(
        self,
        work: Work,
        done: Callable[[Made], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        """Begin; `done` or `failed` is called on the main thread, neither when cancelled."""
        if self._busy():
            failed(StudioError(tr("Files are being changed already; wait until that is done.")))
            return

        def finish(made: Made) -> None:
            try:
                self._change_open(made)
            except StudioError as error:
                problem: StudioError | None = error
            else:
                problem = None
            if self._documents.jobs is not jobs:
                return  # the project was closed in between, and nobody waits
            if problem is not None:
                failed(problem)
            else:
                done(made)

        texts, jobs = OpenTexts(self._documents), self._documents.jobs
        if jobs is None:
            from studio.kernel.job_context import JobContext

            here = JobContext(lambda progress: None, lambda: False)
            try:
                made = change_files(work, texts, self._documents.locked, finish=None, job=here)
            except StudioError as error:
                failed(error)
            else:
                finish(made)
            return
        results: list[Made] = []

        def deliver() -> None:
            while results:
                finish(results.pop())

        def written(made: Made) -> None:
            results.append(made)
            jobs.post(deliver)

        # The result comes by `post`: it must arrive even if somebody cancels after the last write.
        self._work, self._deliver = work, deliver
        self._job = jobs.start(
            "studio:model.changing.change_files",
            {
                "work": work,
                "texts": texts,
                "locked": self._documents.locked,
                "finish": written,
            },
            title=work.title,
            failed=failed,
        )

    def close(self) -> None:
        """Give up what is under way, or take its result if every file is written by now.

        Waits for the file that is being written just now.
        """
        if self._job is not None:
            self._job.cancel()
        if self._work is not None:
            self._work.ended.wait(_PATIENCE_S)
        self._deliver()

    def _busy(self) -> bool:
        active = self._job is not None and self._job.active
        return active or (self._work is not None and not self._work.ended.is_set())

    def _change_open(self, made: Made) -> None:
        written = {change.path for change in made.written}
        try:
            make_changes(self._documents, [c for c in made.changes if c.path not in written])
        except StudioError:
            # At once and not in a job, which could be cancelled and leave half of the files.
            for change in made.written:
                with suppress(StudioError):
                    closed_step(change.reversed(), self._documents.locked)[0]()
            raise
        finally:
            self._documents.look_outside(written)


def change_files(
    work: Work,
    texts: OpenTexts,
    locked: Callable[[Path], bool],
    finish: Callable[[Made], object] | None,
    job: JobContext,
) -> Made:
    """Read, check, back up and write the files that are not open; on failure none is changed."""
    work.ended.clear()
    try:
        made = _change(work, texts, locked, job)
        if finish is not None:
            finish(made)
        return made
    finally:
        work.ended.set()


def _change(work: Work, texts: OpenTexts, locked: Callable[[Path], bool], job: JobContext) -> Made:
    changes = work.changes
    if changes is None:

        def tell(number: int, files: int, path: Path) -> None:
            job.check()
            job.report(_PLANNED * number / files, tr("Reading {name}", name=path.name))

        changes = tuple(plan_changes(texts, work.edits, tell))
    closed = tuple(change for change in changes if texts.get(change.path) is None)
    errors = []
    for number, change in enumerate(closed):
        job.check()
        job.report(_PLANNED + (_CHECKED - _PLANNED) * number / len(closed))
        try:
            closed_step(change, locked)
        except StudioError as error:
            errors.append(error)
    raise_together(errors)
    job.check()
    backup = back_up(work.backups, work.title, changes) if work.backups and changes else None
    undo: list[Callable[[], object]] = []
    try:
        for number, change in enumerate(closed):
            job.check()
            share = _BACKED_UP + (1 - _BACKED_UP) * number / len(closed)
            job.report(share, tr("Writing {name}", name=change.path.name))
            act, back = closed_step(change, locked)  # once more: all of this takes its time
            undo.append(back)
            act()
    except BaseException:
        for back in reversed(undo):
            with suppress(StudioError):
                back()
        raise
    return Made(changes, closed, backup)
