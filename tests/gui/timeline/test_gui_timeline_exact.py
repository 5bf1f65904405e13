"""What the window shows, writes and sums up, against an independent reading of the file."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from studio.cli import main
from studio.ui.idle import wait_idle
from studio.ui.key_page import KeyPage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.gui
US = 1000
LANES = {(2, 7): "Stream 7", (2, 8): "Stream 8"}


def read_slices(path: Path) -> list[tuple[str, int, int, str]]:
    """Lane, start, duration (ns) and name of the slices of both streams, by time."""
    events = json.loads(path.read_text(), parse_float=Decimal)
    events = events["traceEvents"] if isinstance(events, dict) else events
    return sorted(
        (
            LANES[event["pid"], event["tid"]],
            int(Decimal(event["ts"]) * US),
            int(Decimal(event["dur"]) * US),
            event["name"],
        )
        for event in events
        if event["ph"] == "X" and (event["pid"], event["tid"]) in LANES
    )


def trace_of(hand: Any) -> Path:
    path: Path = hand.view.path
    return path


# -- what is written ------------------------------------------------------------------------------
def test_what_is_exported_opens_as_the_same_slices(
    hand: Any, open_trace: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "part.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: (str(out), ""))
    hand.select_streams()
    hand.window.app.commands.run("timeline.export_slices")
    hand.settle()
    # those of both streams that touch 1350 to 1550 µs, uncut
    wanted = [
        slice_
        for slice_ in read_slices(trace_of(hand))
        if slice_[1] < 1550 * US and slice_[1] + slice_[2] > 1350 * US
    ]
    assert len(wanted) == 3
    assert read_slices(out) == wanted
    again = open_trace(out)
    trace = again.view.scene.trace
    shown = sorted(
        (trace.lanes[lane].title, start, duration, trace.names[name])
        for lane, start, duration, name in zip(
            trace.lane.tolist(), trace.start.tolist(), trace.duration.tolist(),
            trace.name.tolist(), strict=True,
        )
    )  # fmt: skip
    assert shown == wanted
    first = trace.file.read(int(trace.source[again.index("MatMul")]))
    assert first["args"] == {"Task Type": "AI_CORE"}


def test_the_table_that_is_exported_is_that_of_the_command_line(
    hand: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, asked = tmp_path / "window.csv", tmp_path / "asked.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: (str(out), ""))
    hand.select_streams()
    hand.window.app.commands.run("timeline.export_slices")
    hand.settle()
    words = ["--from", "1350000", "--to", "1550000", "--lane", "Stream"]
    assert main(["trace", "convert", str(trace_of(hand)), str(asked), *words]) == 0
    assert out.read_text() == asked.read_text()
    assert len(out.read_text().splitlines()) == 4


def test_statistics_of_a_box_are_those_of_the_command_line(
    hand: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand.select_streams()
    table = hand.panel("details").range.table.model
    shown = {
        str(table.values[0].raw(row)): {v.column.key: v.raw(row) for v in table.values[1:]}
        for row in range(table.total())
    }
    capsys.readouterr()
    words = ["--from", "1350000", "--to", "1550000", "--lane", "Stream", "--json"]
    assert main(["trace", "stats", str(trace_of(hand)), *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["covered_ns"] == 200 * US
    assert {row["name"] for row in told["rows"]} == set(shown)
    compared = 0
    for row in told["rows"]:
        for key, value in shown[row["name"]].items():
            if key in row:
                assert row[key] == value, (row["name"], key)
                compared += 1
    assert compared >= 8


# -- what is painted ------------------------------------------------------------------------------
def test_slices_below_a_pixel_show_their_true_busy_share(
    own_window: Any, open_trace: Callable[..., Any]
) -> None:
    # thousands of slices per lane: a quarter, a half, nine tenths of the time, gaps of no rule
    path = own_window.app.project.root / "dense" / "trace_view.json"
    path.parent.mkdir()
    events, busy, clock = [], [], 0
    for number in range(12_000):
        period = 900 + (number * 7919) % 300
        duration = period * (25, 50, 90)[number * 3 // 12_000] // 100
        events.append((clock, duration))
        busy.append((clock, clock + duration))
        clock += period
    path.write_text(
        json.dumps(
            [
                {"ph": "X", "pid": 1, "tid": 1, "name": "MatMul", "cat": "kernel"}
                | {"ts": f"{ns // US}.{ns % US:03d}", "dur": duration / US}
                for ns, duration in events
            ]
        )
    )
    hand = open_trace(path)
    state, picture = hand.state, hand.picture()
    ratio = picture.devicePixelRatio()
    scale = state.viewport.scale / ratio
    y = round((hand.lane_y("Thread 1") + 2) * ratio)
    ground = QColor(state.palette.theme.colour("bg"))
    full = hand.view.colour_of(int(hand.view.scene.rows.slot[0]))
    channel = max(("red", "green", "blue"), key=lambda c: abs(_of(full, c) - _of(ground, c)))
    room = _of(full, channel) - _of(ground, channel)
    seen = []
    for column in range(40, picture.width() - 40, 17):
        left = state.viewport.start + state.viewport.fraction + column * scale
        if left < 0 or left + scale > clock:
            continue
        # what is busy at all is painted with three tenths of its colour at least
        weight = (_of(picture.pixelColor(column, y), channel) - _of(ground, channel)) / room
        covered = sum(
            max(min(end, left + scale) - max(start, left), 0.0)
            for start, end in busy
            if end > left and start < left + scale
        )
        seen.append(((weight - 0.3) / 0.7, covered / scale))
    assert len(seen) > 20
    assert min(true for _, true in seen) < 0.3
    assert max(true for _, true in seen) > 0.85
    for painted, true in seen:
        assert painted == pytest.approx(true, abs=0.05)


def _of(colour: QColor, channel: str) -> int:
    return int(getattr(colour, channel)())


def test_a_folded_process_of_counters_shows_their_course(hand: Any) -> None:
    lanes = hand.state.lanes
    band = next(b for b in lanes.layout.bands if b.title == "Process 4")
    assert band.folded, "a process without slices begins folded"
    hand.state.show_view(hand.state.around(1000 * US, 2000 * US, 0.0))
    picture, top = hand.picture(), lanes.y(band)
    ground = hand.state.palette.theme.colour("surface").rgb()

    def height(time: int) -> int:
        """How many pixels of the heading the counter takes at a time."""
        column = [picture.pixel(hand.x(time), y) for y in range(top + 2, top + band.height - 2)]
        return sum(pixel != ground for pixel in column)

    # 800 MHz, then 1650: half as high, then full
    assert height(1700) >= band.height - 7
    assert height(1200) == pytest.approx(height(1700) * 800 / 1650, abs=2)
    lanes.toggle(band)
    hand.settle()
    assert "AI Core Freq" in hand.titles()


# -- keys -----------------------------------------------------------------------------------------
def test_escape_stops_the_reading_of_a_trace(
    own_window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    from plugins.timeline.ui import loader

    begun, stopped = Event(), Event()

    def read(path: Path, colouring: str, job: Any) -> None:
        begun.set()
        try:
            while not stopped.wait(0.01):
                job.check()
        finally:
            stopped.set()

    monkeypatch.setattr(loader, "load_scene", read)
    root = own_window.app.project.root
    path = root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    view = own_window.open(path, "timeline.view", {})
    assert begun.wait(10)
    own_window.activateWindow()
    for _ in range(100):  # keys follow what is in front a moment later
        QTest.qWait(20)
        QTest.keyClick(own_window, Qt.Key.Key_Escape)
        if stopped.is_set():
            break
    assert stopped.is_set()
    assert wait_idle(own_window)
    assert view.pane is None
    assert view.idle()


def test_keys_of_the_timeline_stand_in_the_table_of_keys_and_can_be_changed(hand: Any) -> None:
    own_window = hand.window
    own_window.app.commands.run("studio.shortcuts")
    assert wait_idle(own_window)
    own_window.app.settings.set("studio.keys", ["timeline.clear = Ctrl+Alt+Q"])
    hand.settle()
    hand.select_streams()
    hand.key(Qt.Key.Key_Escape)
    assert hand.state.range is not None
    own_window.app.settings.reset("studio.keys")
    hand.settle()
    keys = own_window.app.commands.get("timeline.clear").command.keys
    assert tuple(keys) == ("Q", "Esc")
    hand.key(Qt.Key.Key_Escape)
    assert hand.state.range is None


def test_a_question_mark_shows_the_keys_of_the_timeline(hand: Any) -> None:
    hand.key(Qt.Key.Key_Question, Qt.KeyboardModifier.ShiftModifier)
    hand.settle()
    (page,) = hand.window.findChildren(KeyPage)
    top = page.tree.itemAt(QPoint(5, 5))
    assert top is page.tree.currentItem()
    assert top.text(0) == "Timeline"
    below = page.tree.itemBelow(top)
    assert below.data(0, Qt.ItemDataRole.UserRole).startswith("timeline.")


def test_a_box_drawn_by_the_pointer_zooms_and_backspace_returns(hand: Any) -> None:
    before = hand.state.viewport
    y = hand.lane_y("Stream 7")
    hand.drag(QPoint(hand.x(1350), y), QPoint(hand.x(1450), y + 4), Qt.KeyboardModifier.AltModifier)
    hand.settle()
    start, end = hand.state.shown()
    assert start == pytest.approx(1350 * US, abs=2 * before.scale)
    assert end == pytest.approx(1450 * US, abs=2 * before.scale)
    hand.key(Qt.Key.Key_Backspace)
    hand.settle()
    assert hand.state.viewport.start == before.start
    assert hand.state.viewport.scale == pytest.approx(before.scale)
