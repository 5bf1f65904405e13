"""The overview in the window: what it says of the sample, and where its links lead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from plugins.overview.ui.figures import share_figure, share_parts
from studio.kernel.job_context import JobContext
from studio.model.findings import Finding, Severity
from studio.model.locations import Location
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def opened(window: MainWindow, path: Path, opener: str = "") -> Any:
    view: Any = window.open(path, opener, {})
    assert wait_idle(window)
    return view


@pytest.fixture
def view(window: MainWindow, profile: Path) -> Any:
    return opened(window, profile)


def test_a_profile_folder_opens_its_overview(view: Any, profile: Path) -> None:
    assert type(view).__name__ == "OverviewView"
    assert view.title() == "Overview · rank0_ascend_pt"
    assert view.tool_tip() == str(profile)
    assert "PyTorch" in view.counts.text()
    assert "2 training steps" in view.counts.text()


def test_the_cards_say_what_the_tables_say(view: Any) -> None:
    cards = view.pane.cards
    assert cards["steps"].value == "35.33 ms"  # the median of 35.536 235 and 35.120 267 ms
    shares = [cards[key].value for key in ("computing", "communication", "scheduling", "memory")]
    assert shares == ["63.6 %", "35.4 %", "1.1 %", "0.0 %"]
    assert cards["peak"].value == "2.826 GiB"  # 3 034 744 832 bytes
    assert "3\u2009034\u2009744\u2009832" in cards["peak"].toolTip()


def test_operators_and_gaps_are_listed_the_longest_first(view: Any) -> None:
    first = view.pane.operators.bars[0]
    assert (first.text, first.share) == ("MatMulV2", 1.0)
    assert first.value.split() == ["10.18", "ms", "22.7", "%"]
    assert view.pane.communication.bars[0].text == "hcom_allReduce_"
    assert view.pane.gaps.bars[0].value == "85.15 µs"


def test_the_doctor_tells_what_is_missing_and_what_that_costs(view: Any) -> None:
    text = view.pane.doctor.bar.text()
    assert "No performance counters were recorded." in text
    assert "what limits an operator" in text
    assert view.pane.doctor.details.isHidden()
    view.pane.doctor.bar.buttons()["Details"].click()
    assert not view.pane.doctor.details.isHidden()
    assert "Hide details" in view.pane.doctor.bar.buttons()


def test_a_gap_leads_to_the_timeline(window: MainWindow, view: Any) -> None:
    gap = view.pane.page.overview.gaps.iloc[0]
    view.pane.gaps.chosen.emit(0)
    assert wait_idle(window)
    timeline: Any = window.centre.active().view
    assert type(timeline).__name__ == "TimelineView"
    assert timeline.state.range == (int(gap["start_ns"]), int(gap["end_ns"]))


def test_cards_lead_to_the_other_views_by_mouse_and_key(window: MainWindow, view: Any) -> None:
    QTest.mouseClick(view.pane.cards["peak"], Qt.MouseButton.LeftButton)
    assert wait_idle(window)
    assert window.centre.active().opener.id == "memory.view"
    window.open(view.path, "", {})
    view.pane.cards["peak"].setFocus()
    QTest.keyClick(view.pane.cards["peak"], Qt.Key.Key_Space)
    assert wait_idle(window)
    assert window.centre.active().opener.id == "memory.view"


def test_another_rank_is_shown_in_place_and_restored(window: MainWindow, view: Any) -> None:
    assert [view.ranks.itemText(n) for n in range(view.ranks.count())] == ["rank 0", "rank 1"]
    view.ranks.activated.emit(1)
    assert wait_idle(window)
    assert view.title() == "Overview · rank1_ascend_pt"
    assert view.pane.page.profile.info.rank == 1
    state = view.save_state()
    view.load(view.path.with_name("rank0_ascend_pt"))
    assert wait_idle(window)
    view.restore_state(state)
    assert wait_idle(window)
    assert view.pane.page.profile.info.rank == 1


def test_one_step_is_shown_alone_and_all_again(window: MainWindow, view: Any) -> None:
    assert [view.steps.itemText(n) for n in range(view.steps.count())] == [
        "All steps", "step 10", "step 11",
    ]  # fmt: skip
    view.steps.setCurrentIndex(2)
    view.steps.activated.emit(2)
    assert wait_idle(window)
    overview = view.pane.page.overview
    assert view.pane.cards["steps"].value == "35.12 ms"
    assert overview.steps["step"].tolist() == [11]
    assert set(overview.gaps["step"].tolist()) == {11}
    assert int(overview.communication["count"].iloc[0]) == 4  # of 8 in both steps
    assert window.app.selection.value.step == 11
    view.steps.activated.emit(0)
    assert view.pane.cards["steps"].value == "35.33 ms"


def test_published_shares_stand_in_for_computed_ones(window: MainWindow, profile: Path) -> None:
    bare = profile.with_name("rank7_ascend_pt")
    (bare / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    for name in ("step_trace_time.csv", "memory_record.csv"):
        data = (profile / "ASCEND_PROFILER_OUTPUT" / name).read_bytes()
        (bare / "ASCEND_PROFILER_OUTPUT" / name).write_bytes(data)
    view = opened(window, bare, "overview.view")
    shares = view.pane.page.overview.shares
    assert shares.computing + shares.communication + shares.scheduling == pytest.approx(1)
    assert view.pane.cards["computing"].value != "–"
    assert "No operator was recorded" in " ".join(x.text() for x in view.findChildren(_label()))


def test_findings_of_others_are_listed_the_worst_first(window: MainWindow, view: Any) -> None:
    path = view.path / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
    place = Location.time(view.pane.page.trace, 1, 2)
    found = [
        Finding("a", "rule", Severity.HINT, "A hint", place),
        Finding("b", "rule", Severity.ERROR, "An error", Location("row", path), why="because"),
    ]
    window.app.studio("advisor").publish({path: found, view.path.parent / "x.py": found[:0]})
    assert [bar.text for bar in view.pane.findings.bars] == ["An error", "A hint"]
    view.pane.findings.chosen.emit(1)
    assert wait_idle(window)
    assert type(window.centre.active().view).__name__ == "TimelineView"


def test_every_button_says_what_it_does(view: Any) -> None:
    buttons = view.findChildren(QAbstractButton)
    assert len(buttons) > 8
    nameless = [
        b for b in buttons if b.isVisibleTo(view) and not (b.toolTip() and b.accessibleName())
    ]
    assert not nameless, [b.text() for b in nameless]


def test_a_folder_without_results_teaches(window: MainWindow, profile: Path) -> None:
    bare = profile.with_name("rank7_ascend_pt")
    bare.mkdir()
    view = opened(window, bare, "overview.view")
    words = " ".join(label.text() for label in view.findChildren(_label()))
    assert "rank7_ascend_pt" in words
    assert len(words) > 60


def _label() -> type:
    from PySide6.QtWidgets import QLabel

    return QLabel


def test_the_page_is_there_before_the_doctor_has_looked(window: MainWindow, profile: Path) -> None:
    from plugins.overview.ui.loader import examine_page, load_page
    from plugins.overview.ui.pane import OverviewPane

    job = JobContext(lambda _progress: None, lambda: False)
    page = load_page(profile, job)
    pane = OverviewPane(page)
    assert pane.cards["steps"].value == "35.33 ms"
    assert "Looking the profile over" in pane.doctor.bar._text.text()
    pane.deleteLater()
    assert len(examine_page(page, job).overview.diagnosis.remarks) == 1
    view = opened(window, profile, "overview.view")
    assert view.pane.page.examined
    assert "with 1 thing to know" in view.pane.doctor.bar._text.text()


def test_the_step_of_the_overview_is_that_of_all_views(window: MainWindow, profile: Path) -> None:
    operators: Any = window.open(profile, "operators.view", {})
    view: Any = window.open(profile, "overview.view", {})
    assert wait_idle(window)
    view.steps.setCurrentIndex(view.steps.findData(11))
    view.steps.activated.emit(view.steps.currentIndex())
    assert wait_idle(window)
    assert operators.pane.grouped.step == 11
    steps: Any = window.open(profile, "steps.view", {})
    assert wait_idle(window)
    assert steps.pane.loaded.names[steps.pane.row] == "11"


def test_the_overview_follows_the_step_of_other_views(window: MainWindow, profile: Path) -> None:
    view: Any = window.open(profile, "overview.view", {})
    operators: Any = window.open(profile, "operators.view", {})
    assert wait_idle(window)
    for step in (10, -1):
        operators.steps.setCurrentIndex(operators.steps.findData(step))
        operators.steps.activated.emit(operators.steps.currentIndex())
        assert wait_idle(window)
        assert view.pane.page.step == (step if step >= 0 else None)
        assert view.steps.currentData() == view.pane.page.step
    window.app.studio("timeline").select(item=view.pane.page.trace, step=11, start_ns=1, end_ns=2)
    assert wait_idle(window)
    assert view.pane.page.step == 11
    window.app.studio("timeline").select(item=view.pane.page.trace, step=None)
    assert wait_idle(window)
    assert view.pane.page.step == 11  # a slice says nothing of the step


def test_a_share_leads_to_all_it_is_made_of(window: MainWindow, profile: Path) -> None:
    view: Any = window.open(profile, "overview.view", {})
    assert wait_idle(window)
    view.steps.setCurrentIndex(view.steps.findData(11))
    view.steps.activated.emit(view.steps.currentIndex())
    assert wait_idle(window)
    shares = view.pane.page.overview.shares
    for share in ("computing", "communication", "scheduling", "memory"):
        view.pane.cards[share].click()
        assert wait_idle(window)
        steps = window.centre.active().view
        assert type(steps).__name__ == "StepsView"
        chosen = window.app.selection.value
        length = 0 if chosen.ranges is None else (chosen.ranges.end - chosen.ranges.start).sum()
        assert int(length) == round(getattr(shares, share) * shares.span_ns)
        assert chosen.step == 11


def test_a_second_click_on_a_card_selects_again(window: MainWindow, profile: Path) -> None:
    view = opened(window, profile)
    made = {}
    for share in ("computing", "steps"):
        view.pane.cards[share].click()
        assert wait_idle(window)
        made[share] = window.app.selection.value.ranges
    whole = made["steps"]
    assert len(whole.start) == 1
    assert whole.start[0] <= made["computing"].start[0]
    steps: Any = window.centre.active().view
    steps.pane.show_step(0, "not_overlapped")  # something else by now
    assert window.app.selection.value.ranges.extent() != whole.extent()
    view.pane.cards["steps"].click()
    assert wait_idle(window)
    assert window.centre.active().view is steps
    assert window.app.selection.value.ranges.extent() == whole.extent()


def test_a_gpu_trace_is_told_to_record_its_gpu() -> None:
    from plugins.overview.ui.pane import _no_operators

    assert "ProfilerActivity.CUDA" in _no_operators("Kineto trace")
    assert "ProfilerActivity.NPU" in _no_operators("text")


def test_copies_that_were_not_recorded_are_no_zero(view: Any) -> None:
    overview = view.pane.page.overview
    shares = replace(overview.shares, memory=None)
    assert share_figure(shares, "memory")[:2] == ("–", "not recorded")
    assert "memory" not in [part.key for part in share_parts(shares)]
