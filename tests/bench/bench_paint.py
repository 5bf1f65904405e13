"""Prints what a frame of the timeline costs: CPU milliseconds per repaint, by zoom.

python tests/bench/bench_paint.py [SLICES] [ROWS]
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtWidgets import QApplication

from plugins.timeline.ui.canvas import Canvas
from plugins.timeline.ui.scene import make_scene
from plugins.timeline.ui.state import TimelineState
from studio.trace.store import Flows, Instants, Lane, Trace
from studio.ui.theme import apply_theme, load_theme

ZOOMS = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6)
FRAMES = 12
WIDTH, HEIGHT = 1400, 930


def dense_trace(slices: int, rows: int) -> Trace:
    """Make rows full of slices of 0.2 to 1.8 µs, one lane each."""
    per = slices // rows
    random = np.random.default_rng(3)
    duration = random.integers(200, 1800, (rows, per))
    gap = random.integers(0, 300, (rows, per))
    start = (np.cumsum(duration + gap, axis=1) - duration + 1695115378719541123).ravel()
    bounds = np.arange(rows + 1, dtype=np.int64) * per
    lanes = tuple(
        Lane(
            id=row, process="1", thread=str(row), title=f"Stream {row}",
            process_title="Ascend Hardware", first=int(bounds[row]), last=int(bounds[row + 1]),
            first_row=row,
        )
        for row in range(rows)
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
        lane=np.repeat(np.arange(rows, dtype=np.int32), per),
        depth=np.zeros(count, np.int32),
        source=np.arange(count, dtype=np.int64),
        open_ended=np.zeros(count, np.bool_),
        names=[f"aclnnMatmul_{number}_Operator" for number in range(1800)],
        categories=[""],
        lanes=lanes,
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


def main() -> None:
    """Measure and print."""
    slices = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    app = QApplication([])
    apply_theme(app, load_theme("dark"))
    before = time.process_time()
    scene = make_scene(dense_trace(slices, rows))
    print(f"{slices:,} slices in {rows} rows; scene made in {time.process_time() - before:.2f} s")
    state = TimelineState(scene)
    canvas = Canvas(state)
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    app.processEvents()
    frames: list[float] = []
    for zoom in ZOOMS:
        spent = measure(state, canvas, zoom)
        frames += spent[1:]
        print(f"  zoom {zoom:<8g} median {statistics.median(spent):6.2f} max {max(spent[1:]):6.2f}")
    frames.sort()
    print(f"  all: p95 {frames[int(len(frames) * 0.95)]:.2f} ms, max {frames[-1]:.2f} ms")


if __name__ == "__main__":
    main()
