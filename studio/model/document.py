"""One open text: what stands in the buffer, what stands on disk, and the way between the two."""

from __future__ import annotations

import os
from enum import Enum
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.events import Event
from studio.model.encoding import encode, normal_name, shown
from studio.model.outside import FileNow, read_now
from studio.model.pieces import Pieces
from studio.model.saving import ChangedOutsideError, Writing, unwritable, write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.model.encoding import Decoded
    from studio.model.journal import Unsaved
    from studio.model.saving import Written
    from studio.model.stamps import Stamp

__all__ = ["ChangedOutsideError", "Document", "Outside", "unreadable", "unwritable"]


class Outside(Enum):
    """What happened to the file of a document outside of this program."""

    NOTHING = ""
    CHANGED = "changed"
    DELETED = "deleted"


class Document:
    """A text file that is open; everything that changes its text goes through here.

    `changed` tells of a new text and of a new state (dirty, encoding, path, outside); compare
    `version`, which counts texts, to know which. `shown_text` is `text` fit for a widget.
    """

    def __init__(
        self, path: Path, decoded: Decoded, on_disk: Stamp | None, *, locked: bool = False
    ) -> None:
        self.changed: Event[Document] = Event("document.changed")
        self.saved: Event[Document] = Event("document.saved")
        self.path = path
        self.version = 0
        self.outside = Outside.NOTHING
        self._locked = locked
        self._base = on_disk
        self._announced = b""
        self._hint: str | None = None
        self._writing: Writing | None = None
        self.finish_first: Callable[[], object] = lambda: None
        """Brings what is being written elsewhere to its end; see `begin_saving`."""
        self._pieces = self._saved_pieces = Pieces.of("")
        self._adopt(path, decoded)

    # -- what there is ------------------------------------------------------------------------
    @property
    def text(self) -> str:
        """The text, line ends as they stand in the file; of a long one `pieces` costs less."""
        return self._pieces.text

    @property
    def pieces(self) -> Pieces:
        """The text as pieces, which are not joined after every change."""
        return self._pieces

    @property
    def shown_text(self) -> str:
        """The text without lone surrogates, character for character."""
        return shown(self.text) if self.lossy else self.text

    @property
    def dirty(self) -> bool:
        """Whether there is something to save."""
        return self._dirty

    @property
    def saving(self) -> bool:
        """Whether its text is being written just now; it is `dirty` until that is done."""
        return self._writing is not None

    @property
    def saving_all(self) -> bool:
        """Whether its text as it is now is being written just now."""
        return self._writing is not None and self._writing.text == self._pieces

    @property
    def read_only(self) -> bool:
        """Whether the user may not type: undecodable bytes, no permission, or a linked file."""
        return self.lossy or self._locked

    @property
    def notice(self) -> str:
        """One sentence for the user about what is odd with the file, or ""."""
        if self.lossy:
            return tr(
                "Some bytes are not valid {encoding}. They are kept, and the file is read-only; "
                "reopen it with another encoding to edit it.",
                encoding=self.encoding,
            )
        if self._locked:
            return tr("This file is read-only.")
        return ""

    @property
    def saved_text(self) -> str | None:
        """The text that the buffer comes from, as last read or saved.

        None when that is not known: unsaved work was recovered beside a file that is newer.
        """
        return self._saved_pieces.text if self._base_known else None

    @property
    def encoding_asked(self) -> str | None:
        """The encoding the file is to be read in, None to find it out."""
        return self._hint

    @property
    def on_disk(self) -> Stamp | None:
        """The state of the file that the buffer comes from; None for a file not yet written."""
        return self._base

    # -- changing the text --------------------------------------------------------------------
    def set_text(self, text: str | Pieces) -> None:
        """Replace the text, as an editor does after typing; raises StudioError when read-only."""
        if self.read_only:
            raise StudioError(self.notice, path=self.path)
        self.replace_text(text)

    def replace_text(self, text: str | Pieces) -> None:
        """Replace the text by one in which only known places differ, so that odd bytes are kept."""
        if self._locked:
            raise StudioError(self.notice, path=self.path)
        pieces = Pieces.of(text)
        if pieces != self._pieces:
            self._pieces = pieces
            self.version += 1
            self._tell()

    def recover(self, unsaved: Unsaved) -> None:
        """Take over the unsaved text of an earlier run; notes when the file is newer than it."""
        self.encoding, self.bom, self.lossy = unsaved.encoding, unsaved.bom, unsaved.lossy
        self.replace_text(unsaved.text)
        if self._base and self._base.digest.hex() != unsaved.base and self.dirty:
            self._base_known = False
            self._note(Outside.CHANGED)

    def merged(self, text: str, theirs: Decoded, found: Stamp) -> None:
        """Take over a text that was merged with `theirs`, which the file held when `found`."""
        if self.read_only:
            raise StudioError(self.notice, path=self.path)
        before, count = self._pieces, self.version
        self._adopt(self.path, theirs)
        self._base = found
        self._pieces = Pieces.of(text)
        self.outside = Outside.NOTHING
        self.version = count + (self._pieces != before)
        self._tell()

    # -- saving -------------------------------------------------------------------------------
    def save(self, *, overwrite: bool = False) -> None:
        """Write the text to its file, all or nothing.

        Raises ChangedOutsideError when the file is newer than the buffer (unless `overwrite`), and
        StudioError when the encoding lacks a character or the file cannot be written.
        """
        self._write(self.path, self.encoding, self.bom, overwrite=overwrite)

    def save_with(self, encoding: str, *, bom: bool = False, overwrite: bool = False) -> None:
        """Write the text in another encoding, and keep to it; on failure nothing changes."""
        self._write(self.path, normal_name(encoding), bom, overwrite=overwrite)

    def save_as(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the text to another file, which is the document's from then on."""
        self._write(path, self.encoding, self.bom, overwrite=overwrite)

    def begin_saving(
        self, path: Path, encoding: str, bom: bool, *, overwrite: bool = False
    ) -> Writing:
        """Take what is to be written; `end_saving` follows when it is, or was not.

        What is typed in between stays unsaved work. Raises StudioError when the file is read-only.
        """
        if self._writing is not None:
            self.finish_first()
        if self._locked and path == self.path:
            raise StudioError(self.notice, path=path)
        known = self._base if path == self.path else None
        encoding = normal_name(encoding)
        self._writing = Writing(
            path, self._pieces, encoding, bom, self.lossy, known, self.path, overwrite
        )
        return self._writing

    def end_saving(self, written: Written | None) -> None:
        """Note that the text was written, or was not (None)."""
        writing, self._writing = self._writing, None
        if writing is None or written is None:
            return
        if self.path == writing.moved_from:
            self._locked = self._locked and writing.path == self.path  # another one was written
            self.path = writing.path
            self._base = written.found
            self._saved_pieces = writing.text
            self.encoding = self._hint = writing.encoding
            self.bom = writing.bom
            self.line_end, self.mixed = written.line_end, written.mixed
            self.guessed = False
            self._settle()
            self.outside = Outside.NOTHING
        self._tell()  # a file that was renamed meanwhile has not got this text
        self.saved.emit(self)

    def reopen(self, encoding: str) -> None:
        """Read the file again in a given encoding; unsaved work is lost, so ask before."""
        encoding = normal_name(encoding)
        self.finish_first()
        self.take_anew(self._read(encoding), encoding)

    def reload(self) -> None:
        """Read the file again; unsaved work is lost, so ask before."""
        self.finish_first()
        self.take_anew(self._read(self._hint), self._hint)

    def take_anew(self, now: FileNow, encoding: str | None) -> None:
        """Take over the file as it was read, in the encoding that was asked for (None: found)."""
        self._hint = encoding
        self._base = now.found
        self._adopt(self.path, now.decoded)
        self.outside = Outside.NOTHING
        self.version += 1
        self._tell()

    # -- outside ------------------------------------------------------------------------------
    def look_outside(self) -> Outside:
        """Compare with the disk: reload when clean, note a conflict when dirty.

        Returns what is newly to be told, so NOTHING for a conflict that was announced before.
        """
        try:
            if not self.is_stale():
                return Outside.NOTHING
            now = read_now(self.path, self._hint)
        except FileNotFoundError:
            return self._note(Outside.DELETED) if self._base else Outside.NOTHING
        except OSError:
            return Outside.NOTHING
        return self.take_outside(now)

    def is_stale(self) -> bool:
        """Whether the file may be another than the one that was read; raises OSError."""
        facts = os.stat(self.path)
        return not (
            self._base and self._base.matches(facts) and self.outside is not Outside.DELETED
        )

    def is_as_known(self, found: Stamp) -> Outside:
        """Note that the file holds what the buffer comes from."""
        self._base = found
        return self._note(Outside.NOTHING)

    def take_outside(self, now: FileNow) -> Outside:
        """Go on with the file as it was just read; see `look_outside`."""
        found = now.found.digest
        if self._base and found == self._base.digest:
            return self.is_as_known(now.found)
        if found == self._announced and self.outside is not Outside.DELETED:
            return Outside.NOTHING
        if self.dirty and not self._is_same(now):
            self._announced = found
            return self._note(Outside.CHANGED)
        self._base = now.found
        self.outside = Outside.NOTHING
        before = self._pieces
        self._adopt(self.path, now.decoded)
        self.version += self._pieces != before
        self._tell()
        return Outside.NOTHING

    def keep_mine(self) -> None:
        """Dismiss a conflict: the buffer stays, and saving still asks before it overwrites."""
        self._note(Outside.NOTHING)

    def moved(self, path: Path) -> None:
        """Follow the file to another name."""
        self.path = path
        self._note(Outside.NOTHING)
        self.changed.emit(self)

    # -- helpers ------------------------------------------------------------------------------
    def _read(self, encoding: str | None) -> FileNow:
        try:
            return read_now(self.path, encoding)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _is_same(self, now: FileNow) -> bool:
        """Whether saving would change nothing."""
        read = now.decoded
        if (read.encoding, read.bom, read.lossy) == (self.encoding, self.bom, self.lossy):
            return Pieces.of(read.text) == self._pieces
        try:
            return now.data == encode(self._pieces, self.encoding, bom=self.bom, lossy=self.lossy)
        except StudioError:
            return False

    def _note(self, outside: Outside) -> Outside:
        if outside is self.outside:
            return Outside.NOTHING
        self.outside = outside
        self.changed.emit(self)
        return outside

    def _write(self, path: Path, encoding: str, bom: bool, *, overwrite: bool) -> None:
        writing = self.begin_saving(path, encoding, bom, overwrite=overwrite)
        written = None
        try:
            written = write_text(writing)
        finally:
            self.end_saving(written)

    def _adopt(self, path: Path, decoded: Decoded) -> None:
        self.path = path
        self._pieces = self._saved_pieces = Pieces.of(decoded.text)
        self.encoding = decoded.encoding
        self.bom = decoded.bom
        self.line_end = decoded.line_end
        self.mixed = decoded.mixed
        self.lossy = decoded.lossy
        self.guessed = decoded.guessed
        self._settle()
        self._dirty = False

    def _settle(self) -> None:
        """Note that the buffer comes from the file as it is."""
        self._announced = b""
        self._base_known = True

    def _tell(self) -> None:
        self._dirty = self._pieces != self._saved_pieces or self._base is None
        self.changed.emit(self)


def unreadable(path: Path, error: OSError) -> StudioError:
    """The error that tells a user why a file cannot be read."""
    return StudioError(
        tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error), path=path
    )
