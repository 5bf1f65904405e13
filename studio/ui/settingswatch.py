"""Taking over what is written into the settings file by hand, in the editor or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

if TYPE_CHECKING:
    from studio.ui.shell import MainWindow

_WAIT_MS = 200


class SettingsWatch(QObject):
    """Looks at the file after its folder changed; what is wrong with it is told once."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.app.settings
        self._seen = self._state()
        self._told: list[str] = []
        folder = self._settings.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        self._watcher = QFileSystemWatcher([str(folder)], self)
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self.look)
        # The folder, not the file: saving puts another file in its place.
        self._watcher.directoryChanged.connect(lambda _: self._soon.start())

    def look(self) -> None:
        """Read the file again if it is another one."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        problems = self._settings.reload()
        for problem in problems:
            if problem not in self._told:
                self._window.notify("", "warn", problem)
        self._told = problems

    def _state(self) -> tuple[int, int] | None:
        try:
            facts = self._settings.path.stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_size
