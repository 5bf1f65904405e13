"""Which slice a pixel means: the same whether few or many are looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.timeline.ui import navigation
from plugins.timeline.ui.scene import make_scene
from plugins.timeline.ui.state import TimelineState
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui
ROW, LEAST = 0, 3.0


@pytest.fixture
def state(qtbot: object, tmp_path: Path) -> TimelineState:
    """One row of slices of 0 to 5 µs, some side by side, some apart."""
    random = np.random.default_rng(5)
    events, time = [], 0
    for number in range(400):
        length = int(random.integers(0, 6))
        events.append({"ph": "X", "name": str(number), "pid": 1, "tid": 1, "ts": time})
        events[-1]["dur"] = length
        time += length + int(random.integers(0, 2)) * int(random.integers(1, 60))
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    return TimelineState(make_scene(load(path)))


@pytest.mark.parametrize("zoom", [1.0, 0.2, 0.01])
def test_few_and_many_are_hit_alike(
    state: TimelineState, zoom: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.set_view(state.viewport.zoomed(zoom, 300.0))
    places = np.random.default_rng(7).uniform(0, state.width, 300).tolist()
    monkeypatch.setattr(navigation, "_ONE_BY_ONE", 10**6)
    few = [navigation.nearest_slice(state, ROW, x) for x in places]
    monkeypatch.setattr(navigation, "_ONE_BY_ONE", 0)
    assert few == [navigation.nearest_slice(state, ROW, x) for x in places]


def test_the_closest_within_reach_is_meant(state: TimelineState) -> None:
    rows, view = state.scene.rows, state.viewport.zoomed(0.01, 300.0)
    state.set_view(view)
    for x in range(0, state.width, 7):
        found = navigation.nearest_slice(state, ROW, x)
        left = view.xs(rows.start)
        right = np.maximum(left + rows.duration / view.scale, left + 1.0)
        away = np.maximum(np.maximum(left - x, x - right), 0.0)
        if found < 0:
            assert away.min() > LEAST
        else:
            # a slice is drawn over whole pixels, so it may be hit up to one beside it
            assert away[found] <= min(away.min() + 1.0, LEAST)
