"""Saving and closing documents, asking wherever something would be lost."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QProgressDialog
from shiboken6 import isValid

from plugins.editor import core
from plugins.editor.ui.earlier import keep_before_saving
from studio.i18n import tr
from studio.model.encoding import UnencodableError
from studio.model.saves import Save, SaveAs
from studio.model.saving import ChangedOutsideError

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.editor.ui.view import EditorView
    from studio.kernel.errors import StudioError

_PATIENCE_S = 0.4
"""Whoever waits for a save is told so after this time."""
_ROUND_MS = 20


class Saver(QObject):
    """Saves the document of an editor in the background; `busy` until nothing is left to ask."""

    def __init__(self, view: EditorView) -> None:
        super().__init__(view)
        self._view = view
        self._asking = 0

    def busy(self) -> bool:
        """Whether the document is being saved, or the user is being asked about it."""
        return self._view.document.saving or self._asking > 0

    def save(self) -> None:
        """Save the text to its file."""
        self._view.binding.flush()
        document = self._view.document
        if document.dirty or not document.read_only:
            self._start(SaveAs())

    def save_as(self, path: Path) -> None:
        """Save the text to another file, which is the document's from then on."""
        other = self._view.documents.get(path)
        if other not in (None, self._view.document):  # each would overwrite the other's text
            self._view.studio.notify(
                tr("{name} is open; close its tab first.", name=path.name), severity="error"
            )
            return
        self._start(SaveAs(path=path, overwrite=True))  # the dialog of files has asked

    def save_with(self, encoding: str, *, bom: bool = False) -> None:
        """Save the text in another encoding, and say so in its coding line."""
        self._save_with(SaveAs(encoding=encoding, bom=bom))

    def _save_with(self, how: SaveAs) -> None:
        self._view.binding.flush()
        document = self._view.document
        changed = core.with_coding_line(document.text, how.encoding or document.encoding)
        if not document.read_only:
            document.set_text(changed)
        self._start(how)

    def save_now(self) -> bool:
        """Save and wait until that is done; False when it was not saved, which the user knows."""
        self.save()
        return self.wait() and not self._view.is_dirty()

    def wait(self) -> bool:
        """Wait until nothing is being saved, the window alive; False when the user would not."""
        window = self._view.studio.window
        if window is None or not self.busy():
            self._view.documents.saves.settle(self._view.document)
            return True
        begin, dialog = time.monotonic(), None
        flags = QEventLoop.ProcessEventsFlag
        try:
            while self.busy():
                if dialog is None and not self._asking and time.monotonic() > begin + _PATIENCE_S:
                    dialog = self._progress()
                if dialog is not None and dialog.wasCanceled():
                    return False
                window.parent().pump()
                quiet = flags.ExcludeUserInputEvents if dialog is None else flags.AllEvents
                QCoreApplication.processEvents(quiet, _ROUND_MS)
                time.sleep(0.002)
        finally:
            if dialog is not None:
                dialog.deleteLater()
        return True

    def _progress(self) -> QProgressDialog:
        window = self._view.studio.window
        dialog = QProgressDialog(
            tr("Saving {name}…", name=self._view.title()),
            tr("Do not wait"),
            0,
            0,
            window.parent() if window is not None else None,
        )
        dialog.setWindowTitle(tr("Saving"))
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.setMinimumDuration(0)
        dialog.show()
        return dialog

    # -- the save and what may come of it -------------------------------------------------------
    def _start(self, how: SaveAs) -> None:
        view = self._view

        def before() -> None:
            view.binding.flush()
            keep_before_saving(view)

        save = Save(
            view.document,
            how,
            before=before,
            done=lambda: view.bars.refresh() if isValid(view) else None,
            failed=lambda error: self._failed(how, error),
        )
        view.documents.saves.start(save)

    def _failed(self, how: SaveAs, error: StudioError) -> None:
        """Ask from a turn of the event loop of its own: this one delivers what others wait for."""
        if not isValid(self):  # the tab was closed without asking
            self._view.studio.notify(error.message, severity="error")
            return

        def ask() -> None:
            self._asking -= 1
            self._ask(how, error)

        self._asking += 1
        QTimer.singleShot(0, self, ask)

    def _ask(self, how: SaveAs, error: StudioError) -> None:
        self._asking += 1
        try:
            if isinstance(error, ChangedOutsideError):
                self._ask_to_overwrite(how, error.message)
            elif isinstance(error, UnencodableError) and how.encoding is None:
                self._ask_about_encoding(how, error)
            else:
                self._view.studio.notify(error.message, severity="error")
        finally:
            self._asking -= 1

    def _ask_to_overwrite(self, how: SaveAs, problem: str) -> None:
        view, window = self._view, self._view.studio.window
        if window is None:
            return
        looks = {tr("Merge"): view.merge_with_disk, tr("Compare"): view.compare_with_disk}
        if how != SaveAs():
            looks = {}
        overwrite = tr("Overwrite")
        choices = (*looks, overwrite)
        question = tr("{problem} Overwrite it with your text?", problem=problem)
        answer = window.ask(tr("Newer file on disk"), question, choices, choices[0])
        if answer in looks:
            looks[answer]()
        elif answer == overwrite:
            self._start(SaveAs(how.path, how.encoding, how.bom, overwrite=True))

    def _ask_about_encoding(self, how: SaveAs, error: UnencodableError) -> None:
        document, window = self._view.document, self._view.studio.window
        if window is None:
            return
        question = tr(
            "{character} (U+{code}, line {line}) does not exist in {encoding}. "
            "Save {name} as UTF-8?",
            character=error.character,
            code=f"{ord(error.character):04X}",
            line=error.line,
            encoding=core.encoding_title(document.encoding, document.bom),
            name=document.path.name,
        )
        change = tr("Save as UTF-8")
        if window.ask(tr("Change the encoding?"), question, (change,), change) == change:
            self._save_with(replace(how, encoding="utf-8", bom=False))


def ask_before_closing(view: EditorView) -> bool:
    """Wait for what is being saved, and ask about unsaved work; False keeps the tab open."""
    window, document = view.studio.window, view.document
    if window is None:
        return True
    if not view.saver.wait():
        return False
    if not document.dirty:
        return True
    yes, no = tr("Save"), tr("Don't save")
    answer = window.ask(
        tr("Unsaved changes"),
        tr("Save the changes to {name}?", name=document.path.name),
        (yes, no),
        yes,
    )
    if answer == no:
        view.documents.give_up(document)
    return view.saver.save_now() if answer == yes else answer == no
