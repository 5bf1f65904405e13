"""Compiled painting: the same picture as in numpy; of dense rows, nearly the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.timeline.ui import painting
from plugins.timeline.ui import rows as rows_module
from plugins.timeline.ui.classes import slots_by_kind
from plugins.timeline.ui.raster import SHARES, grid
from plugins.timeline.ui.rows import LEAST, Rows, build_rows, recolour, subset
from plugins.timeline.ui.utilisation import utilisation
from plugins.timeline.ui.viewport import Viewport
from studio.formats import engine
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from plugins.timeline.ui.raster import Grid

pytest.importorskip("numba")
pytestmark = [pytest.mark.gui, pytest.mark.slow]
EPOCH = 1742490378358140950


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine.CHOICE, "compiled")


def make(seed: int, counts: list[int], longest: int = 400, gaps: int = 200) -> tuple[Rows, Rows]:
    """Rows of random slices: for kernels, and for numpy."""
    random = np.random.default_rng(seed)
    starts, durations = [], []
    for count in counts:
        duration = random.integers(0, longest, count)
        starts.append(EPOCH + np.cumsum(duration + random.integers(0, gaps, count)) - duration)
        durations.append(duration)
    bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    start, duration = np.concatenate(starts), np.concatenate(durations).astype(np.int64)
    slot = (np.arange(start.size) % 120 + 1).astype(np.uint8)
    fast = build_rows(start, duration, slot, bounds[:-1], bounds[1:])
    assert fast.cells is not None
    longest_of = rows_module._longest(duration)
    return fast, Rows(start, duration, slot, fast.covered, longest_of, bounds[:-1], bounds[1:])


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_painted_as_in_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.integers(1, 300, 4).tolist()
    fast, plain = make(seed, counts)
    span = int((fast.start + fast.duration).max()) - EPOCH
    width = int(random.integers(5, 400))
    view = Viewport(
        EPOCH + int(random.integers(-50, span)),
        float(random.random()),
        max(span / width * float(random.uniform(0.001, 1.3)), 0.02),
    )
    columns = grid(view, width)
    numbers, edges = [3, 0, 2, 1], [True, False, True, True]
    one = painting.paint(fast, numbers, columns, edges)
    other = painting.paint(plain, numbers, columns, edges)
    assert np.allclose(one.shares, other.shares, atol=2e-5)
    assert np.array_equal(one.slots == 0, other.slots == 0)
    for number, row in enumerate(numbers):
        assert_longest_wins(fast, row, columns, one.slots[number])
    assert one.wide.tolist() == other.wide.tolist()
    assert one.row.tolist() == other.row.tolist()


def assert_longest_wins(rows: Rows, row: int, columns: Grid, slots: NDArray[np.uint8]) -> None:
    part = slice(int(rows.first[row]), int(rows.last[row]))
    left = (rows.start[part] - columns.start).astype(float)
    right = left + rows.duration[part]
    for column in np.flatnonzero(slots).tolist():
        low, high = columns.offsets[column : column + 2]
        inside = np.minimum(right, high) - np.maximum(left, low)
        inside[(left < low) & (right <= low)] = -1.0
        inside[left >= high] = -1.0
        winners = rows.slot[part][inside >= inside.max() - 1e-6]
        assert slots[column] in winners


@pytest.mark.parametrize("zoom", [1.0, 0.6, 0.3, 0.11])
def test_dense_rows_show_the_true_busy_share(zoom: float) -> None:
    fast, plain = make(7, [60_000, 20, LEAST * 3], longest=2000, gaps=3000)
    span = int((fast.start + fast.duration).max()) - EPOCH
    columns = grid(Viewport(EPOCH, 0.3, span * zoom / 700), 700)
    one = painting.paint(fast, [0, 1, 2], columns, [False] * 3)
    other = painting.paint(plain, [0, 1, 2], columns, [False] * 3)
    difference = np.abs(one.shares - other.shares)
    assert difference.mean() < 0.02
    assert np.percentile(difference, 99) < 0.12
    assert np.array_equal(one.slots[1], other.slots[1])


def test_a_long_slice_among_very_many_is_found_once() -> None:
    duration = np.full(200_000, 3)
    duration[90_000] = 60_000
    start = EPOCH + np.cumsum(duration + 1) - duration
    bounds = np.array([0, 200_000], np.int64)
    slot = np.ones(200_000, np.uint8)
    slot[90_000] = 9
    rows = build_rows(start, duration.astype(np.int64), slot, bounds[:1], bounds[1:])
    columns = grid(Viewport(EPOCH, 0.0, 1000.0), 900)
    drawn = painting.paint(rows, [0], columns, [True])
    assert drawn.wide.tolist() == [90_000]
    left = int((int(start[90_000]) - EPOCH) / 1000)
    assert (drawn.slots[0, left + 1 : left + 58] == 9).all()
    assert (drawn.slots[0, left + 63 : left + 300] == 1).all()


def test_colours_and_hits_are_painted_anew() -> None:
    fast, _ = make(3, [30_000])
    columns = grid(Viewport(EPOCH, 0.0, 60_000.0), 200)
    red = recolour(fast, np.full(30_000, 5, np.uint8))
    assert set(np.unique(painting.paint(red, [0], columns, [False]).slots)) <= {0, 5}
    hits = subset(red, np.array([4, 29_000]))
    drawn = painting.paint(hits, [0], columns, [False])
    assert np.count_nonzero(drawn.slots) <= 4
    assert np.count_nonzero(drawn.slots) >= 2


def test_shading_is_that_of_numpy() -> None:
    fast, _ = make(5, [500])
    table = np.random.default_rng(1).integers(0, 2**32, 256 * SHARES, np.uint32)
    drawn = painting.paint(fast, [0], grid(Viewport(EPOCH, 0.0, 200.0), 300), [True])
    one = painting.shade(drawn, table, compiled=True)
    assert np.array_equal(one, painting.shade(drawn, table, compiled=False))


def test_empty_and_outside_rows_stay_empty() -> None:
    fast, _ = make(1, [5, 5000])
    columns = grid(Viewport(EPOCH - 10_000_000, 0.0, 1.0), 100)
    drawn = painting.paint(fast, [0, 1], columns, [True, True])
    assert not drawn.slots.any()
    assert drawn.wide.size == 0
    empty = painting.paint(fast, [], columns, [])
    assert empty.slots.shape == (0, 100)
    painting.prepare(fast)


@pytest.mark.parametrize("seed", range(6))
def test_colours_and_busy_times_are_those_of_numpy(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(seed)
    names = ["hcom_allReduce_", "MatMul", "Notify Wait", "a.py(3): f", "nn.Module: A", "Memcpy"]
    events = [
        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": title}}
        for pid, title in enumerate(("Python", "Ascend Hardware", "HCCL", "Other"))
    ]
    for _ in range(400):
        # lanes 0 nest, lanes 1 cross
        crossing, start = bool(random.integers(2)), int(random.integers(500)) * 10
        events.append(
            {"ph": "X", "name": str(random.choice(names)), "pid": int(random.integers(4))}
            | {
                "tid": int(crossing),
                "ts": start,
                "dur": int(random.integers(300)) if crossing else 4,
            }
            | (
                {"cat": str(random.choice(["kernel", "cpu_op", "odd"]))}
                if random.integers(2)
                else {}
            )
        )
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    trace = load(path)
    compiled = slots_by_kind(trace), utilisation(trace)
    monkeypatch.setenv(engine.CHOICE, "portable")
    plain = slots_by_kind(trace), utilisation(trace)
    assert compiled[0].tolist() == plain[0].tolist()
    assert compiled[1].lanes.keys() == plain[1].lanes.keys()
    for lane, busy in compiled[1].lanes.items():
        other = plain[1].lanes[lane]
        assert (busy.start.tolist(), busy.end.tolist()) == (
            other.start.tolist(),
            other.end.tolist(),
        )


def test_who_wants_no_kernels_gets_none_however_many_slices_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "is_warm", lambda: True)
    monkeypatch.setenv(engine.CHOICE, "portable")
    start = np.arange(1_000_000)
    bounds = np.array([0, start.size])
    rows = build_rows(start, start * 0 + 1, np.ones(start.size, np.uint8), bounds[:1], bounds[1:])
    assert rows.cells is None
