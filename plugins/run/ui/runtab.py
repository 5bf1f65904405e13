"""One run: its output, a line to type into it, and how it went."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from plugins.run.core.process import Running
from plugins.run.ui.output import OutputText
from studio.i18n import tr
from studio.ui.field import search_field
from studio.ui.text import format_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QCloseEvent

    from plugins.run.core.configuration import Command, Configuration

_LOOK_MS, _AT_ONCE = 30, 1 << 15
_SHOWING_SECONDS = 0.015
"""So long output is shown before the window gets its turn again."""
_LEFT_SECONDS = 1.0


class RunTab(QWidget):
    """Starts at once; `state_changed` is emitted when the program ended."""

    state_changed = Signal()

    def __init__(self, configuration: Configuration, command: Command) -> None:
        super().__init__()
        self.configuration = configuration
        self.command = command
        self.output = OutputText()
        self.input = search_field(tr("Type here what the program asks for"), sign="command")
        self.running: Running | None = None
        self._asked_to_stop = False
        self._told_left = False
        self._typed: list[str] = []
        self._typed_at = 0
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._take)
        self._typing = QWidget()
        row = QHBoxLayout(self._typing)
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self.input, 1)
        self.input.returnPressed.connect(self._type)
        self.input.setToolTip(tr("Up and Down bring back what was typed; Ctrl+D ends the input"))
        self.input.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.output, 1)
        column.addWidget(self._typing)
        self.start(command)

    @property
    def active(self) -> bool:
        """Whether the program runs."""
        return self.running is not None and self.running.active

    def start(self, command: Command) -> None:
        """Run it (again); raises StudioError when it cannot be started."""
        self.running = Running(command)
        self.command = command
        self._asked_to_stop = self._told_left = False
        self.output.note(f"$ {command.line}")
        self._typing.show()
        self._look.start()
        self.state_changed.emit()

    def stop(self) -> None:
        """End the program and all that it started."""
        if self.running is not None and self.running.active:
            self._asked_to_stop = True
            self.running.stop()

    def shut(self) -> None:
        """End the program before this goes."""
        self._look.stop()
        if self.running is not None and self.running.active:
            self.running.shut()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave nothing running behind."""
        self.shut()
        super().closeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the line to type into that are those of a terminal."""
        if watched is self.input and isinstance(event, QKeyEvent):
            run = _KEYS.get(event.keyCombination())
            if run is not None and event.type() == QEvent.Type.KeyPress:
                run(self)
                return True
            if run is not None and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
        return super().eventFilter(watched, event)

    def _take(self) -> None:
        running = self.running
        if running is None:
            return
        end = time.monotonic() + _SHOWING_SECONDS
        while text := running.take(_AT_ONCE):
            self.output.feed(text)
            if time.monotonic() > end:
                self._look.setInterval(1)  # go on at once, but after what else is to be done
                break
        else:
            self._look.setInterval(_LOOK_MS)
        if running.exit_code is None:
            self._tell_left(running)
            return
        self._look.stop()
        self._typing.hide()
        took = format_ns(round(running.seconds * 1000) * 1_000_000)
        code = running.exit_code
        if self._asked_to_stop:
            self.output.note(tr("Stopped after {time}.", time=took), token="warn")
        elif code == 0:
            self.output.note(tr("Ended after {time}.", time=took), token="ok")
        else:
            text = tr("Ended after {time} with exit code {code}.", time=took, code=code)
            self.output.note(text, token="error")
        self.state_changed.emit()

    def _tell_left(self, running: Running) -> None:
        left = running.left_behind
        if left is None or left < _LEFT_SECONDS or self._told_left:
            return
        self._told_left = True
        text = tr("The program has ended; what it started still runs and may write. Stop ends it.")
        self.output.note(text, token="warn")

    def _type(self) -> None:
        if self.running is not None:
            text = self.input.text()
            self.output.feed(f"{text}\r\n")
            self.running.write(text + "\n")
            self.input.clear()
            self._note_typed(text)

    def _end_input(self) -> None:
        """As Ctrl+D in a terminal: what stands in the line is sent, and then the end."""
        if self.running is not None and self.active:
            if text := self.input.text():
                self.output.feed(f"{text}\r\n")
                self.running.write(text)
                self.input.clear()
            self.running.end_input()
            self.output.note(tr("The input has ended."))
            self._typing.hide()

    # -- what was typed before --------------------------------------------------------------------
    def _note_typed(self, text: str) -> None:
        if text and self._typed[-1:] != [text]:
            self._typed.append(text)
        self._typed_at = len(self._typed)

    def _older(self, steps: int) -> None:
        at = self._typed_at + steps
        if 0 <= at <= len(self._typed):
            self._typed_at = at
            self.input.setText(self._typed[at] if at < len(self._typed) else "")


_KEYS: dict[QKeyCombination, Callable[[RunTab], None]] = {
    QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_D): RunTab._end_input,
    QKeyCombination(Qt.Key.Key_Up): lambda tab: tab._older(-1),
    QKeyCombination(Qt.Key.Key_Down): lambda tab: tab._older(1),
}
