"""What helps while one types: proposals, the parameters of a call, documentation, definitions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QMenu

from plugins.editor.core.proposals import Proposal, around, merged, prefix_of, words_like
from plugins.editor.core.python import CallTip, Cursor, Place
from plugins.editor.ui.vocabulary import project_words
from studio.i18n import tr, trn
from studio.model.locations import Location
from studio.model.outside import LONG
from studio.ui.codepopup import ProposalPopup
from studio.ui.icons import icon
from studio.ui.parts import head_menu

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.editor.ui.view import EditorView
    from studio.model.pieces import Pieces

_TYPED_MS = 90
_LEAST = 2
_PLACES = 40
_ICONS = {
    "function": "operator",
    "class": "plugin",
    "module": "files",
    "keyword": "command",
    "param": "edit",
    "instance": "tensor",
    "statement": "tensor",
    "property": "tensor",
    "word": "text",
}


class Assist(QObject):
    """Belongs to one editor; asks jedi in another process and never holds up typing."""

    def __init__(self, view: EditorView) -> None:
        super().__init__(view)
        self._view = view
        self._words: list[Proposal] = []
        self._names: list[Proposal] = []
        self._typed = ""
        self._hover: tuple[int, QPoint] | None = None
        self.popup = ProposalPopup(view)
        self.popup.chosen.connect(self._insert)
        self.tip = QLabel(view)
        self.tip.setProperty("role", "tip")
        self.tip.setTextFormat(Qt.TextFormat.RichText)
        self.tip.setAutoFillBackground(True)
        self.tip.setMargin(6)
        self.tip.hide()
        self._soon = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._soon.timeout.connect(self._after_typing)
        edit = view.edit
        edit.area().installEventFilter(self)
        edit.text_changed.connect(self._changed)
        edit.cursor_moved.connect(self._moved)
        edit.scrolled.connect(self.hide)
        edit.focused.connect(lambda on: None if on else self.hide())
        edit.hovered.connect(self._hovered)

    # -- what commands do -------------------------------------------------------------------------
    def complete(self) -> None:
        """Propose what fits at the cursor, also without a letter before it."""
        self._propose(self._prefix(), asked=True)

    def show_call(self) -> None:
        """Show the parameters of the call around the cursor."""
        self._ask("call_tip", self._show_call)

    def show_documentation(self) -> None:
        """Show the documentation of the name at the cursor."""
        rect = self._view.edit.cursor_rect()
        place = QPoint(rect.left(), rect.bottom())
        self._ask("documentation", lambda text: self._show_documentation(text, place))

    def go_to_definition(self) -> None:
        """Go to where the name at the cursor is defined."""
        self._ask("definitions", self._offer_definitions, failed=self._tell)

    def show_references(self) -> None:
        """List where the name at the cursor is used."""
        self._ask("references", self._offer, failed=self._tell)

    def hide(self) -> None:
        """Put everything away."""
        self.popup.hide()
        self.tip.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the list have its keys, and note what is typed by hand."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if self.popup.takes(event):
                return True
            if event.key() == Qt.Key.Key_Escape and self.tip.isVisible():
                self.tip.hide()
                return True
            self._typed = event.text() if event.text().isprintable() else ""
        return super().eventFilter(watched, event)

    # -- while typing -----------------------------------------------------------------------------
    def _changed(self) -> None:
        if self._typed or self.popup.isVisible():
            self._soon.start()

    def _moved(self) -> None:
        if self._typed == ")":  # also where one stepped over the one that closed itself
            self._typed = ""
            self.tip.hide()
        if self.popup.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _after_typing(self) -> None:
        typed, self._typed = self._typed, ""
        if not self._view.studio.setting("editor.complete"):
            return
        if typed == "(" or (typed == "," and self.tip.isVisible()):
            self.show_call()
        elif typed == ")":
            self.tip.hide()
        prefix = self._prefix()
        after_dot = typed == "." and self._is_python()
        if len(prefix) >= _LEAST or after_dot:
            self._propose(prefix, asked=False)
        else:
            self.popup.hide()

    def _propose(self, prefix: str, *, asked: bool) -> None:
        after_dot = self._line()[: -len(prefix) or None].endswith(".")
        self._words = [] if after_dot and self._is_python() else words_like(prefix, self._texts())
        self._names = []
        self._show(prefix)
        if self._is_python() and (asked or prefix or after_dot):
            self._ask("complete", lambda names: self._take_names(names))

    def _take_names(self, names: list[Proposal]) -> None:
        """Show what jedi found, unless one has typed on to where it does not fit."""
        prefix = self._prefix()
        self._names = [one for one in names if one.name.casefold().startswith(prefix.casefold())]
        self._show(prefix)

    def _show(self, prefix: str) -> None:
        kinds = {
            "function": tr("function"),
            "class": tr("class"),
            "module": tr("module"),
            "keyword": tr("keyword"),
            "param": tr("parameter"),
            "word": tr("word"),
        }
        found = [one for one in merged(self._names, self._words) if one.name != prefix]
        rows = [
            (one.name, kinds.get(one.kind, tr("variable")), _ICONS.get(one.kind, "tensor"))
            for one in found
        ]
        edit = self._view.edit
        rect = edit.cursor_rect()
        rect.moveTopLeft(edit.mapTo(self._view, rect.topLeft()))
        self.popup.show_at(rect, rows)

    def _insert(self, name: str) -> None:
        self._typed = ""
        self._view.edit.complete(self._prefix(), name)
        self._soon.stop()

    # -- what was asked ---------------------------------------------------------------------------
    def _tell(self, error: BaseException) -> None:
        self._view.studio.notify(str(error), severity="warn")

    def _ask(
        self,
        what: str,
        done: Callable[[Any], object],
        failed: Callable[[BaseException], object] = lambda _error: None,
    ) -> None:
        """Ask jedi; an answer for a text or place that is no more is dropped."""
        view = self._view
        if not self._is_python():
            return
        cursor = self._cursor(view.edit.cursor_offset())
        self._start(what, cursor, done, failed)

    def _start(
        self,
        what: str,
        cursor: Cursor,
        done: Callable[[Any], object],
        failed: Callable[[BaseException], object] = lambda _error: None,
    ) -> None:
        path = cursor.path
        self._view.studio.start_job(
            f"editor:core.python.{what}",
            {"cursor": cursor},
            title=tr("Reading {name}", name=path.name),
            key=f"{what} {path}",
            process=True,
            done=done,
            failed=failed,
        )

    def _cursor(self, offset: int) -> Cursor:
        view = self._view
        project = view.studio.project
        line, column = view.edit.place_at(offset)
        root = project.root if project is not None else None
        interpreter = project.context.values.interpreter if project is not None else ""
        return Cursor(view.document.path, view.edit.text(), line, column, root, interpreter)

    def _show_call(self, call: CallTip | None) -> None:
        if call is None:
            self.tip.hide()
            return
        parts = [
            f"<b>{escape(text)}</b>" if at == call.active else escape(text)
            for at, text in enumerate(call.parameters)
        ]
        self.tip.setText(f"{escape(call.name)}({', '.join(parts)})")
        self.tip.adjustSize()
        edit = self._view.edit
        rect = edit.cursor_rect()
        place = edit.mapTo(self._view, rect.topLeft())
        top = place.y() - self.tip.height() - 2
        if top < 0:
            top = place.y() + rect.height() + 2
        self.tip.move(max(min(place.x(), self._view.width() - self.tip.width()), 0), top)
        self.tip.show()
        self.tip.raise_()

    def _show_documentation(self, text: str, place: QPoint) -> None:
        if text:
            lines = text.splitlines()
            shown = "\n".join(lines[:24]) + ("\n…" if len(lines) > 24 else "")
            self._view.edit.show_hover(place, f"<pre>{escape(shown)}</pre>")

    def _hovered(self, offset: int, place: QPoint) -> None:
        """Show documentation where the mouse rests on a name."""
        edit = self._view.edit
        line, column = edit.place_at(offset)
        text = edit.line_text(line)
        name = column <= len(text) and (text[column - 1].isalnum() or text[column - 1] == "_")
        if not name or not self._is_python() or not self._view.studio.setting("editor.complete"):
            return
        wanted = self._hover = (offset, place)

        def show(found: str) -> None:
            if self._hover == wanted and edit.underMouse():
                self._show_documentation(found, place)

        self._start("documentation", self._cursor(offset), show)

    def _offer_definitions(self, places: list[Place]) -> None:
        if len(places) == 1:
            self._go(places[0])
        else:
            self._offer(places)

    def _offer(self, places: list[Place]) -> None:
        """List places to go to, at the cursor."""
        view = self._view
        if not places:
            view.studio.notify(tr("Nothing is known of the name at the cursor."), severity="info")
            return
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        head_menu(menu, trn("{n} place", "{n} places", len(places)))
        project = view.studio.project
        for place in places[:_PLACES]:
            name = project.relative(place.path) if project is not None else str(place.path)
            text = f"{name}:{place.line}   {place.text[:90]}".replace("&", "&&")
            action = menu.addAction(icon("goto"), text)
            action.triggered.connect(lambda _=False, at=place: self._go(at))
        if len(places) > _PLACES:
            menu.addAction(tr("and {n} more", n=len(places) - _PLACES)).setEnabled(False)
        rect = view.edit.cursor_rect()
        menu.popup(view.edit.mapToGlobal(QPoint(rect.left(), rect.bottom())))

    def _go(self, place: Place) -> None:
        end = place.column + len(place.name)
        at = Location.source(place.path, place.line, place.column, place.line, end)
        self._view.studio.reveal(at)

    # -- helpers ----------------------------------------------------------------------------------
    def _is_python(self) -> bool:
        """Whether jedi can tell something; of a very long text not in time."""
        view = self._view
        return view.edit.language.lexer == "python" and len(view.document.pieces) < LONG

    def _line(self) -> str:
        line, column = self._view.edit.cursor_place()
        return self._view.edit.line_text(line)[: column - 1]

    def _prefix(self) -> str:
        line = self._line()
        return prefix_of(line, len(line) + 1)

    def _texts(self) -> list[str | Pieces]:
        """This text, the other open ones of the project, and the words of its files."""
        own = self._view.document
        others = [d.pieces for d in self._view.documents.all() if d is not own]
        edit = self._view.edit
        here = around(edit.pieces(), edit.cursor_offset())
        return [here, *others, project_words(self._view.studio)]
