"""The memory view: curves, peaks, units, empty states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QApplication

from plugins.memory.core import load
from plugins.memory.ui.pane import MemoryPane
from plugins.memory.ui.writing import both_units, written
from studio.ui.envelope import Envelope
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
MIB = 1 << 20


def pane_of(path: Path, unit: str = "MiB") -> MemoryPane:
    memory = load(path)
    return MemoryPane(memory, [Envelope(c.times, c.values) for c in memory.curves], unit)


@pytest.fixture
def pane(qtbot: QtBot, cases: Path) -> Iterator[MemoryPane]:
    record = "A23-memory-curve-peaks-gaps-units/input/small/memory_record.csv"
    pane = pane_of(cases / record)
    qtbot.addWidget(pane)
    pane.resize(1000, 700)
    pane.show()
    settle(pane)
    yield pane
    pane.close()


def settle(pane: MemoryPane) -> None:
    for _ in range(30):
        QApplication.processEvents()
        if pane.idle():
            return


def column(pane: MemoryPane, key: str) -> list[Any]:
    model = pane.table.table.model
    values = next(v for v in model.values if v.column.key == key)
    return [values.shown(row) for row in range(model.total())]


def test_sizes_are_written_as_the_case_asks() -> None:
    assert both_units(77584 * MIB) == "77\u2009584.00 MiB (75.77 GiB)"
    assert written(77584 * MIB, "GiB") == "75.7656 GiB"
    assert written(4599.5 * MIB, "MiB") == "4\u2009599.500 MiB"


def test_the_peaks_stand_in_the_table(pane: MemoryPane) -> None:
    assert column(pane, "component") == ["PTA", "PTA", "GE", "GE", "APP"]
    assert column(pane, "peak")[0] == "77\u2009584.00"
    pane.unit.setCurrentText("GiB")
    assert column(pane, "peak")[0] == "75.765625"
    assert pane.table.table.model.headerData(3, _horizontal()) == "Peak (GiB)"


def _horizontal() -> Any:
    from PySide6.QtCore import Qt

    return Qt.Orientation.Horizontal


def test_the_allocated_peak_is_flagged(pane: MemoryPane) -> None:
    text = pane.chart._flag.toPlainText()
    assert text.startswith("PTA allocated  77\u2009584.000 MiB")


def test_small_components_are_hidden_at_first(pane: MemoryPane) -> None:
    assert pane.chips.off() == {"NPU:0|GE|allocated", "NPU:0|GE|reserved"}
    pane.chips.set_on("NPU:0|GE|allocated", True)
    shown = {drawn.curve.key for drawn in pane.chart.curves.shown()}
    assert "NPU:0|GE|allocated" in shown


def test_a_click_on_a_peak_shows_and_selects_it(pane: MemoryPane) -> None:
    chosen: list[object] = []
    pane.range_selected.connect(chosen.append)
    peak = pane.memory.peaks[0]
    pane.table.chosen.emit(peak)
    settle(pane)
    start, end = pane.chart.shown_times()
    assert start < peak.at_ns < end
    assert end - start < 10**6
    assert chosen == [(peak.at_ns, peak.at_ns + 1)]


def test_state_is_saved_and_restored(pane: MemoryPane, cases: Path) -> None:
    pane.show_peak()
    pane.unit.setCurrentText("GiB")
    pane.chips.set_on("NPU:0|APP|reserved", False)
    settle(pane)
    state = pane.save_state()
    other = pane_of(pane.memory.path)
    other.resize(1000, 700)
    other.restore_state(state)
    settle(other)
    assert other.save_state() == state
    other.deleteLater()


def test_the_unit_of_the_file_is_told(pane: MemoryPane) -> None:
    assert "MB in the file means MiB" in pane.counts.text()
    assert "80\u2009100.00 MiB (78.22 GiB)" in pane.counts.text()


def test_a_folder_without_record_teaches(window: MainWindow, profile: Path) -> None:
    output = profile / "ASCEND_PROFILER_OUTPUT"
    for file in output.iterdir():
        if file.name != "step_trace_time.csv":
            file.unlink()
    view: Any = window.open(profile, "memory.view", {})
    assert wait_idle(window)
    assert view.pane is None
    assert "profile_memory=True" in view._pages.currentWidget()._text.text()


def test_of_a_large_record_a_part_is_shown_until_all_is_read(
    window: MainWindow, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.perf import sample
    from studio.ui.bar import NoticeBar
    from studio.ui.readpages import ReadPages

    monkeypatch.setattr(sample, "LARGE_BYTES", 1 << 10)
    monkeypatch.setattr(sample, "_PLACES", 4)
    monkeypatch.setattr(sample, "_PLACE_BYTES", 1 << 10)
    shown: list[tuple[int, str]] = []
    show_page = ReadPages.show_page

    def seen(pages: ReadPages, page: Any) -> None:
        show_page(pages, page)
        bars, panes = page.findChildren(NoticeBar), page.findChildren(MemoryPane)
        if bars and panes:
            shown.append((panes[0].memory.records, bars[0].text()))

    monkeypatch.setattr(ReadPages, "show_page", seen)
    record = profile / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    rows = record.read_text(encoding="utf-8").count("\n") - 1
    view: Any = window.open(profile, "memory.view", {})
    assert wait_idle(window)
    ((few, told),) = shown
    assert 10 < few < rows
    assert "% of the records" in told
    assert view.pane.memory.records == rows
    assert view.details is not None


def test_the_pointer_is_shown_on_the_timeline_and_the_other_way_round(
    window: MainWindow, profile: Path
) -> None:
    memory: Any = window.open(profile, "memory.view", {})
    trace = profile / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    timeline: Any = window.open(trace, "timeline.view", {})
    assert wait_idle(window)
    start, end = memory.pane.chart.bounds()
    moment = (start + end) // 2
    memory.pane.chart.cursor_moved.emit(moment)
    assert timeline.state.pointed == moment
    shown = timeline.pane.canvas.grab().toImage()
    x = round(timeline.state.viewport.x(moment))
    if 2 <= x < timeline.state.width - 2:
        info = timeline.state.palette.colour("info")
        hues = [shown.pixelColor(near, 2).hue() for near in (x - 1, x, x + 1)]
        assert any(abs(hue - info.hue()) < 15 for hue in hues)
    memory.pane.chart.cursor_moved.emit(None)
    assert timeline.state.pointed is None
    line = memory.pane.chart._line
    timeline.state.hover(-1, moment + 5)
    assert line.isVisible()
    assert round(line.value()) + memory.pane.chart.origin == moment + 5
    timeline.state.hover(-1, None)
    assert not line.isVisible()
    other = profile.with_name("rank1_ascend_pt")
    window.app.studio("timeline").point(other, moment)
    assert not line.isVisible()


def test_a_sum_over_many_stretches_leaves_what_is_live_at_the_peak(
    window: MainWindow, profile: Path
) -> None:
    import numpy as np

    from studio.model.ranges import Ranges

    view: Any = window.open(profile, "memory.view", {})
    assert wait_idle(window)
    start, end = view.pane.chart.bounds()
    ranges = Ranges(np.array([start, end - 9]), np.array([start + 9, end]))
    window.app.studio("steps").select(item=profile, start_ns=start, end_ns=end, ranges=ranges)
    assert view.pane.chart.selected_range() == (start, end)
    assert view.details._at is None
    window.app.studio("steps").select(item=profile, start_ns=start, end_ns=start + 9, ranges=ranges)
    assert view.details._at == start
    assert wait_idle(window)
