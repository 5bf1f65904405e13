"""Writing the text of a document to its file, on whatever thread. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.model.encoding import encoded, line_ends
from studio.model.stamps import Stamp, digest, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from studio.model.pieces import Pieces


class ChangedOutsideError(StudioError):
    """The file is newer than what was opened: ask, then save with `overwrite`."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A text as it was at one moment, and how and where it is written.

    `known` is the state of the file that the text comes from, None for another file than the
    document's or for one that is not there yet; `moved_from` is the document's file until then.
    """

    path: Path
    text: Pieces
    encoding: str
    bom: bool
    lossy: bool
    known: Stamp | None
    moved_from: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class Written:
    """The file after it was written, and the line ends in it."""

    found: Stamp
    line_end: str
    mixed: bool


def write_text(writing: Writing) -> Written:
    """Write a text, all or nothing.

    Raises ChangedOutsideError when the file is newer than the text (unless `overwrite`), and
    StudioError when the encoding lacks a character or the file cannot be written.
    """
    path = writing.path
    data = encoded(writing.text, writing.encoding, bom=writing.bom, lossy=writing.lossy)
    if not writing.overwrite and _newer(path, writing.known):
        raise ChangedOutsideError(
            tr("{file} was changed by another program.", file=path.name)
            if path == writing.moved_from
            else tr("{file} exists already.", file=path.name),
            path=path,
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
        found = stamp(path, data)
    except OSError as error:
        raise unwritable(path, error) from error
    return Written(found, *line_ends(writing.text))


def unwritable(path: Path, error: OSError) -> StudioError:
    """The error that tells a user why a file cannot be written."""
    return StudioError(
        tr("Cannot write {file}: {reason}.", file=path, reason=error.strerror or error), path=path
    )


def _newer(path: Path, known: Stamp | None) -> bool:
    """Whether saving would overwrite something that the user has not seen."""
    try:
        if known is None:
            return path.exists()
        facts = path.stat()
        if known.matches(facts):
            return False
        return facts.st_size != known.size or digest(path.read_bytes()) != known.digest
    except OSError:
        return False
