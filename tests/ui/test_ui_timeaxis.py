"""Ticks of time axes: round steps, exact labels."""

from __future__ import annotations

import pytest

from studio.ui.timeaxis import exact, in_unit, make_axis

pytestmark = pytest.mark.gui
EPOCH = 1742490378358140950


def labels(start: int, end: int, width: float = 1100, unit: str = "") -> list[str]:
    axis = make_axis(EPOCH, EPOCH + start, EPOCH + end, width, unit)
    return [axis.label(tick) for tick in axis.ticks(EPOCH + start, EPOCH + end)]


def test_milliseconds() -> None:
    assert labels(0, 40_000_000) == [f"{n} ms" for n in range(0, 41, 5)]


def test_the_unit_follows_the_step() -> None:
    assert labels(0, 9_000)[:3] == ["0 µs", "1 µs", "2 µs"]
    assert labels(0, 12_000_000_000)[1] == "2 s"
    assert labels(0, 40)[:3] == ["0 ns", "5 ns", "10 ns"]


def test_a_chosen_unit_holds() -> None:
    assert labels(0, 40_000_000, unit="µs")[1] == "5\u2009000 µs"
    assert labels(0, 9_000, unit="ms")[1] == "0.001 ms"


def test_deep_inside_labels_count_from_a_base() -> None:
    start = 148_786_100_003
    axis = make_axis(EPOCH, EPOCH + start, EPOCH + start + 50, 1100)
    ticks = list(axis.ticks(EPOCH + start, EPOCH + start + 50))
    assert [axis.label(tick) for tick in ticks][:2] == ["+5 ns", "+10 ns"]
    assert axis.base_label == "148.7861 s"
    assert axis.base + 5 == ticks[0]


def test_every_tick_is_a_multiple_of_the_step() -> None:
    for span in (3, 77, 1234, 98_765, 7_654_321, 10**10, 10**14):
        axis = make_axis(EPOCH, EPOCH + 17, EPOCH + 17 + span, 900)
        ticks = list(axis.ticks(EPOCH + 17, EPOCH + 17 + span))
        assert 1 <= len(ticks) <= 10
        assert all((tick - EPOCH) % axis.step == 0 for tick in ticks)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1 µs"),
        (148_786_100, "148.7861 ms"),
        (-3_866_828, "-3.866828 ms"),
        (61_000_000_001, "61.000000001 s"),
    ],
)
def test_exact_times(time: int, text: str) -> None:
    assert exact(time) == text


def test_units_are_exact_beyond_doubles() -> None:
    assert (
        in_unit(1742490378358140970, 1000, 3)
        == "1\u2009742\u2009490\u2009378\u2009358\u2009140.970"
    )
