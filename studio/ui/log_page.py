"""The program's log, newest at the end, by severity and words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.field import search_field
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.ui.shell import MainWindow

LEVELS = ("INFO", "WARNING", "ERROR")
_LEVEL = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) ")
_RANK = {"DEBUG": 0, "INFO": 0, "WARNING": 1, "ERROR": 2, "CRITICAL": 2}
_TOKENS = {1: "warn", 2: "error"}
_MOST_BYTES = 2_000_000
_LOOK_MS = 1000


class LogPage(QWidget):
    """Reads the end of the log file again while it is shown."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self._path = window.app.log.path
        self._stamp: tuple[int, int] | None = None
        self._text = ""
        self.level = QComboBox()
        self.level.addItems([tr("Everything"), tr("Warnings and errors"), tr("Errors")])
        self.level.setAccessibleName(tr("Severity"))
        self.level.setToolTip(tr("Severity"))
        self.search = search_field(tr("Filter the log"), sign="filter", widest=280)
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setFont(mono_font())
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.view.setAccessibleName(tr("Log of the program"))
        bar = ToolBar(tr("Log of the program"), self)
        bar.add("copy", tr("Copy all that is shown"), self._copy, text=True)
        bar.add_command(window.app.studio("studio"), "studio.open_log")
        bar.add("search", tr("Filter the log"), self._find, keys="Ctrl+F")
        bar.add_stretch()
        bar.addWidget(self.level)
        bar.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.view)
        self.level.currentIndexChanged.connect(lambda _at: self._fill())
        self.search.textChanged.connect(lambda _text: self._fill())
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.renew)
        self._timer.start()
        self.renew()

    def title(self) -> str:
        """The text of the tab."""
        return tr("Log of the program")

    def tool_tip(self) -> str:
        """The file."""
        return str(self._path)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._fill()

    def renew(self) -> None:
        """Read the end of the file when it changed."""
        try:
            facts = self._path.stat()
            stamp = facts.st_mtime_ns, facts.st_size
            if stamp == self._stamp:
                return
            with self._path.open("rb") as file:
                file.seek(max(facts.st_size - _MOST_BYTES, 0))
                self._text = file.read().decode("utf-8", "replace")
            self._stamp = stamp
        except FileNotFoundError:
            self._text = ""
        except OSError as error:
            self._text = tr("Cannot read {file}: {reason}.", file=self._path, reason=error.strerror)
        self._fill()

    # -- inside -----------------------------------------------------------------------------------
    def _fill(self) -> None:
        least, words = self.level.currentIndex(), self.search.text().casefold().split()
        bar = self.view.verticalScrollBar()
        follow = bar.value() >= bar.maximum() - 1
        self.view.clear()
        cursor = QTextCursor(self.view.document())
        cursor.beginEditBlock()
        for rank, entry in entries(self._text):
            if rank >= least and all(word in entry.casefold() for word in words):
                look = QTextCharFormat()
                look.setForeground(QColor(current_theme().colour(_TOKENS.get(rank, "text"))))
                cursor.insertText(entry, look)
        cursor.endEditBlock()
        if not self.view.toPlainText():
            self.view.setPlainText(tr("Nothing was written down."))
        if follow:
            bar.setValue(bar.maximum())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.view.toPlainText())

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)


def entries(text: str) -> list[tuple[int, str]]:
    """The entries of a log with their rank: 0 info, 1 warning, 2 error; tracebacks stay whole."""
    found: list[tuple[int, str]] = []
    for line in text.splitlines(keepends=True):
        begin = _LEVEL.match(line)
        if begin:
            found.append((_RANK[begin[1]], line))
        elif found:
            rank, entry = found[-1]
            found[-1] = (rank, entry + line)
        else:
            found.append((0, line))
    return found


def make_view(studio: Studio, path: Path) -> LogPage:
    """The page, as the host's manifest declares it."""
    assert studio.window is not None
    return LogPage(studio.window.parent())
