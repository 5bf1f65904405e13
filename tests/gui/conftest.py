"""The real window for tests, and a check that nothing of it is left behind."""

from __future__ import annotations

import gc
import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from shiboken6 import getCppPointer, isValid

from studio.app import App
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from studio.ui.shell import MainWindow

FILES = {
    "train.py": "import torch\nfrom model import Net\n\nnet = Net().cuda()\nprint(net)\n",
    "model.py": "class Net:\n    def cuda(self):\n        return self\n",
    "config/base.yaml": "steps: 10\n",
    "config/large.yaml": "steps: 100\n",
    "README.md": "# A project\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a few files."""
    root = tmp_path / "project"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def make_plugin(tmp_path: Path) -> Callable[..., Path]:
    """Writes a plugin into a folder of plugins, and returns that folder."""
    folder = tmp_path / "plugins"

    def make(name: str, manifest: str, **modules: str) -> Path:
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        head = f'title = "{name.title()}"\ndescription = "For tests."\nversion = "1"\napi = 1\n'
        (place / "plugin.toml").write_text(head + manifest, encoding="utf-8")
        (place / "__init__.py").write_text("", encoding="utf-8")
        for module, text in modules.items():
            (place / f"{module}.py").write_text(text, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def open_window(qapp: QApplication) -> Iterator[Callable[..., MainWindow]]:
    """Opens a window on plugin folders (by default the program's own plugins)."""
    with nothing_left(qapp):
        apps: list[App] = []

        def start(*folders: Path, language: str = "en", own: bool = False) -> MainWindow:
            from studio.paths import app_root

            places = ([app_root() / "plugins"] if own or not folders else []) + list(folders)
            app = App.start(language=language, plugin_folders=places)
            apps.append(app)
            dress(app)
            window = make_window(app)
            window.resize(1200, 800)
            window.show()
            window.start()
            assert wait_idle(window, 10)
            return window

        yield start
        while apps:
            end(apps.pop())


def end(app: App) -> None:
    """Close the window without questions, and the application."""
    if app.window is not None:
        window = app.window.parent()
        for page in window.centre.pages():
            window.centre.close_page(page, ask=False)
        window.shut()
        window.close()
    app.close()


@pytest.fixture
def window(open_window: Callable[..., MainWindow]) -> MainWindow:
    """The window with all plugins of the program and no project."""
    return open_window()


@contextmanager
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fail when widgets, running timers or threads outlive the window."""
    settle(qapp)
    widgets = set(map(getCppPointer, qapp.topLevelWidgets()))
    threads = set(threading.enumerate())
    timers = set(map(id, running_timers()))
    yield
    settle(qapp)
    left = [w for w in qapp.topLevelWidgets() if getCppPointer(w) not in widgets]
    assert not left, f"widgets left: {left}"
    ticking = [t for t in running_timers() if id(t) not in timers]
    assert not ticking, f"timers left: {[t.parent() for t in ticking]}"
    for thread in set(threading.enumerate()) - threads:
        thread.join(timeout=15)
        assert not thread.is_alive(), f"thread left: {thread.name}"


def settle(qapp: QApplication) -> None:
    """Let Qt delete what was closed."""
    for _ in range(3):
        qapp.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()


def running_timers() -> list[QTimer]:
    """Every timer that would still fire."""
    timers = [o for o in gc.get_objects() if type(o) is QTimer]
    return [timer for timer in timers if isValid(timer) and timer.isActive()]
