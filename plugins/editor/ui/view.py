"""The editor of one file: text, bars above it, find bar, marks of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from plugins.editor import core
from plugins.editor.core.reading import ReadFile, is_long
from plugins.editor.ui.assist import Assist
from plugins.editor.ui.bars import Bars
from plugins.editor.ui.breadcrumbs import Breadcrumbs
from plugins.editor.ui.excerpt import ExcerptView
from plugins.editor.ui.fixes import FixBulb
from plugins.editor.ui.menu import show_menu
from plugins.editor.ui.saving import Saver, ask_before_closing
from plugins.editor.ui.symbols import Symbols
from plugins.editor.ui.waiting import WaitingView
from studio.model.documents import Documents
from studio.ui.code import make_code_edit
from studio.ui.codebinding import Binding
from studio.ui.codefind import FindBar
from studio.ui.codelanguages import PLAIN, Language, language_of
from studio.ui.codeoverview import Overview
from studio.ui.codetext import PLAIN_LINE, PLAIN_SIZE, has_longer_line
from studio.ui.findingmarks import squiggles

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.events import Connection
    from studio.model.document import Document
    from studio.model.locations import Location


class EditorView(QWidget):
    """A text file in a tab."""

    title_changed = Signal()
    dirty_changed = Signal()
    status_changed = Signal()

    def __init__(self, studio: Studio, path: Path) -> None:
        super().__init__()
        self.studio = studio
        self.documents = studio.project.documents if studio.project else Documents()
        self.document: Document = self.documents.open(path)
        self.edit = make_code_edit(self)
        self.find_bar = FindBar(self.edit)
        self.language_chosen: Language | None = None
        self._choose_language()
        self.binding = Binding(self.edit, self.document)
        self.saver = Saver(self)
        self.bulb = FixBulb(self)
        self.assist = Assist(self)
        self.symbols = Symbols(self)
        self.crumbs = Breadcrumbs(self)
        self.overview = Overview(self.edit, self)
        self.find_bar.found.connect(self.overview.set_hits)
        self.bars = Bars(self)
        self.indent_chosen: tuple[str, int] | None = None
        self._arrange()
        self.setFocusProxy(self.edit)
        self._title = ""
        self._dirty = False
        self._connections: list[Connection[Any]] = []
        self._remark = QTimer(self, singleShot=True, interval=0)
        self._remark.timeout.connect(self.refresh_marks)
        self._connect()
        self._apply_settings()
        self.refresh_marks()
        self._on_document(self.document)

    # -- what the window asks for ---------------------------------------------------------------
    def title(self) -> str:
        """The name of the file."""
        return self.document.path.name

    def tool_tip(self) -> str:
        """The path within the project."""
        project = self.studio.project
        path = self.document.path
        return project.relative(path) if project and project.contains(path) else str(path)

    def is_dirty(self) -> bool:
        """Whether there is unsaved work."""
        return self.document.dirty or self.binding.is_pending()

    def save(self) -> None:
        """Save the file in the background, asking where something would be lost."""
        self.saver.save()

    def save_now(self) -> bool:
        """Save the file and wait for it; False when it was not saved, which the user knows."""
        return self.saver.save_now()

    def can_close(self) -> bool:
        """Ask about unsaved work if this is the last tab of the file."""
        self.binding.flush()
        return self._is_shown_elsewhere() or ask_before_closing(self)

    def reveal(self, location: Location) -> bool:
        """Go to a place in this file and show it for a moment."""
        if not core.same_file(location.path, self.document.path):
            return False
        self.edit.go_to(
            location.line or 1, location.column, location.end_line, location.end_column, flash=True
        )
        return True

    def save_state(self) -> dict[str, Any]:
        """Cursor, scroll, zoom, folds, and a chosen language."""
        state = self.edit.state()
        if self.language_chosen is not None:
            state["language"] = self.language_chosen.title
        if self.indent_chosen is not None:
            state["indent"] = list(self.indent_chosen)
        return state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state."""
        from studio.ui.codelanguages import language_by_title

        if chosen := state.get("language"):
            self.set_language(language_by_title(str(chosen)))
        match state.get("indent"):
            case ["\t" | " ", int(width)] if 1 <= width <= 16:
                self.set_indent(" " if state["indent"][0] == " " else "\t", width)
        self.edit.restore_state(state)

    def selected_text(self) -> str:
        """The selected text, "" without one."""
        return self.edit.selected_text()

    def idle(self) -> bool:
        """Whether what was typed reached the document, it is saved, and the symbols are known."""
        return not (self.binding.is_pending() or self.saver.busy()) and self.symbols.idle()

    # -- what commands do -----------------------------------------------------------------------
    def set_language(self, language: Language) -> None:
        """Colour the text by a language the user chose."""
        self.language_chosen = language
        self.edit.set_language(language)
        self.status_changed.emit()

    def set_indent(self, unit: str, width: int) -> None:
        """Indent by tabs or spaces of a width that the user chose; 0 as the file itself does."""
        self.indent_chosen = (unit, width) if width else None
        self._apply_settings()
        self.status_changed.emit()

    def compare_with_disk(self) -> None:
        """Show what the unsaved text and the file have in common."""
        self.binding.flush()
        self.studio.open(self.document.path, opener="editor.compare")

    def merge_with_disk(self) -> None:
        """Bring the unsaved text and what another program wrote together."""
        self.binding.flush()
        self.studio.open(self.document.path, opener="editor.merge")

    def refresh_marks(self) -> None:
        """Take the findings of the file anew."""
        project = self.studio.project
        findings = project.findings.of_file(self.document.path) if project else []
        marked = squiggles(self.edit, findings)
        self.edit.set_marks(marked)
        self.overview.set_findings(marked)
        self.bulb.follow()

    def zoom_by(self, points: int) -> None:
        """Make the text larger or smaller; 0 for the standard size."""
        self.edit.set_zoom(max(-6, min(self.edit.zoom() + points, 24)) if points else 0)

    # -- events ---------------------------------------------------------------------------------
    def _connect(self) -> None:
        self._connections.append(self.document.changed.connect(self._on_document))
        self._connections.append(self.document.saved.connect(self._on_saved))
        self._connections.append(self.studio.setting_changed.connect(self._on_setting))
        project = self.studio.project
        if project is not None:
            self._connections.append(project.findings.changed.connect(self._on_findings))
        self.edit.cursor_moved.connect(self.status_changed)
        self.edit.text_changed.connect(self._on_typed)
        self.edit.menu_requested.connect(lambda place: show_menu(self, place))
        connections, binding = self._connections, self.binding
        documents, document, studio = self.documents, self.document, self.studio

        def release() -> None:
            for connection in connections:
                connection.disconnect()
            binding_connection.disconnect()
            window = studio.window
            if window is None or not isValid(window.parent()):
                return
            if not any(getattr(view, "document", None) is document for view in window.views()):
                documents.close(document.path)

        binding_connection = binding.connection
        self.destroyed.connect(lambda _gone=None: release())

    def _on_typed(self) -> None:
        if not self._dirty:
            self._dirty = True
            self.dirty_changed.emit()

    def _on_saved(self, _document: Document) -> None:
        if not self.is_dirty():
            self.edit.mark_saved()

    def _on_document(self, document: Document) -> None:
        if document.path.name != self._title:
            self._title = document.path.name
            self._choose_language()
            self.symbols.renew()
            self.title_changed.emit()
        if self.is_dirty() != self._dirty:
            self._dirty = self.is_dirty()
            self.dirty_changed.emit()
        self.bars.refresh()
        self.status_changed.emit()

    def _on_findings(self, paths: frozenset[Path]) -> None:
        if self.document.path in paths:
            self._remark.start()

    def _on_setting(self, key: str) -> None:
        if key.startswith("editor."):
            self._apply_settings()

    # -- helpers --------------------------------------------------------------------------------
    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for bar in (self.crumbs, *self.bars.widgets(), self.find_bar):
            column.addWidget(bar)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.edit, 1)
        row.addWidget(self.overview)
        column.addLayout(row, 1)

    def _choose_language(self) -> None:
        text = self.document.text
        language = self.language_chosen or language_of(self.document.path)
        if len(text) > PLAIN_SIZE or has_longer_line(text, PLAIN_LINE):
            language = PLAIN
        self.edit.set_language(language)

    def _apply_settings(self) -> None:
        if self.indent_chosen is not None:
            self.edit.set_indent(*self.indent_chosen)
        else:
            width = int(self.studio.setting("editor.tab_width"))
            self.edit.use_file_habits(self.document.text, width)
        self.edit.close_brackets = bool(self.studio.setting("editor.close_brackets"))
        self.crumbs.setVisible(bool(self.studio.setting("editor.breadcrumbs")))
        self.edit.set_wrap(bool(self.studio.setting("editor.wrap")))
        self.edit.set_white_space(bool(self.studio.setting("editor.white_space")))

    def _is_shown_elsewhere(self) -> bool:
        views = self.studio.window.views() if self.studio.window else ()
        return any(
            view is not self and getattr(view, "document", None) is self.document for view in views
        )


def make_view(studio: Studio, path: Path) -> QWidget:
    """Open a text file: in an editor, or as much of it as can be shown."""
    documents = studio.project.documents if studio.project else None
    if documents is not None and documents.get(path) is not None:
        return EditorView(studio, path)
    if documents is not None and is_long(path):
        return WaitingView(studio, path, lambda found: _of_read(studio, path, found))
    excerpt = core.excerpt(path)
    return EditorView(studio, path) if excerpt is None else ExcerptView(studio, path, excerpt)


def _of_read(studio: Studio, path: Path, found: ReadFile) -> QWidget:
    if found.excerpt is not None:
        return ExcerptView(studio, path, found.excerpt)
    if studio.project is not None and found.decoded is not None and found.found is not None:
        studio.project.documents.adopt(path, found.decoded, found.found)
    return EditorView(studio, path)
