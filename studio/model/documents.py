"""All texts that are open, or about to be changed."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.events import Event
from studio.model.document import Document, Outside, unreadable
from studio.model.encoding import Decoded, decode
from studio.model.outside import LONG, FileNow
from studio.model.saves import Saves
from studio.model.stamps import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from studio.kernel.jobs import Jobs
    from studio.model.journal import Journal, Unsaved
    from studio.model.stamps import Stamp


class Documents:
    """The open documents of a project, one per file whatever name it is opened by.

    `conflict` tells of a document with unsaved work whose file was changed or deleted outside;
    documents without unsaved work follow their file on their own.
    """

    def __init__(
        self,
        journal: Journal | None = None,
        is_linked: Callable[[Path], bool] = lambda path: False,
    ) -> None:
        self.opened: Event[Document] = Event("documents.opened")
        self.changed: Event[Document] = Event("documents.changed")
        self.saved: Event[Document] = Event("documents.saved")
        self.closed: Event[Document] = Event("documents.closed")
        self.conflict: Event[Document] = Event("documents.conflict")
        self.saves = Saves()
        self._journal = journal
        self._is_linked = is_linked
        self._open: list[Document] = []
        self._look_again: set[Document] = set()
        self._given_up: dict[Document, int] = {}
        self.saves.changed.connect(self._saved)

    @property
    def jobs(self) -> Jobs | None:
        """Where long files are read and texts are written; without it this happens at once."""
        return self.saves.jobs

    @jobs.setter
    def jobs(self, jobs: Jobs | None) -> None:
        self.saves.jobs = jobs

    def open(self, path: Path, encoding: str | None = None, *, read_only: bool = False) -> Document:
        """Open a file, or return the document that is open already; raises StudioError."""
        if document := self.get(path):
            return document
        path = Path(os.path.abspath(path))
        try:
            data = path.read_bytes()
            found = stamp(path, data)
        except OSError as error:
            raise unreadable(path, error) from error
        locked = read_only or self.locked(path)
        return self._add(Document(path, decode(data, encoding), found, locked=locked))

    def adopt(self, path: Path, decoded: Decoded, found: Stamp) -> Document:
        """Open a file that was read elsewhere, as in the background, in the state `found`."""
        if document := self.get(path):
            return document
        path = Path(os.path.abspath(path))
        return self._add(Document(path, decoded, found, locked=self.locked(path)))

    def create(self, path: Path, text: str = "", encoding: str = "utf-8") -> Document:
        """Start a document for a file that does not exist yet."""
        document = Document(Path(os.path.abspath(path)), Decoded("", encoding), None)
        self._add(document).replace_text(text)
        return document

    def get(self, path: Path) -> Document | None:
        """The open document of a file, or None."""
        for document in self._open:
            if document.path == path:
                return document
        real = os.path.realpath(path)
        return next((d for d in self._open if os.path.realpath(d.path) == real), None)

    def locked(self, path: Path) -> bool:
        """Whether a file may not be written: a linked one, or one without permission."""
        return self._is_linked(path) or not os.access(path, os.W_OK)

    def all(self) -> list[Document]:
        """Every open document, in the order of opening."""
        return list(self._open)

    def paths(self) -> list[Path]:
        """The files of all open documents; may be called from any thread."""
        return [document.path for document in tuple(self._open)]

    def dirty(self) -> list[Document]:
        """The documents with unsaved work."""
        return [document for document in self._open if document.dirty]

    def close(self, path: Path) -> None:
        """Forget a document; unsaved work in it is lost, so ask before."""
        if document := self.get(path):
            self.saves.settle(document)
            self._open.remove(document)
            self._given_up.pop(document, None)
            if self._journal:
                self._journal.drop(document)
            self.closed.emit(document)

    def give_up(self, document: Document) -> None:
        """Note that nobody wants its unsaved work, unless that changes before the end."""
        self._given_up[document] = document.version

    def finish_saving(self, path: Path) -> None:
        """Wait until what is being saved at or below a path is written, before that moves away."""
        for document in self.saves.documents():
            if _at_or_below(document.path, {os.fspath(path)}):
                self.saves.settle(document)

    # -- what happens outside -----------------------------------------------------------------
    def look_outside(self, paths: Iterable[Path] | None = None) -> None:
        """Compare open documents with the disk: those at or below `paths`, or all."""
        documents = self.all()
        if not documents:  # very many files may have changed
            return
        places = None if paths is None else {os.fspath(path) for path in paths}
        for document in documents:
            if places is None or _at_or_below(document.path, places):
                self._look(document)

    def follow(self, moves: Sequence[tuple[Path, Path]]) -> None:
        """Let documents follow files and folders that were renamed outside.

        A file that is back under its old name was saved by way of a backup, not renamed.
        """
        for document in self.all():
            target = document.path
            for old, new in moves:
                if target.is_relative_to(old):
                    target = new / target.relative_to(old)
            if target != document.path and not document.path.exists() and target.exists():
                document.moved(target)

    # -- unsaved work of an earlier run -------------------------------------------------------
    def recoverable(self) -> list[Unsaved]:
        """Unsaved work that a run which ended without asking left behind."""
        return self._journal.leftovers() if self._journal else []

    def has_recoverable(self) -> bool:
        """Whether there is such work; the texts, which may be long, are not read for that."""
        return self._journal is not None and self._journal.has_leftovers()

    def recover(self, unsaved: Unsaved) -> Document:
        """Open the file of unsaved work with that work in the buffer; the file stays as it is."""
        if unsaved.path.exists():
            document = self.open(unsaved.path, unsaved.encoding)
        else:
            document = self.create(unsaved.path, encoding=unsaved.encoding)
        document.recover(unsaved)
        if self._journal:
            self._journal.take_over(document, unsaved)
        return document

    def discard(self, unsaved: Unsaved) -> None:
        """Throw unsaved work of an earlier run away."""
        if self._journal:
            self._journal.discard(unsaved)

    def shut(self) -> None:
        """End: what is being saved is written, and what is unsaved stays recoverable.

        What was given up does not.
        """
        self.saves.settle()
        if self._journal:
            for document, version in self._given_up.items():
                if document.version == version:
                    self._journal.drop(document)
            self._journal.close()

    # -- helpers ------------------------------------------------------------------------------
    def _look(self, document: Document) -> None:
        if document.saving:
            self._look_again.add(document)  # the file changes under our own hands
        elif self.jobs is not None and _is_long_and_stale(document):
            self._look_later(document, self.jobs)
        else:
            self._tell_of(document, document.look_outside())

    def _look_later(self, document: Document, jobs: Jobs) -> None:
        jobs.start(
            "studio:model.outside.read_if_other",
            {
                "path": document.path,
                "encoding": document.encoding_asked,
                "known": document.on_disk,
            },
            title=tr("Reading {name}", name=document.path.name),
            key=f"read again {document.path}",
            done=partial(self._take_outside, document),
            failed=lambda _error: self._look_at_once(document),
        )

    def _look_at_once(self, document: Document) -> None:
        if document in self._open and document.saving:
            self._look_again.add(document)
        elif document in self._open:
            self._tell_of(document, document.look_outside())

    def _take_outside(self, document: Document, now: FileNow | Stamp) -> None:
        if document not in self._open:
            return
        found = now.found if isinstance(now, FileNow) else now
        try:
            current = not document.saving and found.is_of(document.path.stat())
        except OSError:
            current = False
        if current:
            self._tell_of(
                document,
                document.take_outside(now)
                if isinstance(now, FileNow)
                else document.is_as_known(now),
            )
        else:
            self.look_outside([document.path])

    def _tell_of(self, document: Document, news: Outside) -> None:
        if news is Outside.CHANGED or (news is Outside.DELETED and document.dirty):
            self.conflict.emit(document)

    def _saved(self, document: Document) -> None:
        if not document.saving and document in self._look_again:
            self._look_again.discard(document)
            if document in self._open:
                self._look(document)

    def _add(self, document: Document) -> Document:
        self._open.append(document)
        document.changed.connect(self._on_changed)
        document.saved.connect(self.saved.emit)
        self.opened.emit(document)
        return document

    def _on_changed(self, document: Document) -> None:
        if self._journal:
            if document.dirty:
                self._journal.put(document)
            else:
                self._journal.drop(document)
        self.changed.emit(document)


def _is_long_and_stale(document: Document) -> bool:
    try:
        return document.path.stat().st_size > LONG and document.is_stale()
    except OSError:
        return False


def _at_or_below(path: Path, places: set[str]) -> bool:
    return os.fspath(path) in places or any(os.fspath(parent) in places for parent in path.parents)


def recoverable(documents: Documents) -> list[Unsaved]:
    """`Documents.recoverable` as a job."""
    return documents.recoverable()
