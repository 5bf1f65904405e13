"""The curves of training logs as a user sees them."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt

from plugins.losses.core.curves import read_logs, smooth
from plugins.losses.ui import Chosen, use_as_base
from plugins.losses.ui.polyline import polyline
from studio.paths import resource
from tests.plugins.losses.opening import log, open_project, opened
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.losses.ui.view import LossView
    from studio.app import App


@pytest.fixture
def view(app: App, qtbot: QtBot, cases: Path) -> LossView:
    """The two logs of different shape."""
    folder = cases / "A13-two-loss-logs" / "input"
    return opened(app, qtbot, folder / "npu_train.log", folder / "gpu_train.log")


def test_smoothing_is_unbiased_and_keeps_what_is_not_finite() -> None:
    assert smooth([2.0, 2.0, 2.0], 0.9) == pytest.approx([2.0, 2.0, 2.0])
    # Weights 0.5 and 0.25 of the last two values, divided by their sum.
    assert smooth([1.0, 4.0], 0.5) == pytest.approx([1.0, (0.5 * 4 + 0.25 * 1) / 0.75])
    shown = smooth([1.0, math.nan, 1.0], 0.5)
    assert math.isnan(shown[1])
    assert shown[2] == pytest.approx(1.0)


def test_lines_go_straight_from_step_to_step() -> None:
    line = polyline({1: 3.0, 5: 1.0, 9: 2.0})
    steps, values = line.points(4, 9, 100)
    assert steps.tolist() == [1, 5, 9]
    assert values.tolist() == [3.0, 1.0, 2.0]
    assert np.isnan(polyline({1: 1.0, 2: math.inf}).values[1])
    long = polyline({step: float(step == 700) for step in range(5000)})
    assert np.nanmax(long.points(0, 5000, 100)[1]) == 1.0


def test_the_loss_comes_first_among_the_series(cases: Path) -> None:
    logs = read_logs(cases / "A13-two-loss-logs" / "input" / "gpu_train.log")
    assert logs.series()[0] == "loss"
    assert logs.base is None


@pytest.mark.gui
def test_the_first_step_beyond_the_tolerance_is_said_and_marked(view: LossView) -> None:
    pane = view.pane
    assert pane is not None
    assert view.title() == "gpu_train.log ↔ npu_train.log"
    assert "First beyond the tolerance of 2 %" in pane.sentence.text()
    assert '<a href="8"' in pane.sentence.text()
    assert pane.charts.values.selected_range() == (8, 8)
    assert pane.table.selected_rows() == [7]
    assert pane.charts.errors.isVisible()
    assert "missing in candidate: 1" in pane.sentence.text()


@pytest.mark.gui
def test_another_tolerance_and_another_series(app: App, view: LossView) -> None:
    pane = view.pane
    assert pane is not None
    view.tolerance.setValue(0.6)
    assert '<a href="2"' in pane.sentence.text()
    view.series.setCurrentText("grad_norm")
    settle(app, view)
    assert pane.found is not None
    assert pane.found.series == "grad_norm"
    view._smooth.trigger()
    settle(app, view)
    titles = [drawn.curve.title for drawn in pane.charts.values.curves.shown()]
    assert "npu_train.log (smoothed)" in titles
    state = view.save_state()
    assert (state["series"], state["smooth"], state["tolerance"]) == ("grad_norm", True, 0.6)


@pytest.mark.gui
def test_both_charts_show_the_same_steps(app: App, view: LossView) -> None:
    pane = view.pane
    assert pane is not None
    pane.charts.values.show_times(3, 7)
    settle(app, view)
    assert pane.charts.errors.shown_times() == (3, 7)
    pane.charts.errors.show_times(2, 9)
    assert pane.charts.values.shown_times() == (2, 9)


@pytest.mark.gui
def test_f8_marks_the_first_step_again(view: LossView, qtbot: QtBot) -> None:
    pane = view.pane
    assert pane is not None
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    pane.select_step(2)
    pane.charts.values.setFocus()
    qtbot.keyClick(pane.charts.values, Qt.Key.Key_F8)
    assert pane.table.selected_rows() == [7]


@pytest.mark.gui
def test_the_sample_alone_and_its_line(
    app: App, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_project(app, resource("sample"))
    path = resource("sample", "logs", "train.log")
    assert app.project is not None
    assert path in [item.path for item in app.project.items_of("training_log")]
    view = opened(app, qtbot, path)
    pane = view.pane
    assert pane is not None
    assert pane.sentence.text().startswith("200 steps")
    assert "loss from 5.547 to 4.639" in pane.sentence.text()
    assert not pane.charts.errors.isVisible()
    assert view.title() == "train.log"
    shown: list[object] = []
    monkeypatch.setattr(type(app), "reveal", lambda _, place: shown.append(place) or True)
    pane.table.row_activated.emit(2)
    [place] = shown
    assert (place.path, place.line) == (path, 4)  # type: ignore[attr-defined]


@pytest.mark.gui
def test_the_base_is_chosen_from_the_list(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    for name, loss in (("a.log", 2.0), ("b.log", 3.0)):
        (tmp_path / name).write_text(f"step 1 loss: {loss}\nstep 2 loss: 1.0\n")
    open_project(app, tmp_path)
    view = opened(app, qtbot, tmp_path / "b.log")
    index = view.base.findText("a.log")
    view.base.setCurrentIndex(index)
    view.base.activated.emit(index)
    settle(app, view)
    assert view.pane is not None
    assert view.pane.found is not None
    assert view.pane.found.first_beyond == 1
    assert view.save_state()["base"] == str(tmp_path / "a.log")


@pytest.mark.gui
def test_a_remembered_base_serves_the_logs_opened_next(
    app: App, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text("step 1 loss: 2.0\n")
    studio = app.studio("losses")
    use_as_base(studio, tmp_path / "a.log")
    assert studio.shared(Chosen).base == tmp_path / "a.log"
    view = opened(app, qtbot, tmp_path / "b.log")
    assert view.title() == "a.log ↔ b.log"
    assert view.pane is not None
    assert "No step is beyond" in view.pane.sentence.text()


@pytest.mark.gui
def test_what_cannot_be_read_says_why(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("nothing here\n")
    view = opened(app, qtbot, tmp_path / "x.log")
    assert view.pane is None
    assert "no training log" in view._pages.currentWidget()._text.text()  # type: ignore[union-attr]


def test_runs_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        log(tmp_path / folder, "train.log", {1: 1.0})
    other = log(tmp_path, "z.log", {1: 1.0})
    logs = read_logs(tmp_path / "x/train.log", tmp_path / "y/train.log", others=[other])
    assert logs.labels() == {"base": "y/train.log", "candidate": "x/train.log", "run 1": "z.log"}


def event(step: int, **values: float) -> bytes:
    """A record of an event file, by hand: length, checksum, Event (event.proto), checksum."""
    summary = b""
    for tag, value in values.items():
        name = tag.encode()
        entry = b"\x0a" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
        summary += b"\x0a" + bytes([len(entry)]) + entry
    data = b"\x09" + struct.pack("<d", 1.0) + b"\x10" + bytes([step])
    if summary:
        data += b"\x2a" + bytes([len(summary)]) + summary
    return struct.pack("<QI", len(data), 0) + data + struct.pack("<I", 0)


@pytest.mark.parametrize(
    "name", ["events.out.tfevents.1700000000.host", "a.out.events.summary.1700000000.host_MS"]
)
def test_event_files_are_recognised_and_shown(
    app: App, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    records = [event(0), *(event(n, loss=4.0 / n, lr=0.5) for n in (1, 2, 4))]
    (tmp_path / name).write_bytes(b"".join(records))
    open_project(app, tmp_path)
    assert app.project is not None
    [item] = app.project.items_of("training_log")
    view = opened(app, qtbot, item.path)
    assert view.pane is not None
    assert view.pane.logs.candidate.series["loss"].latest() == {1: 4.0, 2: 2.0, 4: 1.0}


def test_tables_and_events_are_recognised_by_what_they_hold(tmp_path: Path) -> None:
    from plugins.losses.core.logs import is_training_log

    texts = {
        "a.csv": ("step,loss,lr\n1,2,3\n", True),
        "b.csv": ("Epoch;train_loss\n1;2\n", True),
        "c.csv": ("name,loss\nx,1\n", False),
        "d.csv": ("step,glossary\n1,2\n", False),
    }
    for name, (text, right) in texts.items():
        (tmp_path / name).write_text(text)
        assert is_training_log(tmp_path / name) is right, name


@pytest.mark.gui
def test_more_than_two_runs_are_compared_with_the_base(
    app: App, qtbot: QtBot, tmp_path: Path
) -> None:
    base = log(tmp_path, "base.log", {1: 2.0, 2: 2.0, 3: 2.0})
    near = log(tmp_path, "near.log", {1: 2.0, 2: 2.01, 3: 2.0})
    far = log(tmp_path, "far.log", {1: 2.0, 2: 2.0, 3: 3.0})
    third = log(tmp_path, "third.log", {1: 2.2, 3: 2.0})
    view = opened(app, qtbot, near, base)
    view.runs.add_runs(str(far), str(third))
    settle(app, view)
    pane = view.pane
    assert pane is not None
    assert pane.shown is not None
    assert [run.name for run in pane.shown.runs] == ["base.log", "near.log", "far.log", "third.log"]
    text = pane.sentence.text()
    assert "No step is beyond the tolerance of 2 %." in text
    assert 'far.log: beyond the tolerance first at <a href="3"' in text
    assert 'third.log: beyond the tolerance first at <a href="1"' in text
    errors = {values.column.key: values for values in pane.table.model.values}
    assert errors["run 1 error"].array.tolist() == [0.0, 0.0, 0.5]
    assert errors["run 2 error"].missing.tolist() == [False, True, False]
    assert errors["candidate error"].raw(1) == pytest.approx(0.005)
    colours = {drawn.curve.colour.name() for drawn in pane.charts.values.curves.shown()}
    assert len(colours) == 4
    state = view.save_state()
    assert state["others"] == [str(far), str(third)]
    view.runs.fill()
    [action] = [a for a in view.runs.actions() if a.text() == "Remove far.log"]
    action.trigger()
    settle(app, view)
    assert view.pane is not None
    assert view.pane.shown is not None
    assert [run.key for run in view.pane.shown.runs] == ["base", "candidate", "run 1"]
    view.restore_state(state)
    settle(app, view)
    assert view.runs.extra.others == (str(far), str(third))


@pytest.mark.gui
def test_other_texts_are_read_with_a_pattern(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("it#7 => L 2.5 G 0.1\nit#8 => L 2.0 G 0.2\n")
    view = opened(app, qtbot, path)
    assert view.pane is None
    view.runs.set_pattern(r"it#(?P<step>\d+) => L (?P<loss>\S+) G (?P<grad_norm>\S+)")
    settle(app, view)
    assert view.pane is not None
    assert view.pane.logs.candidate.series["grad_norm"].latest() == {7: 0.1, 8: 0.2}
    view.runs.set_pattern("(")
    settle(app, view)
    assert view.pane is None
    assert "no regular expression" in view._pages.currentWidget()._text.text()  # type: ignore[union-attr]


@pytest.mark.gui
def test_long_logs_are_prepared_in_a_job(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    base = log(tmp_path, "base.log", dict.fromkeys(range(5000), 2.0))
    other = log(tmp_path, "other.log", {step: 2.0 + (step == 4321) for step in range(5000)})
    view = opened(app, qtbot, other, base)
    assert view.pane is not None
    assert view.pane.found is not None
    assert view.pane.found.first_beyond == 4321
    assert view.pane.table.selected_rows() == [4321]
