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
