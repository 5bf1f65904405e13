"""Open a trace in the window of a new process and print as JSON what that took.

`python tests/bench/trace_window.py FILE [--escape]`

The first painted frame is the first one that shows the timeline. Gaps are times at which the window
could not react: between two ticks of a timer of 5 ms. `gap_cpu` is how much of the longest gap this
process was computing; the rest is other programs' use of the machine. With `--escape` Esc is
pressed while the trace is read, and the time is told until nothing runs any more.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if "STUDIO_HOME" not in os.environ:
    os.environ["STUDIO_HOME"] = tempfile.mkdtemp()
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

_READ_FOR_MS = 1500
BEGIN = time.perf_counter()
from PySide6.QtCore import QEvent, QObject, Qt, QTimer  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402

from studio.app import App  # noqa: E402 - the imports are part of what is measured
from studio.ui.main import dress, make_application, make_window  # noqa: E402

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class Gaps:
    """Notes how long the window did not react."""

    def __init__(self) -> None:
        self.found: list[tuple[float, float, float]] = []
        self._last = time.perf_counter(), time.process_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(5)

    def _tick(self) -> None:
        now = time.perf_counter(), time.process_time()
        wall, cpu = (new - old for new, old in zip(now, self._last, strict=True))
        self.found.append((min(wall, cpu) * 1e3, wall * 1e3, now[0] - BEGIN))
        self._last = now

    def told(self) -> dict[str, object]:
        """The longest ones, and how many are longer than a user may notice."""
        longest = sorted(self.found, reverse=True)[:8]
        return {
            "gap_cpu_ms": round(longest[0][0], 1),
            "gap_wall_ms": round(max(wall for _, wall, _ in self.found), 1),
            "over_50_ms": sum(cpu > 50 for cpu, _, _ in self.found),
            "longest": [[round(value, 2) for value in gap] for gap in longest],
        }


class FirstFrame(QObject):
    """Ends the program when a widget has been painted."""

    def __init__(self, view: QWidget, gaps: Gaps, program: Program) -> None:
        super().__init__()
        self._view, self._gaps, self._program = view, gaps, program
        view.installEventFilter(self)
        view.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self, self._program.note_frame)
        return False


class Program:
    """The window, and what is noted of it."""

    def __init__(self, path: Path, *, escape: bool) -> None:
        self._app = App.start(language="en")
        self._qt = make_application()
        dress(self._app)
        self._window = make_window(self._app)
        self._window.resize(1600, 900)
        self._window.show()
        self._window.start()
        self._path, self._escape = path, escape
        self._told: dict[str, object] = {}
        self._note("window")
        QTimer.singleShot(300, self._open)

    def run(self) -> None:
        """Run until everything is idle."""
        self._qt.exec()

    def _open(self) -> None:
        self._gaps = Gaps()
        self._opened = time.perf_counter()
        self._view = self._window.open(self._path, "timeline.view", {})
        self._view.loaded.connect(self._loaded)
        if self._escape:
            QTimer.singleShot(_READ_FOR_MS, self._press_escape)

    def _press_escape(self) -> None:
        self._window.activateWindow()
        self._opened = time.perf_counter()
        QTest.keyClick(self._window, Qt.Key.Key_Escape)
        self._idle = QTimer()
        self._idle.timeout.connect(self._end_when_stopped)
        self._idle.start(1)

    def _end_when_stopped(self) -> None:
        if self._view.idle() and self._app.jobs.idle():
            self._told["stopped_ms"] = round((time.perf_counter() - self._opened) * 1e3, 1)
            self._end("stopped")

    def _loaded(self) -> None:
        self._first = FirstFrame(self._view.pane.canvas, self._gaps, self)

    def note_frame(self) -> None:
        """The timeline has been painted."""
        self._note("frame")
        self._told["opened_wall"] = round(time.perf_counter() - self._opened, 2)
        self._told |= self._gaps.told()
        self._idle = QTimer()
        self._idle.timeout.connect(self._end_when_idle)
        self._idle.start(500)

    def _end_when_idle(self) -> None:
        import threading

        if self._view.idle() and not any(
            thread.name == "keep trace" for thread in threading.enumerate()
        ):
            self._end("idle")

    def _end(self, what: str) -> None:
        self._note(what)
        print(json.dumps(self._told), flush=True)
        os._exit(0)

    def _note(self, what: str) -> None:
        self._told[f"{what}_cpu"] = round(time.process_time(), 2)
        self._told[f"{what}_peak"] = round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        )


if __name__ == "__main__":
    Program(Path(sys.argv[1]), escape="--escape" in sys.argv[2:]).run()
