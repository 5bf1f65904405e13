"""Every command that can run without a question runs in the window without an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox

from studio.sample import sample_project
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from studio.ui.shell import MainWindow

pytestmark = [pytest.mark.gui, pytest.mark.slow]

LEFT_OUT = {"studio.quit", "studio.switch_language", "studio.open_log"}


@pytest.fixture(autouse=True)
def no_dialog_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dismiss every modal dialog at once."""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QMessageBox, "exec", lambda _: 0)
    monkeypatch.setattr(QDialog, "exec", lambda _: 0)
    monkeypatch.setattr(QProcess, "startDetached", lambda *_: (True, 1))


def close_popups(window: MainWindow) -> None:
    window.palette_.close_box()
    for dialog in [child for child in window.children() if isinstance(child, QDialog)]:
        dialog.close()
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


@pytest.mark.parametrize("kind", ["script", "trace", "memory", "dump", ""])
def test_commands_run_with_each_kind_of_view_in_front(window: MainWindow, kind: str) -> None:
    errors: list[str] = []
    window.app.errors.listen(lambda report: errors.append(report.details))

    def show() -> None:
        if window.app.project is None:
            window.projects.open(sample_project())
            assert wait_idle(window)
        if kind:
            window.open(window.app.project.items_of(kind)[0].path, "", {})
            assert wait_idle(window)

    show()
    for registered in window.actions_.all():
        offered = registered.command.palette or registered.command.menu
        if registered.id in LEFT_OUT or not offered:
            continue
        show()
        window.actions_.run(registered.id)
        assert wait_idle(window), f"{registered.id} keeps the window busy"
        close_popups(window)
        assert errors == [], registered.id
    for document in window.app.project.documents.dirty() if window.app.project else ():
        document.reload()
