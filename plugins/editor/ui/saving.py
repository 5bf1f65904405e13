"""Saving and closing documents, asking wherever something would be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.editor import core
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.document import ChangedOutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studio.api import Studio
    from studio.model.document import Document


def save_document(
    studio: Studio, document: Document, *, looks: Mapping[str, Callable[[], object]] | None = None
) -> bool:
    """Save a document; False when it was not saved, which the user knows by then."""
    if document.read_only and not document.dirty:
        return True
    if not _encodable(document):
        return _ask_about_encoding(studio, document)
    return _write(studio, document, lambda overwrite: document.save(overwrite=overwrite), looks)


def save_with(studio: Studio, document: Document, encoding: str, *, bom: bool = False) -> bool:
    """Save a document in another encoding, and say so in its coding line."""
    text = document.text
    changed = core.with_coding_line(text, encoding)
    if changed != text and not document.read_only:
        document.set_text(changed)
    return _write(
        studio,
        document,
        lambda overwrite: document.save_with(encoding, bom=bom, overwrite=overwrite),
        None,
    )


def ask_before_closing(studio: Studio, document: Document, save: Callable[[], bool]) -> bool:
    """Ask about unsaved work; False keeps the tab open."""
    window = studio.window
    if not document.dirty or window is None:
        return True
    yes, no = tr("Save"), tr("Don't save")
    answer = window.ask(
        tr("Unsaved changes"),
        tr("Save the changes to {name}?", name=document.path.name),
        (yes, no),
        yes,
    )
    return save() if answer == yes else answer == no


def _write(
    studio: Studio,
    document: Document,
    write: Callable[[bool], object],
    looks: Mapping[str, Callable[[], object]] | None,
) -> bool:
    try:
        try:
            write(False)
        except ChangedOutsideError as error:
            if not _ask_to_overwrite(studio, error.message, looks or {}):
                return False
            write(True)
    except StudioError as error:
        studio.notify(error.message, severity="error")
        return False
    return True


def _ask_to_overwrite(
    studio: Studio, problem: str, looks: Mapping[str, Callable[[], object]]
) -> bool:
    window = studio.window
    if window is None:
        return False
    overwrite = tr("Overwrite")
    choices = (*looks, overwrite)
    question = tr("{problem} Overwrite it with your text?", problem=problem)
    answer = window.ask(tr("Newer file on disk"), question, choices, choices[0])
    if answer in looks:
        looks[answer]()
    return answer == overwrite


def _ask_about_encoding(studio: Studio, document: Document) -> bool:
    window = studio.window
    found = core.unencodable(document.text, document.encoding)
    if window is None or found is None:
        return False
    question = tr(
        "{character} (line {line}) does not exist in {encoding}. Save {name} as UTF-8?",
        character=found[0],
        line=found[1],
        encoding=core.encoding_title(document.encoding, document.bom),
        name=document.path.name,
    )
    change = tr("Save as UTF-8")
    answer = window.ask(tr("Change the encoding?"), question, (change,), change)
    return answer == change and save_with(studio, document, "utf-8")


def _encodable(document: Document) -> bool:
    return core.can_encode(document.text, document.encoding, bom=document.bom, lossy=document.lossy)
