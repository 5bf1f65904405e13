"""One run: its output, a line to type into it, and how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from plugins.run.core.process import Running
from plugins.run.ui.output import OutputText
from studio.i18n import tr
from studio.ui.field import search_field
from studio.ui.text import format_ns

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from plugins.run.core.configuration import Command, Configuration

_LOOK_MS, _AT_ONCE = 40, 1 << 18


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
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._take)
        self._typing = QWidget()
        row = QHBoxLayout(self._typing)
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self.input, 1)
        self.input.returnPressed.connect(self._type)
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
        self._asked_to_stop = False
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
            self.running.kill_and_wait()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave nothing running behind."""
        self.shut()
        super().closeEvent(event)

    def _take(self) -> None:
        running = self.running
        if running is None:
            return
        self.output.feed(running.take(_AT_ONCE))
        if running.exit_code is None:
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

    def _type(self) -> None:
        if self.running is not None:
            text = self.input.text()
            self.output.feed(f"{text}\r\n")
            self.running.write(text + "\n")
            self.input.clear()
