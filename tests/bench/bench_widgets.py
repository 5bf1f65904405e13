"""Print what frames of large tables and charts cost.

`python tests/bench/bench_widgets.py [--rows 1000000] [--points 10000000]`

A table of so many rows and eight columns is scrolled, sorted, filtered and grouped; a chart of four
curves of so many points each is moved and zoomed. A frame is the CPU time of the window's thread
from the move to the painted picture (1600 × 900 pixels).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication, QWidget

_FRAMES = 120


def _frames(widget: QWidget, move: Callable[[int], object]) -> tuple[float, float]:
    """Median and 95th percentile in ms of the CPU time of frames after each move."""
    spent = []
    for number in range(_FRAMES):
        begin = time.thread_time()
        move(number)
        widget.grab()
        spent.append((time.thread_time() - begin) * 1e3)
    return float(np.median(spent)), float(np.percentile(spent, 95))


def _print_frames(what: str, widget: QWidget, move: Callable[[int], object]) -> None:
    median, high = _frames(widget, move)
    print(f"{what:<44} {median:8.2f} {high:8.2f} ms   aim 16")


def _wait(app: QApplication, idle: Callable[[], bool]) -> float:
    begin = time.perf_counter()
    while not idle():
        app.processEvents()
        time.sleep(0.001)
    return time.perf_counter() - begin


def _table(app: QApplication, rows: int) -> None:
    import pandas as pd

    from studio.ui.table import Column, TableView

    random = np.random.default_rng(1)
    names = np.array([f"aclnnMatMul_{n}_MatMulV2" for n in range(5000)])
    frame = pd.DataFrame(
        {
            "name": pd.Categorical.from_codes(random.integers(0, 5000, rows), names),
            "start": np.cumsum(random.integers(1, 9_000_000_000_000, rows)),
            **{f"time{n}": random.integers(0, 10**9, rows) for n in range(3)},
            "size": random.integers(0, 1 << 36, rows),
            "share": random.random(rows),
            "ratio": np.where(random.random(rows) < 0.1, np.nan, random.random(rows)),
        }
    )
    columns = [
        Column("name", "Name", width=300),
        Column("start", "Start", "ms", "ns"),
        *(Column(f"time{n}", f"Time {n}", "µs", "ns", heat=True) for n in range(3)),
        Column("size", "Size", "MB", "bytes"),
        Column("share", "Share", kind="percent"),
        Column("ratio", "Ratio"),
    ]
    table = TableView()
    table.resize(1600, 900)
    table.set_data(frame, columns)
    table.show()
    _wait(app, table.idle)
    bar = table.view.verticalScrollBar()
    step = max(bar.maximum() // _FRAMES, 1)
    _print_frames(f"table of {rows:,} rows: scrolled", table, lambda n: bar.setValue(40 * n))
    _print_frames("  scrolled far", table, lambda n: bar.setValue(step * n))

    def took(what: str, begin: float) -> None:
        _wait(app, table.idle)
        print(f"  {what:<42} {(time.perf_counter() - begin) * 1e3:17.0f} ms   aim 1000")

    for what, key in (("text", "name"), ("numbers", "time1")):
        begin = time.perf_counter()
        table.sort_by(key, descending=True)
        took(f"sorted by {what}", begin)
    begin = time.perf_counter()
    table.filter.setText("MatMul_12")
    took("filtered by a word", begin)
    table.filter.setText("")
    table.arrange()
    _wait(app, table.idle)
    begin = time.perf_counter()
    table.group_by("name")
    took("grouped by 5,000 names", begin)
    table.open_groups(True)
    _print_frames("  all groups open, scrolled far", table, lambda n: bar.setValue(step * n))
    table.close()


def _chart(app: QApplication, points: int) -> None:
    from PySide6.QtGui import QColor

    from studio.ui.chart import Curve, LineChart
    from studio.ui.envelope import Envelope

    random = np.random.default_rng(2)
    curves, made = [], 0.0
    for number in range(4):
        times = np.cumsum(random.integers(1, 2000, points))
        values = np.abs(np.cumsum(random.normal(0, 1, points)))
        begin = time.perf_counter()
        envelope = Envelope(times, values)
        made += time.perf_counter() - begin
        curves.append(Curve(str(number), f"Curve {number}", envelope, QColor("red")))
    chart = LineChart(name="c")
    chart.resize(1600, 900)
    chart.set_curves(curves)
    chart.show()
    app.processEvents()
    start, end = chart.bounds()
    span = end - start

    def zoom(number: int) -> None:
        half = int(span / 2 * 0.93**number)
        chart.show_times(start + span // 3 - half, start + span // 3 + half)
        chart.redraw()

    def pan(number: int) -> None:
        chart.show_times(start + span * number // 200, start + span * (number + 60) // 200)
        chart.redraw()

    _print_frames(f"chart of 4 × {points:,} points: zoomed", chart, zoom)
    _print_frames("  moved", chart, pan)
    print(f"  {'prepared in a job':<42} {made * 1e3:17.0f} ms")
    chart.close()


def main() -> None:
    """Print the figures of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--points", type=int, default=10_000_000)
    wanted = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["STUDIO_HOME"] = tempfile.mkdtemp()
    from PySide6.QtWidgets import QApplication

    from studio.ui.theme import apply_theme, load_theme

    app = QApplication([])
    apply_theme(app, load_theme("dark"))
    print(f"{'':<44} {'median':>8} {'p95':>8}")
    _table(app, wanted.rows)
    _chart(app, wanted.points)


if __name__ == "__main__":
    main()
