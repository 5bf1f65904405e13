"""The bars above an editor: what happened to the file outside, and what is odd about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.editor import core
from studio.i18n import tr
from studio.model.document import Outside
from studio.ui.bar import NoticeBar

if TYPE_CHECKING:
    from plugins.editor.ui.view import EditorView


_LONG = 1_000_000


class Bars:
    """One bar for the disk, one for the file itself, one for characters that cannot be saved."""

    def __init__(self, view: EditorView) -> None:
        self._view = view
        self.outside = NoticeBar(view)
        self.file = NoticeBar(view)
        self.characters = NoticeBar(view)
        self._told: object = None
        self._checked: object = None
        self._tell_of_file()

    def widgets(self) -> tuple[NoticeBar, ...]:
        """The bars, top to bottom."""
        return self.outside, self.file, self.characters

    def refresh(self) -> None:
        """Show what holds of the document now."""
        self._tell_of_outside()
        self._tell_of_characters()
        self._tell_of_file()

    def _tell_of_outside(self) -> None:
        document = self._view.document
        if document.outside is Outside.CHANGED:
            self.outside.tell(
                "warn",
                tr("{name} was changed on disk while you have unsaved changes.", name=self._name()),
                {
                    tr("Merge"): self._view.merge_with_disk,
                    tr("Compare"): self._view.compare_with_disk,
                    tr("Reload"): self._reload,
                    tr("Keep mine"): document.keep_mine,
                },
                closable=False,
            )
        elif document.outside is Outside.DELETED:
            self.outside.tell(
                "warn",
                tr("{name} was deleted on disk. Saving writes it again.", name=self._name()),
                {tr("Save"): self._view.save},
            )
        else:
            self.outside.clear()

    def _tell_of_file(self) -> None:
        document = self._view.document
        state = (document.notice, document.encoding)
        if state == self._told:
            return
        self._told = state
        if document.lossy:
            from plugins.editor.ui.encodings import reopen_menu

            action = {tr("Reopen with encoding…"): lambda: reopen_menu(self._view, self.file)}
            self.file.tell("warn", document.notice, action)
        elif document.notice:
            self.file.tell("info", document.notice)
        else:
            self.file.clear()

    def _tell_of_characters(self) -> None:
        """Ask as soon as a character is typed that the encoding lacks, not only at saving."""
        document = self._view.document
        state = document.version, document.encoding, document.dirty
        if state == self._checked:
            return
        self._checked = state
        if not document.dirty or document.lossy or core.is_unicode(document.encoding):
            self.characters.clear()
            return
        found = self._unencodable()
        if found is None:
            self.characters.clear()
            return
        character, line = found
        text = tr(
            "{character} (U+{code}, line {line}) does not exist in {encoding}, the encoding of "
            "this file.",
            character=character,
            code=f"{ord(character):04X}",
            line=line,
            encoding=core.encoding_title(document.encoding, document.bom),
        )
        actions = {
            tr("Save as UTF-8"): lambda: self._view.saver.save_with("utf-8"),
            tr("Undo"): self._view.edit.undo,
        }
        self.characters.tell("warn", text, actions)

    def _unencodable(self) -> tuple[str, int] | None:
        """The character and its line; of a long text the line that one types in, until it has one.

        Saving asks about the rest.
        """
        document, edit = self._view.document, self._view.edit
        if len(document.pieces) <= _LONG or self.characters.text():
            return core.unencodable(document.text, document.encoding)
        line = edit.cursor_place()[0]
        found = core.unencodable(edit.line_text(line), document.encoding)
        return None if found is None else (found[0], line)

    def _reload(self) -> None:
        from plugins.editor.ui.rereading import reread

        self._view.binding.flush()
        reread(self._view)

    def _name(self) -> str:
        return self._view.document.path.name
