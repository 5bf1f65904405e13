"""Prints what opening a trace costs the window: time to the first picture, and how long it sleeps.

python tests/bench/bench_view.py FILE [TIMES]

The trace is opened, closed and opened again in one running window. A gap is the time between two
turns of the event loop in which a timer of 1 ms should have fired; on a busy machine others add to
it, so the CPU time that the window's thread spent in it stands beside. What is aimed at are gaps of
at most 50 ms, and 0.3 s to the first picture when a trace is opened again.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from studio.app import App
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_application, make_window

if TYPE_CHECKING:
    from studio.ui.shell import MainWindow

LISTED = 3


class Gaps:
    """Times between the turns of the event loop, in milliseconds: wall, and CPU of this thread."""

    def __init__(self) -> None:
        self.found: list[tuple[float, float]] = []
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self.begin()

    def begin(self) -> None:
        self.found = []
        self._last = time.perf_counter(), time.thread_time()

    def _tick(self) -> None:
        now = time.perf_counter(), time.thread_time()
        gap = (now[0] - self._last[0]) * 1e3, (now[1] - self._last[1]) * 1e3
        self.found.append(gap)
        self._last = now

    def longest(self) -> str:
        return ", ".join(
            f"{wall:.0f} ({cpu:.0f} CPU)" for wall, cpu in sorted(self.found)[: -LISTED - 1 : -1]
        )


def show(window: MainWindow, gaps: Gaps, path: Path, number: int) -> None:
    """Open the trace once, wait for its first picture, and print."""
    gaps.begin()
    before, cpu = time.perf_counter(), time.process_time()
    view: Any = window.open(path, "timeline.view", {})
    while view.pane is None:
        turn(window)
    turn(window)
    print(
        f"opening {number}: first picture after {time.perf_counter() - before:.2f} s, "
        f"{time.process_time() - cpu:.2f} CPU s; longest gaps in ms: {gaps.longest()}"
    )
    wait_idle(window)
    if window.app.window is not None:
        window.app.window.close(view)
    wait_idle(window)


def turn(window: MainWindow) -> None:
    """One turn of the event loop."""
    window.pump()
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 3)
    time.sleep(0.0005)


def main() -> None:
    """Open and print."""
    make_application()
    app = App.start(language="en")
    dress(app)
    window = make_window(app)
    window.resize(1440, 900)
    window.show()
    window.start()
    wait_idle(window)
    gaps = Gaps()
    for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        show(window, gaps, Path(sys.argv[1]).absolute(), number + 1)
    window.shut()
    window.close()
    app.close()


if __name__ == "__main__":
    main()
