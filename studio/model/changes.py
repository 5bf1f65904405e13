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

from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.model.document import unreadable, unwritable
from studio.model.edits import TextEdit, apply_edits
from studio.model.encoding import Decoded, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from studio.model.document import Document
    from studio.model.documents import Documents

    class Texts(Protocol):
        """Finds the open text of a file: the documents, or what they held at one moment."""

        def get(self, path: Path) -> OpenText | Document | None:
            """The open text of a file, or None."""


_BACKUPS_KEPT = 50
_ERRORS_NAMED = 5


@dataclass(frozen=True, slots=True)
class OpenText:
    """What an open document held at one moment, and how it is written."""

    text: str
    encoding: str
    bom: bool
    lossy: bool


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


def plan_changes(
    texts: Texts,
    edits: Iterable[TextEdit],
    tell: Callable[[int, int, Path], object] = lambda done, files, path: None,
) -> list[FileChange]:
    """Work out the new texts; raises StudioError when an edit does not fit what stands there.

    The error names every file that is in the way. `tell` hears of every file before it is read.
    """
    per_file: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        per_file.setdefault(Path(os.path.abspath(edit.path)), []).append(edit)
    changes, errors = [], []
    for number, (path, wanted) in enumerate(per_file.items()):
        tell(number, len(per_file), path)
        try:
            change = _plan(texts, path, wanted)
        except StudioError as error:
            errors.append(error)
            continue
        if change.after != change.before:
            changes.append(change)
    raise_together(errors)
    return changes


def raise_together(errors: Sequence[StudioError]) -> None:
    """Raise the errors of several files as one that names the first of them; nothing if none."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        lines = [error.message for error in errors[:_ERRORS_NAMED]]
        more = len(errors) - len(lines)
        if more:
            lines.append(trn("{n} more file", "{n} more files", more))
        raise StudioError("\n".join(lines), path=errors[0].path)


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


def closed_step(
    change: FileChange, locked: Callable[[Path], bool]
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Check the change of a file that is not open; return how to make it and take it back."""
    if locked(change.path):
        raise StudioError(tr("{file} is read-only.", file=change.path.name), path=change.path)
    before, after = change.bytes_before(), change.bytes_after()
    if _bytes_of(change.path) != before:
        raise _changed_since(change.path)
    return (lambda: _write(change.path, after), lambda: _write(change.path, before))


def _plan(texts: Texts, path: Path, wanted: Sequence[TextEdit]) -> FileChange:
    found: OpenText | Document | Decoded | None = texts.get(path)
    if found is None:
        found = decode(_bytes_of(path))
    after = apply_edits(found.text, wanted)
    return FileChange(path, found.text, after, found.encoding, found.bom, found.lossy)


def _step(
    documents: Documents, change: FileChange
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Check one change; return how to make it and how to take it back."""
    document = documents.get(change.path)
    if document is None:
        return closed_step(change, documents.locked)
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
