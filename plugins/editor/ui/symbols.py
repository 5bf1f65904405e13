"""The symbols of the text in an editor, kept up to date in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from plugins.editor.core.symbols import Symbol, around
from studio.i18n import tr

if TYPE_CHECKING:
    from plugins.editor.ui.view import EditorView

_WAIT_MS = 300
_OWN_PROCESS = 200_000
"""Parsing a longer text holds up all threads for too long."""
_MOST = 4_000_000
"""A longer text is data; nobody looks for a place in it by an outline."""


class Symbols(QObject):
    """Belongs to one editor; reads nothing until somebody wants the symbols."""

    changed = Signal()

    def __init__(self, view: EditorView) -> None:
        super().__init__(view)
        self._view = view
        self.all: list[Symbol] = []
        self._wanted = False
        self._working = False
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self._read)
        view.edit.text_changed.connect(lambda: self._soon.start() if self._wanted else None)

    def want(self) -> None:
        """Begin to keep the symbols."""
        if not self._wanted:
            self._wanted = True
            self._soon.start(0)

    def renew(self) -> None:
        """Read anew, as after the file got another name."""
        if self._wanted:
            self._soon.start()

    def idle(self) -> bool:
        """Whether the symbols are those of the text."""
        return not self._soon.isActive() and not self._working

    def around(self, line: int) -> list[Symbol]:
        """The symbols that a line stands in, outermost first."""
        return around(self.all, line)

    def _read(self) -> None:
        view = self._view
        if view.studio.window is None:
            return  # the window is being closed
        self._soon.setInterval(_WAIT_MS)
        pieces = view.edit.pieces()
        if len(pieces) > _MOST:
            self._take([])
            return
        text = pieces.text
        self._working = True
        view.studio.start_job(
            "editor:core.symbols.symbols_of",
            {"text": text, "ending": view.document.path.suffix},
            title=tr("Reading {name}", name=view.document.path.name),
            key=f"symbols {id(view)}",
            process=len(text) > _OWN_PROCESS,
            done=self._take,
            failed=lambda _error: self._take([]),
        )

    def _take(self, found: list[Symbol]) -> None:
        if not isValid(self):  # the tab was closed meanwhile
            return
        self._working = False
        self.all = found
        self.changed.emit()
