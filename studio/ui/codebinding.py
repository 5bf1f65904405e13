"""Keeps an editor and a document in step, in both directions and without echo."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from studio.model.document import Document
    from studio.model.pieces import Pieces
    from studio.ui.code import CodeEdit

_LARGE = 1_000_000
_LARGE_DELAY_MS = 300
_LONGEST_DELAY_S = 3.0
"""A long text is taken over when one pauses, or after this time of typing without a pause."""


class Binding(QObject):
    """Typing reaches the document right after its event; the document's changes reach the editor.

    A change of the document that does not come from this editor (a fix, a reload, another view) is
    made in the editor as one undoable step that touches only what differs. Whoever deletes the
    editor ends `connection`.
    """

    def __init__(self, edit: CodeEdit, document: Document) -> None:
        super().__init__(edit)
        self._edit = edit
        self._document = document
        self._version = -1
        self._taking = False
        self._stale = False
        self._since = 0.0
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.flush)
        edit.text_changed.connect(self._on_typed)
        self.connection = document.changed.connect(self._on_document)
        self._edit.set_read_only(document.read_only)
        self._edit.set_text(document.shown_text)
        self._edit.set_line_end(document.line_end)
        self._version = document.version
        self._base = document.pieces

    def flush(self) -> None:
        """Bring what was typed into the document now, as before saving."""
        self._later.stop()
        if not self._stale or self._document.read_only:
            return
        self._stale = False
        self._taking = True
        try:
            self._document.set_text(self._edit.pieces())
            self._version = self._document.version
            self._base = self._document.pieces
        finally:
            self._taking = False

    def is_pending(self) -> bool:
        """Whether something typed has not reached the document yet."""
        return self._stale

    def _on_typed(self) -> None:
        if self._taking:
            return
        large = len(self._document.pieces) > _LARGE
        if not self._stale:
            self._stale = True
            self._since = time.monotonic()
            self._later.start(_LARGE_DELAY_MS if large else 0)
        elif large and time.monotonic() - self._since < _LONGEST_DELAY_S:
            self._later.start(_LARGE_DELAY_MS)

    def _on_document(self, document: Document) -> None:
        if self._taking:
            return
        self._edit.set_read_only(document.read_only)
        self._edit.set_line_end(document.line_end)
        if document.version == self._version:
            return
        self._version = document.version
        base, self._base = self._base, document.pieces
        self._taking = True
        try:
            if self._stale and not document.lossy and self._made_beside(base, document.pieces):
                return  # what was typed meanwhile stays, and reaches the document soon
            self._later.stop()
            self._stale = False
            self._edit.replace_text(document.shown_text if document.lossy else document.pieces)
        finally:
            self._taking = False

    def _made_beside(self, base: Pieces, changed: Pieces) -> bool:
        """Make a change of the document in the editor too, unless it is where somebody typed."""
        typed = self._edit.pieces()
        start, end, middle = base.changed_span(changed)
        first, last, text = base.changed_span(typed)
        if start < last and first < end:
            return False
        shift = len(text) - (last - first) if start >= last else 0
        self._edit.replace(start + shift, end + shift, middle)
        return True
