"""What the editor's commands do, to the view in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from plugins.editor.ui.compare import CompareView
from plugins.editor.ui.earlier import show_committed, show_earlier
from plugins.editor.ui.excerpt import ExcerptView
from plugins.editor.ui.rereading import reread
from plugins.editor.ui.view import EditorView
from plugins.editor.ui.waiting import WaitingView
from studio.i18n import tr
from studio.ui.codetyping import LineChange

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.model.locations import Location


def reveal(studio: Studio, location: Location) -> bool:
    """Show a place in a text file, opening the file if need be."""
    if not location.path.is_file():
        studio.notify(tr("{path} does not exist.", path=location.path), severity="warn")
        return False
    view = studio.open(location.path, opener="editor.text")
    if isinstance(view, EditorView | WaitingView):
        studio.select(source=location)
        return view.reveal(location)
    return view is not None


def show_fixes(studio: Studio) -> None:
    """Offer what can be done about the findings in the line of the cursor."""
    view = _view(studio)
    if view is not None:
        view.bulb.show_menu()


def save_as(studio: Studio) -> None:
    """Save the file in front under another name."""
    view = _view(studio)
    if view is None or studio.window is None:
        return
    from pathlib import Path

    chosen, _ = QFileDialog.getSaveFileName(
        studio.window.parent(), tr("Save as"), str(view.document.path)
    )
    if chosen:
        view.saver.save_as(Path(chosen))


def revert(studio: Studio) -> None:
    """Go back to what is on disk."""
    view = _view(studio)
    if view is None or studio.window is None:
        return
    view.binding.flush()
    document = view.document
    if document.dirty:
        back = tr("Revert")
        question = tr("Throw away the unsaved changes of {name}?", name=document.path.name)
        if studio.window.ask(tr("Revert"), question, (back,), back) != back:
            return
    reread(view)


def compare_with_disk(studio: Studio) -> None:
    """Show the unsaved changes side by side with the file."""
    if view := _view(studio):
        view.compare_with_disk()


def merge_with_disk(studio: Studio) -> None:
    """Merge the unsaved changes with the file as it is now."""
    if view := _view(studio):
        view.merge_with_disk()


def focus_breadcrumbs(studio: Studio) -> None:
    """Give the path above the text the focus."""
    if view := _view(studio):
        view.crumbs.setVisible(True)
        view.crumbs.focus()


def show_outline(studio: Studio) -> None:
    """Show the outline of the file in front, ready to filter."""
    panel = studio.window.show_panel("editor.outline") if studio.window is not None else None
    if isinstance(panel, QWidget):
        panel.setFocus()


def undo(studio: Studio) -> None:
    """Undo one step of the text."""
    if view := _typed_in(studio, Qt.Key.Key_Z):
        view.edit.undo()


def redo(studio: Studio) -> None:
    """Do an undone step again."""
    if view := _typed_in(studio, Qt.Key.Key_Y):
        view.edit.redo()


def cut(studio: Studio) -> None:
    """Move the selection to the clipboard."""
    if view := _typed_in(studio, Qt.Key.Key_X):
        view.edit.cut()


def copy(studio: Studio) -> None:
    """Copy the selection to the clipboard."""
    if view := _typed_in(studio, Qt.Key.Key_C):
        view.edit.copy()


def paste(studio: Studio) -> None:
    """Insert the clipboard."""
    if view := _typed_in(studio, Qt.Key.Key_V):
        view.edit.paste()


def select_all(studio: Studio) -> None:
    """Select the whole text."""
    if view := _typed_in(studio, Qt.Key.Key_A):
        view.edit.select_all()


def toggle_comment(studio: Studio) -> None:
    """Comment or uncomment the selected lines."""
    view = _view(studio)
    if view and not view.edit.is_read_only():
        view.edit.toggle_comment()


def find(studio: Studio) -> None:
    """Find in the text."""
    front = _front(studio)
    if front is not None:
        front.find_bar.start()


def replace(studio: Studio) -> None:
    """Find and replace in the text."""
    if view := _view(studio):
        view.find_bar.start(replacing=True)


def find_next(studio: Studio) -> None:
    """Go to the next hit."""
    front = _front(studio)
    if front is not None:
        front.find_bar.next()


def find_previous(studio: Studio) -> None:
    """Go to the hit before."""
    front = _front(studio)
    if front is not None:
        front.find_bar.previous()


def next_finding(studio: Studio) -> None:
    """Go to the next finding of the file, from the end to the beginning."""
    _step_finding(studio, 1)


def previous_finding(studio: Studio) -> None:
    """Go to the finding before, from the beginning to the end."""
    _step_finding(studio, -1)


def fold_all(studio: Studio) -> None:
    """Fold every block of the outermost level."""
    if view := _view(studio):
        edit = view.edit
        heads = [n for n in range(1, edit.line_count() + 1) if edit.line_text(n)[:1].strip()]
        edit.set_folds(heads)


def unfold_all(studio: Studio) -> None:
    """Unfold every block."""
    if view := _view(studio):
        view.edit.set_folds([])


def zoom_in(studio: Studio) -> None:
    """Make the text larger."""
    if view := _view(studio):
        view.zoom_by(1)


def zoom_out(studio: Studio) -> None:
    """Make the text smaller."""
    if view := _view(studio):
        view.zoom_by(-1)


def zoom_reset(studio: Studio) -> None:
    """Give the text its standard size."""
    if view := _view(studio):
        view.zoom_by(0)


def toggle_wrap(studio: Studio) -> None:
    """Break long lines at the edge, or scroll."""
    studio.set_setting("editor.wrap", not studio.setting("editor.wrap"))


def toggle_white_space(studio: Studio) -> None:
    """Show spaces and tabs, or not."""
    studio.set_setting("editor.white_space", not studio.setting("editor.white_space"))


def _step_finding(studio: Studio, step: int) -> None:
    view = _view(studio)
    if view is None or studio.project is None:
        return
    places = [
        finding.location
        for finding in studio.project.findings.of_file(view.document.path)
        if finding.location.line
    ]
    if not places:
        studio.notify(tr("No findings in {name}.", name=view.document.path.name))
        return
    here = view.edit.place_at(view.edit.selection()[0])
    keys = [(place.line or 1, place.column or 1) for place in places]
    if step > 0:
        number = next((n for n, key in enumerate(keys) if key > here), 0)
    else:
        before = [n for n, key in enumerate(keys) if key < here]
        number = before[-1] if before else len(places) - 1
    view.reveal(places[number])
    view.edit.setFocus()


def _front(studio: Studio) -> EditorView | ExcerptView | None:
    front = studio.window.active_view() if studio.window else None
    return front if isinstance(front, EditorView | ExcerptView) else None


def _view(studio: Studio) -> EditorView | None:
    front = _front(studio)
    return front if isinstance(front, EditorView) else None


def _typed_in(studio: Studio, key: Qt.Key) -> EditorView | None:
    """The editor in front; with the focus in another widget, that one gets Ctrl and the key."""
    view, focus = _view(studio), QApplication.focusWidget()
    if view is None or focus is None or view.isAncestorOf(focus):
        return view
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.ControlModifier)
        QApplication.sendEvent(focus, event)
    return None


def complete(studio: Studio) -> None:
    """Propose what fits at the cursor."""
    view = _view(studio)
    if view is not None:
        view.assist.complete()


def show_call(studio: Studio) -> None:
    """Show the parameters of the call around the cursor."""
    view = _view(studio)
    if view is not None:
        view.assist.show_call()


def show_documentation(studio: Studio) -> None:
    """Show the documentation of the name at the cursor."""
    view = _view(studio)
    if view is not None:
        view.assist.show_documentation()


def go_to_definition(studio: Studio) -> None:
    """Go to where the name at the cursor is defined."""
    view = _view(studio)
    if view is not None:
        view.assist.go_to_definition()


def show_references(studio: Studio) -> None:
    """List where the name at the cursor is used."""
    view = _view(studio)
    if view is not None:
        view.assist.show_references()


def lines_up(studio: Studio) -> None:
    """Move the selected lines up."""
    _change_lines(studio, LineChange.UP)


def lines_down(studio: Studio) -> None:
    """Move the selected lines down."""
    _change_lines(studio, LineChange.DOWN)


def copy_lines(studio: Studio) -> None:
    """Write the selection, or the line, a second time."""
    _change_lines(studio, LineChange.COPY)


def delete_lines(studio: Studio) -> None:
    """Delete the selected lines."""
    _change_lines(studio, LineChange.DELETE)


def select_next(studio: Studio) -> None:
    """Select the next occurrence of what is selected as well."""
    _change_lines(studio, LineChange.SELECT_NEXT)


def select_every(studio: Studio) -> None:
    """Select every occurrence of what is selected."""
    _change_lines(studio, LineChange.SELECT_EVERY)


def caret_above(studio: Studio) -> None:
    """Put one more caret in the line above."""
    _change_lines(studio, LineChange.CARET_ABOVE)


def caret_below(studio: Studio) -> None:
    """Put one more caret in the line below."""
    _change_lines(studio, LineChange.CARET_BELOW)


def join_lines(studio: Studio) -> None:
    """Join the selected lines, or the line with the next one."""
    _change_lines(studio, LineChange.JOIN)


def _change_lines(studio: Studio, change: LineChange) -> None:
    view = _view(studio)
    if view is not None and (change.only_selects or not view.edit.is_read_only()):
        view.edit.change_lines(change)


def earlier(studio: Studio) -> None:
    """Offer the earlier versions of the file in front."""
    view = _view(studio)
    if view is not None:
        show_earlier(view)


def compare_with_commit(studio: Studio) -> None:
    """Compare the file in front with its last committed version."""
    view = _view(studio)
    if view is not None:
        show_committed(view)


def compare_with_file(
    studio: Studio, path: Path | None = None, other: Path | None = None, inline: bool | None = None
) -> None:
    """Compare a file, or the one in front, with another one; asks for it unless it is given."""
    view = _view(studio)
    first = path or (view.document.path if view is not None else None)
    if first is None or studio.window is None:
        return
    root = studio.project.root if studio.project is not None else first.parent
    first = root / first
    if other is None:
        title = tr("Compare {name} with", name=first.name)
        chosen, _ = QFileDialog.getOpenFileName(studio.window.parent(), title, str(first.parent))
        if not chosen:
            return
        other = root / chosen
    compared = studio.open(first, opener="editor.compare", other=str(root / other))
    if inline is not None and isinstance(compared, CompareView):
        compared.diff.set_inline(inline)
