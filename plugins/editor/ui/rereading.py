"""Reading the file of an editor again, a long one in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiboken6 import isValid

from plugins.editor.core.reading import is_long
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.encoding import normal_name

if TYPE_CHECKING:
    from plugins.editor.ui.view import EditorView
    from studio.model.document import Document
    from studio.model.outside import FileNow


def reread(view: EditorView, encoding: str | None = None) -> None:
    """Replace the text by what the file holds, read in another encoding where one is named."""
    document = view.document
    if not view.saver.wait():
        return
    if not is_long(document.path):
        try:
            document.reopen(encoding) if encoding else document.reload()
        except StudioError as error:
            view.studio.notify(error.message, severity="error")
        return
    asked = normal_name(encoding) if encoding else document.encoding_asked
    version, known = document.version, _held(document)

    def take(now: FileNow) -> None:
        if not isValid(view):
            return
        view.binding.flush()
        if document.saving or (document.version, _held(document)) != (version, known):
            view.studio.notify(
                tr("{name} was edited while it was read: it is left as it is.", name=view.title()),
                severity="warn",
            )
            return
        document.take_anew(now, asked)

    view.studio.start_job(
        "studio:model.outside.read_now",
        {"path": document.path, "encoding": asked},
        title=tr("Reading {name}", name=view.title()),
        key=f"reread {document.path}",
        done=take,
        failed=lambda error: view.studio.notify(
            tr("{name} could not be read.", name=view.title()),
            severity="error",
            details=str(error),
        ),
    )


def _held(document: Document) -> bytes:
    """What tells the content that the document comes from; another one after a save."""
    return document.on_disk.digest if document.on_disk is not None else b""
