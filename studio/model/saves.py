"""Saving documents in the background, so that the window never waits for a disk. No Qt.

Each text is written by a thread of its own and not by a job: jobs wait for each other and are
cancelled when a project closes, and neither may happen to what a user has asked to be saved.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio.kernel.errors import StudioError, report_error
from studio.kernel.events import Event
from studio.model.saving import write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.kernel.jobs import Jobs
    from studio.model.document import Document
    from studio.model.saving import Writing, Written


@dataclass(frozen=True, slots=True)
class SaveAs:
    """How a document is saved; what is None stays as it is."""

    path: Path | None = None
    encoding: str | None = None
    bom: bool = False
    overwrite: bool = False


@dataclass(eq=False)
class Save:
    """One save: what is wanted, and what came of it.

    `before` is called right before the text is taken, which may be after an earlier save of the
    document; `done`, or `failed` with a StudioError, on the main thread when it is over.
    """

    document: Document
    how: SaveAs = SaveAs()
    before: Callable[[], object] = lambda: None
    done: Callable[[], object] = lambda: None
    failed: Callable[[StudioError], object] = lambda error: None
    _thread: threading.Thread | None = field(default=None, init=False)
    _written: Written | None = field(default=None, init=False)
    _error: BaseException | None = field(default=None, init=False)

    def begin(self, over: Callable[[], object]) -> None:
        """Take the text and begin to write it; `over` is called from another thread at the end."""
        self.before()
        document, how = self.document, self.how
        writing = document.begin_saving(
            how.path or document.path,
            how.encoding or document.encoding,
            how.bom if how.encoding else document.bom,
            overwrite=how.overwrite,
        )
        thread = threading.Thread(
            target=self._write, args=(writing, over), name="studio-save", daemon=False
        )
        try:
            thread.start()
        except BaseException:
            document.end_saving(None)
            raise
        self._thread = thread

    def _write(self, writing: Writing, over: Callable[[], object]) -> None:
        try:
            self._written = write_text(writing)
        except BaseException as error:  # noqa: BLE001 - told on the main thread
            self._error = error
        over()

    @property
    def succeeded(self) -> bool:
        """Whether the file has the text now."""
        return self._written is not None

    def join(self) -> None:
        """Wait until it is written."""
        if self._thread is not None:
            self._thread.join()

    def end(self) -> None:
        """Tell the document and whoever waits; `join` comes first."""
        self.document.end_saving(self._written)
        if self._error is None:
            self.done()
        elif isinstance(self._error, StudioError):
            self.failed(self._error)
        else:
            report_error(self._error, f"saving {self.document.path}")
            self.failed(StudioError(str(self._error), path=self.document.path))


class Saves:
    """The saves that are under way, one per document, and those that wait for them.

    `changed` tells of a document that is being written, and when it no longer is. Without `jobs`,
    whose main thread takes the results, everything is done at once.
    """

    def __init__(self) -> None:
        self.changed: Event[Document] = Event("documents.saving")
        self.jobs: Jobs | None = None
        self._running: dict[Document, tuple[Save, Callable[[], None]]] = {}
        self._waiting: dict[Document, list[Save]] = {}

    def documents(self) -> list[Document]:
        """The documents that are being written."""
        return list(self._running)

    def start(self, save: Save) -> None:
        """Save now; or when an earlier text of the document is being saved, after that."""
        document, jobs = save.document, self.jobs
        if document in self._running:
            if save.how == SaveAs() and document.saving_all:
                return  # whoever asked for that hears of it
            if save.how != SaveAs() or document not in self._waiting:
                self._waiting.setdefault(document, []).append(save)
            return

        def over() -> None:
            if jobs is not None:
                jobs.post(lambda: self._deliver(save))

        self._running[document] = save, jobs.hold() if jobs is not None else lambda: None
        document.finish_first = lambda: self.settle(document)
        try:
            save.begin(over)
        except StudioError as error:
            self._forget(document)
            save.failed(error)
            self._go_on(document, succeeded=False)
            return
        except BaseException:
            self._forget(document)  # else the document would never be saved again
            raise
        self.changed.emit(document)
        if jobs is None:
            self.settle(document)

    def settle(self, document: Document | None = None) -> None:
        """Wait here and now until a document, or every one, is written, and tell of it."""
        while running := [
            save for save, _ in self._running.values() if document in (None, save.document)
        ]:
            for save in running:
                save.join()
                self._deliver(save)

    def _deliver(self, save: Save) -> None:
        document = save.document
        if self._running.get(document, (None,))[0] is not save:
            return  # somebody could not wait, and took it before
        save.join()
        self._forget(document)
        try:
            save.end()
        finally:
            self._go_on(document, succeeded=save.succeeded)
            self.changed.emit(document)

    def _go_on(self, document: Document, *, succeeded: bool) -> None:
        """Begin what waits next; not what would fail as the save before it did."""
        waiting = self._waiting.pop(document, [])
        for at, save in enumerate(waiting):
            if succeeded or save.how != SaveAs():  # another file or encoding is another thing
                if at + 1 < len(waiting):
                    self._waiting[document] = waiting[at + 1 :]
                self.start(save)
                return

    def _forget(self, document: Document) -> None:
        _, release = self._running.pop(document)
        document.finish_first = lambda: None
        release()
