"""What a timeline keeps: selection, areas, measuring, marks, views to come back to, steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF

from plugins.timeline.core.steps import find_steps
from plugins.timeline.ui.history import History
from plugins.timeline.ui.marks import Mark, Marks
from plugins.timeline.ui.measure import measure
from plugins.timeline.ui.scene import make_scene
from plugins.timeline.ui.snap import snapped
from plugins.timeline.ui.state import TimelineState
from plugins.timeline.ui.viewport import Viewport
from studio.trace import load
from studio.trace.statistics import covered

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui
US = 1000


def event(name: str, ts: float, dur: float, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, **more}


EVENTS = [
    event("ProfilerStep#7", 0, 500),
    event("ProfilerStep#8", 500, 400),
    event("a", 10, 100),
    event("b", 150, 50),
    event("inner", 20, 30),
    event("x", 100, 100, 2),
    event("y", 150, 100, 2),
    event("z", 400, 100, 2),
]


@pytest.fixture
def state(qtbot: QtBot, tmp_path: Path) -> TimelineState:
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(EVENTS))
    made = TimelineState(make_scene(load(path)))
    made.resize(1000, 400)
    made.set_view(Viewport(0, 0.0, 1000.0))
    return made


def index_of(state: TimelineState, name: str) -> int:
    trace = state.scene.trace
    return int(np.flatnonzero(trace.name == trace.names.index(name))[0])


# -- selection ------------------------------------------------------------------------------------
def test_a_selection_is_a_slice_or_a_stretch_of_some_lanes(state: TimelineState) -> None:
    state.select(3)
    keys = [track.key for group in state.scene.groups for track in group.tracks]
    state.select_range((0, 5), frozenset(keys[:1]))
    assert (state.selected, state.area_lanes()) == (-1, [0])
    state.select(2)
    assert (state.range, state.area, state.area_lanes()) == (None, None, None)
    state.select_range((0, 5))
    assert state.area_lanes() is None
    state.select_range(None, frozenset(keys))
    assert state.area is None


def test_measuring_needs_two_slices(state: TimelineState) -> None:
    a, b = index_of(state, "a"), index_of(state, "b")
    state.measure(b)
    assert state.measured == -1
    state.select(a)
    state.measure(a)
    assert state.measured == -1
    state.measure(b)
    assert state.measured == b
    found = measure(state.scene, b, a)
    assert (found.gap, found.between_starts, found.span) == (40 * US, 140 * US, 190 * US)
    assert "gap 40.000" in found.text()
    crossing = measure(state.scene, index_of(state, "x"), index_of(state, "y"))
    assert crossing.gap == -50 * US
    assert "overlap 50.000" in crossing.text()
    # one that lies inside another overlaps it as long as it lasts
    around = measure(state.scene, index_of(state, "inner"), a)
    assert (around.gap, around.between_starts, around.span) == (-30 * US, 10 * US, 100 * US)
    assert "overlap 30.000" in around.text()
    state.select(b)
    assert state.measured == -1


# -- time -----------------------------------------------------------------------------------------
def test_views_come_back_in_reverse(state: TimelineState) -> None:
    first = state.viewport
    state.go(state.around(0, 100 * US, 0.0))
    second = state.viewport
    state.go(state.around(50 * US, 60 * US, 0.0))
    state.go_back()
    assert state.viewport == second
    state.go_back()
    assert state.viewport == first
    state.go_back()
    assert state.viewport == first


def test_steps_of_one_movement_count_once() -> None:
    views = [Viewport(number, 0.0, 1.0) for number in range(5)]
    history = History(pause=60_000)
    for view in views[:3]:
        history.leave(view)
    assert history.back() == views[0]
    assert history.back() is None
    history = History(pause=0)
    for view in views[:3]:
        history.leave(view)
    assert [history.back() for _ in range(3)] == views[2::-1]


def test_times_snap_to_edges_nearby(state: TimelineState) -> None:
    row = state.scene.row_of(index_of(state, "z"))
    assert snapped(state, 403.0, row) == 400 * US
    assert snapped(state, 497.0, row) == 500 * US
    assert snapped(state, 450.0, row) == 450 * US
    assert snapped(state, 403.0) == 403 * US
    state.marks.toggle(700 * US, 700 * US)
    assert snapped(state, 703.0) == 700 * US
    assert snapped(state, 898.0) == 900 * US  # the end of the last step


def test_steps_are_found_once_each(state: TimelineState) -> None:
    steps = find_steps(state.scene.trace)
    assert [(s.number, s.start, s.end) for s in steps.all] == [
        (7, 0, 500 * US),
        (8, 500 * US, 900 * US),
    ]
    assert steps.edges == (0, 500 * US, 900 * US)
    found = steps.at(500 * US)
    assert found is not None
    assert found.number == 8
    assert steps.at(900 * US) is None


# -- how busy lanes are ---------------------------------------------------------------------------
@pytest.mark.parametrize(("start", "end"), [(0, 900), (30, 160), (160, 420), (600, 700), (5, 6)])
def test_busy_time_is_that_of_the_statistics(state: TimelineState, start: int, end: int) -> None:
    trace = state.scene.trace
    for lane in trace.lanes:
        expected = covered(trace, start * US, end * US, [lane.id])
        assert state.scene.utilisation.within(lane.id, start * US, end * US) == expected


def test_busy_time_of_real_lanes(shared: Path) -> None:
    folder = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    scene = make_scene(load(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"))
    start = scene.start + (scene.end - scene.start) // 3
    for lane in scene.trace.lanes:
        for end in (start + 1000, start + 50_000_000, scene.end):
            expected = covered(scene.trace, start, end, [lane.id])
            assert scene.utilisation.within(lane.id, start, end) == expected


# -- marks ----------------------------------------------------------------------------------------
def test_marks_toggle_stand_by_time_and_take_free_colours(qtbot: QtBot) -> None:
    marks = Marks()
    marks.toggle(50, 90)
    marks.toggle(10, 10)
    assert [(m.start, m.number, m.is_flag) for m in marks.all] == [(10, 2, True), (50, 1, False)]
    marks.toggle(50, 90)
    marks.toggle(70, 70)
    assert [m.number for m in marks.all] == [2, 1]
    marks.change(marks.all[0], name="start of step", number=5)
    assert marks.all[0] == Mark(10, 10, 5, "start of step")
    marks.remove(marks.all[0])
    assert len(marks.all) == 1
    with qtbot.waitSignal(marks.changed):
        marks.clear()


# -- fine screens ---------------------------------------------------------------------------------
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_frames_are_painted_in_pixels_of_the_screen(state: TimelineState, ratio: float) -> None:
    from plugins.timeline.ui.frame import make_frame

    state.set_view(Viewport(0, 0.0, 1000.0))
    frame = make_frame(state, ratio)
    assert frame.pixels.shape == (round(400 * ratio), round(1000 * ratio))
    assert frame.image.devicePixelRatio() == ratio
    band = state.lanes.layout.band_of_row(state.scene.row_of(index_of(state, "z")))
    assert band is not None
    line = frame.pixels[round((state.lanes.y(band) + 9) * ratio)]
    fill = state.palette.fills[int(state.scene.rows.slot[index_of(state, "z")])].rgb()
    places = np.flatnonzero(line == fill)
    # 400 to 500 µs at one µs per logical pixel; the first column of a slice is darker
    assert places.min() - 1 == round(400 * ratio)
    assert places.max() + 1 == round(500 * ratio)


def test_a_selection_tells_its_length_beside_the_name_of_a_step(state: TimelineState) -> None:
    from plugins.timeline.ui.labels import label_font
    from plugins.timeline.ui.rulerpaint import mark_box, step_names, tag_box

    metrics = QFontMetricsF(label_font())
    (seven, name), (eight, _) = step_names(state, metrics)
    assert (seven.left(), name) == (6, "step 7")
    assert eight.left() == 506
    # in the middle it would lie on the name
    beside = tag_box(state, metrics, "120 µs", 0.0, 120.0)
    assert not beside.intersects(seven)
    assert beside.right() <= 120 + beside.width() / 2
    # away from names it is in the middle
    assert tag_box(state, metrics, "200 µs", 200.0, 400.0).center().x() == 300
    # of a mark and a step it covers the step
    state.marks.toggle(100 * US, 100 * US)
    beside = tag_box(state, metrics, "120 µs", 0.0, 120.0)
    assert not beside.intersects(mark_box(state, state.marks.all[0]))


# -- rows that are painted ------------------------------------------------------------------------
def test_of_a_lane_of_many_rows_those_in_sight_are_painted(qtbot: QtBot, tmp_path: Path) -> None:
    from plugins.timeline.ui.frame import _rows_of

    path = tmp_path / "trace_view.json"
    crossing = [event(f"{number}", number, 1000) for number in range(300)]
    path.write_text(json.dumps([*crossing, event("other", 5, 10, 2)]))
    state = TimelineState(make_scene(load(path)))
    state.resize(1000, 400)
    state.lanes.low_rows(False)
    other = next(band for band in state.lanes.layout.bands if band.title == "Thread 2")
    for pinned in (False, True):
        state.lanes.pin(other.key, pinned)
        band = next(band for band in state.lanes.layout.bands if band.title == "Thread 1")
        for scroll in (0, 7, 18, 700, state.lanes.layout.height):
            state.lanes.scroll_to(scroll)
            clip = state.lanes.sticky
            expected = [
                (row, top)
                for row in range(band.track.first_row, band.track.first_row + 300)
                for top in (state.lanes.row_y(band, row),)
                if top + band.row_height > clip and top < 400
            ]
            assert 10 < len(expected) < 30
            strips = _rows_of(state, band, 1.5)
            assert [(strip.row, strip.logical_top) for strip in strips] == expected
            assert [strip.top for strip in strips] == [round(top * 1.5) for _, top in expected]


def test_a_folded_process_shows_what_runs_in_any_row_of_a_lane(
    qtbot: QtBot, tmp_path: Path
) -> None:
    """Of slices that cross, the longer one may stand in the second row."""
    from plugins.timeline.ui.frame import make_frame

    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps([event("a", 0, 100), event("b", 50, 550), event("c", 300, 100)]))
    state = TimelineState(make_scene(load(path)))
    state.resize(1000, 400)
    state.set_view(Viewport(0, 0.0, 1000.0))
    state.lanes.fold_all(True)
    frame = make_frame(state, 1.0)
    ground = frame.pixels[10, 900]
    busy = np.flatnonzero(frame.pixels[10] != ground)
    assert (busy.min(), busy.max(), busy.size) == (0, 599, 600)
