"""Runs that were resumed and went on in another log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from plugins.losses.core.curves import read_logs
from studio.cli import main
from tests.plugins.losses.opening import log, opened
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from studio.app import App


def test_a_resumed_run_goes_on_in_another_file(tmp_path: Path) -> None:
    first = log(tmp_path, "a.log", {1: 5.0, 2: 4.0, 3: 3.9, 4: 3.8})
    later = log(tmp_path, "b.log", {3: 3.5, 4: 3.0, 5: 2.5})
    logs = read_logs(first, continued=[later])
    series = logs.candidate.series["loss"]
    assert series.latest() == {1: 5.0, 2: 4.0, 3: 3.5, 4: 3.0, 5: 2.5}
    assert series.repeated() == [3, 4]
    assert logs.line_of("loss", 4) == (later, 2)
    assert logs.line_of("loss", 2) == (first, 2)
    assert logs.line_of("loss", 9) is None
    assert read_logs(first).line_of("loss", 4) == (first, 4)


@pytest.mark.gui
def test_a_continuation_is_stitched_in_the_window(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    first = log(tmp_path, "a.log", {1: 5.0, 2: 4.0, 3: 3.9})
    later = log(tmp_path, "b.log", {3: 3.5, 4: 3.0})
    view = opened(app, qtbot, first)
    view.runs.go_on_with(str(later))
    settle(app, view)
    assert view.pane is not None
    assert "4 steps" in view.pane.sentence.text()
    assert "1 step was logged again after a resume" in view.pane.sentence.text()


def resumed(folder: Path, name: str, first: float, later: float) -> tuple[Path, Path]:
    """A run of steps 1 to 3 that was resumed at step 3 and logged 3 to 5 in another file."""
    one, two = folder / f"{name}.jsonl", folder / f"{name}_resumed.jsonl"
    for path, steps, loss in ((one, (1, 2, 3), first), (two, (3, 4, 5), later)):
        path.write_text("".join(f'{{"step": {s}, "loss": {loss}}}\n' for s in steps))
    return one, two


def test_both_sides_may_have_been_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, base_later = map(str, resumed(tmp_path, "base", 2.0, 1.0))
    other, later = map(str, resumed(tmp_path, "candidate", 2.0, 1.5))
    words = ["losses", "compare", base, other, "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["common_steps"] == 3
    assert main([*words, "--continued", later, "--base-continued", base_later]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["base"] for row in found["rows"]] == [2.0, 2.0, 1.0, 1.0, 1.0]
    assert [row["candidate"] for row in found["rows"]] == [2.0, 2.0, 1.5, 1.5, 1.5]
    assert found["repeated"] == {"base": [3], "candidate": [3]}
    assert found["first_step_beyond"] == 3


@pytest.mark.gui
def test_a_base_that_was_resumed_is_stitched_in_the_window(
    app: App, qtbot: QtBot, tmp_path: Path
) -> None:
    base, base_later = resumed(tmp_path, "base", 2.0, 1.0)
    other, later = resumed(tmp_path, "candidate", 2.0, 1.5)
    view = opened(app, qtbot, other, base)
    view.runs.go_on_with(str(later))
    view.runs.base_goes_on_with(str(base_later))
    settle(app, view)
    assert view.pane is not None
    assert view.pane.shown is not None
    assert view.pane.shown.found is not None
    assert view.pane.shown.found.first_beyond == 3
    assert [row.base for row in view.pane.shown.found.rows] == [2.0, 2.0, 1.0, 1.0, 1.0]
    again = opened(app, qtbot, other)
    again.restore_state(view.save_state())
    settle(app, again)
    assert again.runs.extra.base_continued == (str(base_later),)
    again.reopen(str(tmp_path / "candidate_resumed.jsonl"))
    settle(app, again)
    assert again.runs.extra.base_continued == ()
