"""Changing many files as one: all of them or none, with a backup and a way back."""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.model.document import unreadable, unwritable
from studio.model.edits import TextEdit, apply_edits
from studio.model.encoding import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from studio.model.document import Document
    from studio.model.documents import Documents

_BACKUPS_KEPT = 50


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to the text of one file, and how the text is written."""

    path: Path
    before: str
    after: str
    encoding: str
    bom: bool
    lossy: bool

    def reversed(self) -> FileChange:
        """The change that leads back."""
        return FileChange(self.path, self.after, self.before, self.encoding, self.bom, self.lossy)

    def bytes_before(self) -> bytes:
        """The bytes of the file before the change."""
        return encode(self.before, self.encoding, bom=self.bom, lossy=self.lossy)

    def bytes_after(self) -> bytes:
        """The bytes of the file after the change."""
        return encode(self.after, self.encoding, bom=self.bom, lossy=self.lossy)


@dataclass(eq=False)
class Undo:
    """The way back from one applied set of changes, and forth again."""

    title: str
    changes: tuple[FileChange, ...]
    backup: Path | None
    _documents: Documents = field(repr=False)
    undone: bool = False

    @property
    def paths(self) -> list[Path]:
        """The changed files."""
        return [change.path for change in self.changes]

    def undo(self) -> None:
        """Put every file back; refuses as a whole (StudioError) when one was changed since."""
        if not self.undone:
            make_changes(self._documents, [change.reversed() for change in self.changes])
            self.undone = True

    def redo(self) -> None:
        """Make the changes again; refuses as a whole when a file was changed since."""
        if self.undone:
            make_changes(self._documents, self.changes)
            self.undone = False


def plan_changes(documents: Documents, edits: Iterable[TextEdit]) -> list[FileChange]:
    """Work out the new texts; raises StudioError when an edit does not fit what stands there."""
    per_file: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        per_file.setdefault(Path(os.path.abspath(edit.path)), []).append(edit)
    changes = []
    for path, wanted in per_file.items():
        if document := documents.get(path):
            encoding, bom, lossy = document.encoding, document.bom, document.lossy
            before = document.text
        else:
            try:
                decoded = decode(path.read_bytes())
            except OSError as error:
                raise unreadable(path, error) from error
            encoding, bom, lossy = decoded.encoding, decoded.bom, decoded.lossy
            before = decoded.text
        change = FileChange(path, before, apply_edits(before, wanted), encoding, bom, lossy)
        if change.after != change.before:
            changes.append(change)
    return changes


def make_changes(documents: Documents, changes: Sequence[FileChange]) -> None:
    """Make all changes, or none when one of them cannot be made.

    A closed file is written. An open document without unsaved work is changed and saved; in one
    with unsaved work only the buffer changes, so that the user's work is not saved behind his back.
    """
    steps = [_step(documents, change) for change in changes]
    undo: list[Callable[[], object]] = []
    try:
        for act, back in steps:
            undo.append(back)
            act()
    except StudioError:
        for back in reversed(undo):
            with suppress(StudioError):
                back()
        raise


def back_up(folder: Path, title: str, changes: Sequence[FileChange]) -> Path | None:
    """Copy the files that are about to change, as they are on disk; old backups are removed."""
    target = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid4().hex[:6]}"
    try:
        target.mkdir(parents=True)
        names: dict[str, str] = {}
        for number, change in enumerate(changes):
            if change.path.exists():
                name = f"{number:04}-{change.path.name[:80]}"
                shutil.copyfile(change.path, target / name)
                names[name] = os.fspath(change.path)
        record = json.dumps({"title": title, "files": names}, indent=1)
        (target / "backup.json").write_text(record, encoding="ascii")
    except OSError as error:
        raise unwritable(target, error) from error
    for old in sorted(folder.iterdir())[:-_BACKUPS_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def _step(
    documents: Documents, change: FileChange
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Check one change; return how to make it and how to take it back."""
    document = documents.get(change.path)
    if document is None:
        if documents.locked(change.path):
            raise StudioError(tr("{file} is read-only.", file=change.path.name), path=change.path)
        before, after = change.bytes_before(), change.bytes_after()
        if _bytes_of(change.path) != before:
            raise _changed_since(change.path)
        return (lambda: _write(change.path, after), lambda: _write(change.path, before))
    if document.text != change.before:
        raise _changed_since(change.path)
    if document.read_only and not document.lossy:
        raise StudioError(document.notice, path=document.path)
    save = not document.dirty
    if save and _bytes_of(document.path) != change.bytes_before():
        raise _changed_since(change.path)
    return (
        lambda: _set(document, change.after, save=save),
        lambda: _set(document, change.before, save=save),
    )


def _set(document: Document, text: str, *, save: bool) -> None:
    document.replace_text(text)
    if save and document.dirty:
        document.save()


def _write(path: Path, data: bytes) -> None:
    try:
        write_atomic(path, data)
    except OSError as error:
        raise unwritable(path, error) from error


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def _changed_since(path: Path) -> StudioError:
    return StudioError(
        tr("{file} was changed in the meantime; nothing was changed.", file=path.name), path=path
    )
