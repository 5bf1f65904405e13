"""Arranging lanes: pinned, hidden, moved, filtered, folded; and where they are on the screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from plugins.timeline.ui.arrangement import Arrangement, arrange, arrangement_of
from plugins.timeline.ui.lanes import Lanes
from plugins.timeline.ui.layout import GAP, HEADING, PINNED_EDGE, ROW, Group, Track
from plugins.timeline.ui.pointer import tracks_between

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


def track(key: str, first_row: int, rows: int = 1, words: str = "") -> Track:
    return Track("slices", first_row, key, key.upper(), first_row, rows, words)


GROUPS = (
    Group("p", "Python", "CPU", (track("a", 0, 2, "cpu_op"), track("b", 2))),
    Group("h", "Ascend Hardware", "NPU", (track("c", 3), track("d", 4), track("e", 5, 20))),
)


@pytest.fixture
def lanes(qtbot: QtBot) -> Lanes:
    made = Lanes(GROUPS, set(), set())
    made.resize(400)
    return made


def order(lanes: Lanes) -> list[str]:
    return [band.key for band in lanes.layout.bands]


# -- arranging ------------------------------------------------------------------------------------
def test_pinned_tracks_come_first_in_the_order_of_pinning(lanes: Lanes) -> None:
    lanes.pin("d", True)
    lanes.pin("a", True)
    assert order(lanes) == ["d", "a", "p", "b", "h", "c", "e"]
    pinned = lanes.layout.bands[0]
    assert (pinned.title, pinned.top) == ("Ascend Hardware · D", 0)
    assert lanes.sticky == ROW + GAP + 2 * ROW + GAP + PINNED_EDGE
    lanes.pin("d", False)
    assert order(lanes) == ["a", "p", "b", "h", "c", "d", "e"]


def test_pinned_lanes_stay_while_the_others_scroll(lanes: Lanes) -> None:
    lanes.pin("c", True)
    lanes.resize(120)
    lanes.scroll_to(60)
    assert lanes.at(5).key == "c"
    assert lanes.y(lanes.layout.bands[0]) == 0
    under = lanes.at(lanes.sticky + 1)
    assert under is not None
    assert under.top <= lanes.sticky + 1 + 60 < under.bottom
    shown = list(lanes.shown())
    assert shown[-1].key == "c"
    assert all(band.bottom > lanes.scroll + lanes.sticky for band in shown[:-1])


def test_pinned_lanes_that_would_fill_the_view_scroll_along(lanes: Lanes) -> None:
    lanes.pin("e", True)
    lanes.resize(200)
    assert lanes.sticky == 0
    lanes.scroll_to(50)
    assert lanes.y(lanes.layout.bands[0]) == -50


def test_hidden_lanes_are_counted_and_come_back(lanes: Lanes) -> None:
    lanes.hide(["b", "h"])
    assert order(lanes) == ["p", "a"]
    assert lanes.arranged.hidden == 4
    lanes.show_hidden()
    assert order(lanes) == ["p", "a", "b", "h", "c", "d", "e"]


def test_lanes_and_processes_move_among_their_like(lanes: Lanes) -> None:
    lanes.move("e", "c")
    assert order(lanes)[3:] == ["h", "e", "c", "d"]
    lanes.move("h", "p")
    assert order(lanes) == ["h", "e", "c", "d", "p", "a", "b"]
    lanes.move("e", "")
    assert order(lanes)[:4] == ["h", "c", "d", "e"]
    band = lanes.layout.band_of("d")
    assert band is not None
    lanes.step(band, False)
    assert order(lanes)[:4] == ["h", "d", "c", "e"]
    lanes.reset()
    assert order(lanes) == ["p", "a", "b", "h", "c", "d", "e"]


def test_a_filter_needs_all_words_and_opens_folded_processes(lanes: Lanes) -> None:
    lanes.fold_all(True)
    assert order(lanes) == ["p", "h"]
    lanes.filter("hardware D")
    assert order(lanes) == ["h", "c", "d", "e"]
    lanes.filter("CPU_op")
    assert order(lanes) == ["p", "a"]
    lanes.fold(["p"], True)
    assert order(lanes) == ["p"]
    lanes.filter("")
    assert order(lanes) == ["p", "h"]


def test_going_to_a_row_brings_its_lane_back(lanes: Lanes) -> None:
    lanes.fold_all(True)
    lanes.hide(["h"])
    lanes.filter("python")
    lanes.resize(200)
    lanes.show_row(23)
    band = lanes.layout.band_of_row(23)
    assert band is not None
    assert band.key == "e"
    assert lanes.sticky <= lanes.row_y(band, 23) <= 200 - ROW
    assert lanes.arrangement.text == ""
    assert lanes.at(lanes.row_y(band, 23)) is band
    assert lanes.row_at(lanes.row_y(band, 23)) == 23


def test_an_arrangement_survives_being_kept() -> None:
    made = Arrangement().pin("a", True).hide(["c"]).move(GROUPS, "h", "p").move(GROUPS, "d", "c")
    again = arrangement_of(json.loads(json.dumps(made.values())))
    assert again == made
    assert arrange(GROUPS, again) == arrange(GROUPS, made)
    assert arrangement_of({"pinned": 3, "order": [], "hidden": None}) == Arrangement()


def test_keys_of_another_trace_do_no_harm() -> None:
    made = Arrangement(("x", "c"), frozenset({"y"}), {"": ("h", "z", "p"), "h": ("e", "c")})
    found = arrange(GROUPS, made)
    assert [g.key for g in found.groups] == ["h", "p"]
    assert [t.key for _, t in found.pinned] == ["c"]
    assert [t.key for t in found.groups[0].tracks] == ["e", "d"]


def test_dropping_finds_the_place_between_siblings(lanes: Lanes) -> None:
    by_key = {band.key: band for band in lanes.layout.bands}
    assert lanes.drop_before(by_key["e"], lanes.y(by_key["c"]) + 2) == "c"
    assert lanes.drop_before(by_key["c"], lanes.y(by_key["d"]) + ROW) == "e"
    assert lanes.drop_before(by_key["c"], 10_000) == ""
    assert lanes.drop_before(by_key["h"], 0) == "p"
    assert lanes.drop_before(by_key["p"], lanes.layout.height) == ""


# -- areas ----------------------------------------------------------------------------------------
def test_an_area_takes_the_tracks_it_touches(lanes: Lanes) -> None:
    y = {band.key: lanes.y(band) for band in lanes.layout.bands}
    assert tracks_between(lanes, y["b"] + 3, y["b"] + 9) == {"b"}
    assert tracks_between(lanes, y["c"] + 3, y["a"] + 3) == {"a", "b", "c"}
    assert tracks_between(lanes, y["h"] + 1, y["h"] + HEADING - 1) == {"c", "d", "e"}
    lanes.fold(["p"], True)
    assert tracks_between(lanes, 1, HEADING + HEADING + 2) == {"a", "b", "c"}
