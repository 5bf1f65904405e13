"""Long files are read in the background; the window does not wait for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from studio.model.locations import Location
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_a_long_file_is_read_in_the_background(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "p" / "long.log"
    path.parent.mkdir()
    path.write_bytes(b"a line of a long log\n" * 250_000)
    window.app.open_project(path.parent)
    waiting: Any = window.open(path, "editor.text", {})
    assert type(waiting).__name__ == "WaitingView"
    assert window.app.project.documents.get(path) is None, "nothing was read yet"
    window.app.reveal(Location.source(path, 200_000))
    assert wait_idle(window, 20)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "EditorView"
    assert view.edit.line_count() == 250_001
    assert view.edit.cursor_place()[0] == 200_000
    assert not view.is_dirty()
    page = window.centre.page_of(view)
    assert page.saved()["state"]["line"] == 200_000


def test_one_long_line_is_shown_broken(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "p" / "one.json"
    path.parent.mkdir()
    path.write_bytes(b"[" + b'{"name": "a"}, ' * 400_000 + b"1]")
    window.app.open_project(path.parent)
    window.open(path, "editor.text", {})
    assert wait_idle(window, 20)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "ExcerptView"
    assert view.edit.is_read_only()
    assert view.edit.line_count() > 1_000


LINES = 250_000


@pytest.fixture
def view(window: MainWindow, tmp_path: Path) -> Any:
    """A long file in the editor of a live project."""
    path = tmp_path / "p" / "long.log"
    path.parent.mkdir()
    path.write_bytes(b"a line of a long log\n" * LINES)
    window.app.open_project(path.parent)
    window.open(path, "editor.text", {})
    assert wait_idle(window, 20)
    return window.app.window.active_view()


def test_a_long_file_that_was_changed_is_read_in_the_background(
    window: MainWindow, view: Any
) -> None:
    documents, path = window.app.project.documents, view.document.path
    path.write_bytes(b"another line\n" * LINES * 2)
    documents.look_outside([path])
    assert view.edit.line_count() == LINES + 1, "the window does not wait for the file"
    assert wait_idle(window, 20)
    assert view.edit.line_count() == LINES * 2 + 1
    assert not view.is_dirty()
    assert view.edit.can_undo()


def test_unsaved_work_in_a_long_file_is_not_overwritten(window: MainWindow, view: Any) -> None:
    documents, path = window.app.project.documents, view.document.path
    path.write_bytes(b"another line\n" * LINES * 2)
    documents.look_outside([path])
    view.edit.replace(0, 0, "mine ")
    view.binding.flush()
    assert wait_idle(window, 20)
    assert view.edit.text().startswith("mine a line")
    assert "Reload" in view.bars.outside.buttons()
    view.bars.outside.buttons()["Reload"].click()
    assert view.edit.text().startswith("mine a line"), "reading again does not hold the window up"
    assert wait_idle(window, 20)
    assert view.edit.text().startswith("another line")
    assert not view.is_dirty()
    assert view.bars.outside.text() == ""


def test_what_was_read_too_early_is_read_again(window: MainWindow, view: Any) -> None:
    documents, path = window.app.project.documents, view.document.path
    path.write_bytes(b"another line\n" * LINES * 2)
    documents.look_outside([path])
    path.write_bytes(b"a third line\n" * LINES * 3)
    documents.look_outside([path])
    assert wait_idle(window, 20)
    assert view.edit.line_count() == LINES * 3 + 1


def test_a_long_file_in_another_encoding_is_read_in_the_background(
    window: MainWindow, view: Any
) -> None:
    from plugins.editor.ui.encodings import reopen

    reopen(view, "latin-1")
    assert view.document.encoding != "latin-1"
    assert wait_idle(window, 20)
    assert view.document.encoding == "latin-1"
    assert view.edit.line_count() == LINES + 1
