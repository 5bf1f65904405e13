"""What the views of profiles cost: opening each, and working in those of large tables.

Every function runs in a process of its own, without a screen.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.kernel.job_context import JobContext
from studio.paths import resource
from studio.trace.prepare import load_kernels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

JOB = JobContext(lambda _progress: None, lambda: False)
OPERATORS: dict[str, Any] = {"by": "type", "kind": "compute", "step": None, "chip": None}
_FRAMES = 60


@dataclass(frozen=True, slots=True)
class Opened:
    """Seconds of the wall and of the processor from nothing read to the first picture."""

    wall: float
    used: float


def application() -> Any:
    """A Qt without a screen, dressed as the program."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from studio.i18n import set_language
    from studio.ui.main import make_application
    from studio.ui.theme import apply_theme, load_theme

    app = make_application()
    set_language("en")
    apply_theme(app, load_theme("dark"))
    return app


def views() -> dict[str, Callable[[Path], QWidget]]:
    """The four views of a profile: read, prepare and build what stands in the tab."""

    def overview(path: Path) -> QWidget:
        from plugins.overview.ui.loader import load_page
        from plugins.overview.ui.pane import OverviewPane

        return OverviewPane(load_page(path, JOB))

    def steps(path: Path) -> QWidget:
        from plugins.steps.ui.loader import load_steps
        from plugins.steps.ui.pane import StepsPane

        return StepsPane(load_steps(path, JOB))

    def operators(path: Path) -> QWidget:
        from plugins.operators.ui.loader import load_operators
        from plugins.operators.ui.pane import OperatorsPane

        return OperatorsPane(load_operators(path, job=JOB, **OPERATORS))

    def memory(path: Path) -> QWidget:
        from plugins.memory.ui.loader import load_memory
        from plugins.memory.ui.pane import MemoryPane

        return MemoryPane(*load_memory(path, JOB), "MiB")

    return {"overview": overview, "steps": steps, "operators": operators, "memory": memory}


def open_all(paths: list[Path]) -> dict[str, dict[str, Opened | str]]:
    """Open every view of every profile; what cannot be opened tells why.

    The sample of the program is opened first, and kernels are loaded as the program does when it
    opens a project, as the program is warm when a view is opened. The first picture counts, and
    nothing is kept from one view to the next.
    """
    app = application()
    load_kernels(JOB)
    warm = resource("sample", "profiles", "rank0_ascend_pt")
    found: dict[str, dict[str, Opened | str]] = {}
    for name, make in views().items():
        _open(app, make, warm)
        for path in paths:
            found.setdefault(str(path), {})[name] = _open(app, make, path)
    return found


def _open(app: Any, make: Callable[[Path], QWidget], path: Path) -> Opened | str:
    from studio.kernel.errors import StudioError
    from studio.perf.opened import open_profiles

    open_profiles().forget()
    begin, used = time.perf_counter(), time.process_time()
    try:
        widget = make(path)
    except (StudioError, ValueError) as error:
        return str(error)[:60]
    widget.resize(1400, 800)
    widget.grab()
    found = Opened(time.perf_counter() - begin, time.process_time() - used)
    widget.deleteLater()
    app.processEvents()
    return found


def first_operators(path: Path) -> str:
    """Operators view: the first rows on the screen."""
    from plugins.operators.ui.loader import load_first
    from plugins.operators.ui.pane import OperatorsPane

    return _first(lambda: load_first(path, job=JOB, **OPERATORS)[0], OperatorsPane)


def first_memory(path: Path) -> str:
    """Memory view: the first picture on the screen."""
    from plugins.memory.ui.loader import load_first
    from plugins.memory.ui.pane import MemoryPane

    return _first(lambda: load_first(path, JOB)[0], lambda read: MemoryPane(*read, "MiB"))


def _first(read: Callable[[], Any], show: Callable[[Any], QWidget]) -> str:
    app = application()
    read()  # the program is warm when a view is opened: this one imports and takes the kernels
    begin, used = time.perf_counter(), time.process_time()
    widget = show(read())
    widget.resize(1400, 800)
    widget.grab()
    wall, spent = time.perf_counter() - begin, time.process_time() - used
    widget.deleteLater()
    app.processEvents()
    return f"warm {wall:.2f} s, {spent:.2f} s of processor"


def all_operators(path: Path) -> str:
    """Operators view: all read by type; then its rows scrolled and sorted."""
    app = application()
    pane: Any = views()["operators"](path)
    pane.resize(1400, 800)
    pane.select_row(0)
    while not pane.idle():
        app.processEvents()
    table = pane.occurrences
    bar = table.view.verticalScrollBar()
    rows, begin = table.model.total(), time.perf_counter()
    table.sort_by("duration_ns", descending=True)
    while not table.idle():
        app.processEvents()
    sorting = time.perf_counter() - begin
    frames = _frames(pane, lambda n: bar.setValue(bar.maximum() * n // _FRAMES))
    pane.deleteLater()
    app.processEvents()
    return f"sort of {rows:,} rows {sorting:.2f} s, frames of scrolling {frames}"


def all_memory(path: Path) -> str:
    """Memory view: all read; then the curves zoomed and moved."""
    app = application()
    pane: Any = views()["memory"](path)
    pane.resize(1400, 800)
    pane.grab()
    start, end = pane.chart.bounds()

    def move(number: int) -> None:
        width = max((end - start) >> (number // 4), 1000)
        at = start + (end - start - width) * (number % 4) // 4
        pane.chart.show_times(at, at + width)

    frames = _frames(pane, move)
    records = pane.memory.records
    pane.deleteLater()
    app.processEvents()
    return f"{records:,} records, frames of zooming {frames}"


def _frames(widget: Any, move: Callable[[int], object]) -> str:
    spent = []
    for number in range(_FRAMES):
        begin = time.thread_time()
        move(number)
        widget.grab()
        spent.append((time.thread_time() - begin) * 1e3)
    return f"{np.median(spent):.0f} ms, at most {max(spent):.0f} ms"
