"""Prints what a frame of the timeline costs: CPU milliseconds per repaint, by zoom; and questions.

python tests/bench/bench_paint.py [SLICES] [plain]

Two pictures are painted, each at ten zooms: 50 rows of 18 px with names, and an overview of 200
rows of 4 px; by compiled kernels, or `plain`, as where numba is missing. What is aimed at with 10
million slices is p95 of 8 ms and of 16 ms per frame. Then what it costs to find the slice under the
pointer (aim 0.1 ms), to search 100,000 names as one types (10 ms), and to sort a list of a million
slices (1 s). Sums of a box are in `bench_trace.py`, what opening costs in `bench_view.py`.
"""

from __future__ import annotations

import importlib
import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtWidgets import QApplication

from plugins.timeline.core.part import Part
from plugins.timeline.ui.canvas import Canvas
from plugins.timeline.ui.navigation import nearest_slice
from plugins.timeline.ui.reading import make_table
from plugins.timeline.ui.scene import make_scene
from plugins.timeline.ui.slicespanel import columns
from plugins.timeline.ui.state import TimelineState
from studio.trace import query
from studio.trace.store import Flows, Instants, Lane, Trace
from studio.ui.theme import apply_theme, load_theme

if TYPE_CHECKING:
    from collections.abc import Callable

ZOOMS = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6)
FRAMES = 12
WIDTH, HEIGHT = 1400, 930


def dense_trace(slices: int, lanes: int, rows: int = 1) -> Trace:
    """Make lanes of some rows, each full of slices of 0.2 to 1.8 µs."""
    total = lanes * rows
    per = slices // total
    random = np.random.default_rng(3)
    duration = random.integers(200, 1800, (total, per))
    gap = random.integers(0, 300, (total, per))
    start = (np.cumsum(duration + gap, axis=1) - duration + 1695115378719541123).ravel()
    bounds = np.arange(total + 1, dtype=np.int64) * per
    places = tuple(
        Lane(
            id=lane, process="1", thread=str(lane), title=f"Stream {lane}", rows=rows,
            process_title="Ascend Hardware", first=int(bounds[lane * rows]),
            last=int(bounds[(lane + 1) * rows]), first_row=lane * rows,
        )
        for lane in range(lanes)
    )  # fmt: skip
    nothing = np.zeros(0, np.int64)
    none32, none16 = nothing.astype(np.int32), nothing.astype(np.int16)
    count = start.size
    return Trace(
        path=Path(__file__),
        start=start,
        duration=duration.ravel(),
        name=random.integers(0, 1800, count).astype(np.int32),
        category=np.zeros(count, np.int16),
        lane=np.repeat(np.arange(lanes, dtype=np.int32), rows * per),
        depth=np.tile(np.repeat(np.arange(rows, dtype=np.int32), per), lanes),
        source=np.arange(count, dtype=np.int64),
        open_ended=np.zeros(count, np.bool_),
        names=[f"aclnnMatmul_{number}_Operator" for number in range(1800)],
        categories=[""],
        lanes=places,
        row_bounds=bounds,
        counters=(),
        flows=Flows(none32, nothing, none32, nothing, nothing, none32, nothing),
        instants=Instants(nothing, none32, none16, none32, nothing),
        faults=(),
        start_ns=int(start.min()),
        end_ns=int(start.max()) + 2000,
        view_start_ns=int(start.min()),
        view_end_ns=int(start.max()) + 2000,
        events=count,
    )


def measure(state: TimelineState, canvas: Canvas, zoom: float) -> list[float]:
    """Repaint while panning and zooming a little; returns CPU milliseconds per frame."""
    span = state.scene.end - state.scene.start
    spent = []
    for frame in range(FRAMES):
        length = int(span * zoom * (1 + 0.02 * (frame % 4)))
        start = state.scene.start + int((span - length) * 0.37) + frame * length // 14
        state.viewport = state.around(start, start + max(length, 10), 0.0)
        state.view_changed.emit()
        before = time.process_time()
        canvas.repaint()
        spent.append((time.process_time() - before) * 1e3)
    return spent


def show(title: str, trace: Trace, low: bool, aim: float) -> None:
    """Paint one picture at all zooms, and print."""
    before = time.process_time()
    scene = make_scene(trace)
    made = time.process_time() - before
    state = TimelineState(scene)
    state.lanes.low_rows(low)
    canvas = Canvas(state)
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    QApplication.processEvents()
    rows = sum(band.height // band.row_height for band in state.lanes.shown() if band.track)
    print(f"{title}: {len(trace):,} slices, {rows} rows in view; scene made in {made:.2f} s")
    frames: list[float] = []
    for zoom in ZOOMS:
        spent = measure(state, canvas, zoom)
        frames += spent[1:]
        print(f"  zoom {zoom:<8g} median {statistics.median(spent):6.2f} max {max(spent[1:]):6.2f}")
    frames.sort()
    p95 = frames[int(len(frames) * 0.95)]
    print(f"  p95 {p95:.2f} ms (aim {aim:g}), median {statistics.median(frames):.2f} ms")
    canvas.close()


def spent(title: str, aim: str, times: int, ask: Callable[[int], object]) -> None:
    """Ask so many times, after once to warm up, and print the CPU time of one question."""
    ask(0)
    before = time.process_time()
    for number in range(times):
        ask(number)
    print(f"  {title}: {(time.process_time() - before) / times * 1e3:.3f} ms (aim {aim})")


def show_questions(trace: Trace) -> None:
    """Print what questions to a trace cost."""
    print(f"questions: {len(trace):,} slices")
    state = TimelineState(make_scene(trace))
    random = np.random.default_rng(1)
    places = random.integers(0, (WIDTH, HEIGHT), (1000, 2)).tolist()
    state.resize(WIDTH, HEIGHT)

    def hit(number: int) -> object:
        x, y = places[number]
        return nearest_slice(state, max(state.lanes.row_at(y), 0), x)

    spent("slice under the pointer", "0.1", 1000, hit)
    span = trace.end_ns - trace.start_ns
    names = [f"aclnn{number % 700}_Matmul_{number}_Operator" for number in range(100_000)]
    named = replace(trace, names=names)
    spent("search in 100,000 names", "10", 10, lambda number: query.search(named, f"mul_{number}"))
    part = Part(trace.start_ns, trace.start_ns + int(span * min(1, 4e6 / len(trace))), [0], None)
    table = make_table(trace, part, 0, columns())
    every = np.arange(table.indices.size)
    for values in table.columns[:4]:
        title = f"sort {every.size:,} rows by {values.column.key}"
        spent(title, "1000", 1, lambda _n, values=values: values.order(every, True))


def main() -> None:
    """Measure and print."""
    slices = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    if "plain" not in sys.argv:
        importlib.import_module("studio.formats.jit")
    app = QApplication([])
    apply_theme(app, load_theme("dark"))
    show("50 rows of 18 px", dense_trace(slices, 5, 10), low=False, aim=8)
    trace = dense_trace(slices, 4, 50)
    show("overview of 4 px", trace, low=True, aim=16)
    show_questions(trace)


if __name__ == "__main__":
    main()
