"""Another language, a run that was killed: the window comes back with everything in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QTimer

from studio.app import App
from studio.i18n import set_language
from studio.model import journal
from studio.ui.idle import wait_idle
from studio.ui.main import run

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

KILLED = """
import sys, time
from pathlib import Path
from studio.app import App
from studio.ui.main import dress, make_application, make_window
from studio.ui.idle import wait_idle
make_application()
app = App.start(language="en")
dress(app)
window = make_window(app)
window.show()
wait_idle(window)
root = Path(sys.argv[1])
window.projects.open(root)
wait_idle(window)
document = app.project.documents.open(root / "train.py")
document.set_text("never saved\\n")
app.project.documents.journal.flush() if hasattr(app.project.documents, "journal") else None
end = time.monotonic() + 3
while time.monotonic() < end:
    wait_idle(window, 0.1)
    time.sleep(0.05)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="kills a process by a signal")
def test_unsaved_work_of_a_killed_run_is_offered(window: MainWindow, project: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(project)], stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGKILL)
    running.wait(10)
    running.stdout.close()
    window.projects.open(project)
    assert wait_idle(window)
    notice = next(n for n in window.notices.shown if n.severity == "warn")
    assert "1 file has unsaved changes" in notice.message
    assert [button.text() for button in notice.buttons] == ["Recover", "Discard"]
    notice.buttons[0].click()
    wait_idle(window)
    document = window.app.project.documents.get(project / "train.py")
    assert document.text == "never saved\n"
    assert document.dirty
    page = window.centre.active()
    assert page.path == project / "train.py"
    assert page.dirty()
    document.reload()


def test_unsaved_work_is_read_in_the_background_and_stays_until_the_user_decides(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    threads: list[threading.Thread] = []
    real = journal._read

    def read(entry: Path) -> journal.Unsaved | None:
        threads.append(threading.current_thread())
        return real(entry)

    monkeypatch.setattr(journal, "_read", read)
    window.projects.open(project)
    wait_idle(window)
    ended = window.app.project.store.folder / "journal" / "ended"
    ended.mkdir(parents=True)
    path = project / "train.py"
    facts = {"version": 1, "path": str(path), "encoding": "utf-8", "bom": False, "lossy": False,
             "kept_at": 1.0, "base": ""}  # fmt: skip
    entry = ended / "1.unsaved"
    entry.write_text(json.dumps(facts) + "\nnever saved\n", encoding="utf-8")
    window.projects.close()

    def offers() -> list[object]:
        return [n for n in window.notices.shown if "has unsaved changes" in n.message]

    window.projects.open(project)
    assert offers() == []
    window.projects.close()  # before it is read
    assert wait_idle(window)
    assert offers() == []
    assert entry.exists()
    window.projects.open(project)
    assert wait_idle(window)
    assert len(offers()) == 1
    assert threading.main_thread() not in threads
    assert entry.exists()
    notice: Any = offers()[0]
    notice.buttons[0].click()
    wait_idle(window)
    document = window.app.project.documents.get(path)
    assert (document.text, document.dirty) == ("never saved\n", True)
    assert window.app.project.documents.recoverable() == []
    qtbot.waitUntil(lambda: not entry.exists())  # once it is kept anew
    document.reload()


def test_another_language_builds_the_window_anew(qapp: object, project: Path) -> None:
    app = App.start(language="en", safe=True)
    seen: list[tuple[str, list[str]]] = []
    end = time.monotonic() + 30

    def look() -> None:
        if app.window is None or time.monotonic() > end:
            return
        window: MainWindow = app.window.parent()
        titles = [page.title() for page in window.centre.pages()]
        if not titles and app.project is not None:
            window.open(project / "train.py", "", {})
            return
        if not titles:
            return
        word = window.activity.actions()[1].text()
        seen.append((word, titles))
        if len(seen) == 1:
            app.settings.set("studio.language", "zh_CN")
        elif word == "迁移":
            window.close()

    timer = QTimer(interval=50)
    timer.timeout.connect(look)
    timer.start()
    try:
        assert run(app, project) == 0
    finally:
        timer.stop()
        app.close()
        set_language("en")
    assert seen[0] == ("Migration", ["train.py"])
    assert seen[-1] == ("迁移", ["train.py"])
