"""Comparisons of many steps and ranks, with options, links to lines and findings, in the window."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QMenu

from plugins.precision.core import thresholds
from plugins.precision.core.network import overview
from plugins.precision.core.parts import summaries
from plugins.precision.core.result import Status
from plugins.precision.ui.options import Chosen, OptionsDialog
from plugins.precision.ui.prepared import CHANGED, DEVIATING, prepared
from plugins.precision.ui.view import CompareView
from studio.app import App
from studio.i18n import set_language
from studio.model.findings import Finding, Severity
from studio.model.locations import Location
from studio.tensors.standards import standard, standards
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

CALLS = ("Torch.relu.0.forward", "Torch.tanh.0.forward", "Torch.exp.0.forward")


def statistics(norm: float) -> dict[str, object]:
    """A tensor of a statistics dump."""
    return {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": [4],
        "Max": norm / 2,
        "Min": 0.0,
        "Mean": norm / 4,
        "Norm": norm,
        "requires_grad": False,
    }


def write(root: Path, step: int, rank: int, norms: list[float], source: Path) -> None:
    """Write one rank of one step; norms are those of the first input and of each output."""
    folder = root / f"step{step}" / f"rank{rank}"
    folder.mkdir(parents=True)
    data = {
        name: {
            "input_args": [statistics(norms[n])],
            "input_kwargs": {},
            "output": [statistics(norms[n + 1])],
        }
        for n, name in enumerate(CALLS)
    }
    content = {"task": "statistics", "level": "L1", "dump_data_dir": None, "data": data}
    (folder / "dump.json").write_text(json.dumps(content))
    stacks = {
        str(n): [[name], [f"File {source}, line {n + 2}, in forward, \n x"]]
        for n, name in enumerate(CALLS)
    }
    (folder / "stack.json").write_text(json.dumps(stacks))
    (folder / "construct.json").write_text(json.dumps(dict.fromkeys(CALLS)))


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two steps of three ranks; in step 1, rank 2 is off by half from the second call on."""
    source = tmp_path / "net.py"
    source.write_text("import torch\nrelu(x)\ntanh(x)\nexp(x)\n")
    for step in (0, 1):
        for rank in range(3):
            write(tmp_path / "base", step, rank, [4.0, 2.0, 1.0, 3.0], source)
            off = (step, rank) == (1, 2)
            norms = [4.0, 2.0, 1.5, 3.3] if off else [4.0, 2.0, 1.0, 3.0]
            write(tmp_path / "candidate", step, rank, norms, source)
    return tmp_path / "base", tmp_path / "candidate"


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


def shown(app: App, qtbot: QtBot, runs: tuple[Path, Path]) -> CompareView:
    """The comparison of both runs, in a project that holds them."""
    app.open_project(runs[0].parent, live=False)
    view = CompareView(app.studio("precision"), runs[1], str(runs[0]))
    qtbot.addWidget(view)
    view.resize(1200, 700)
    view.show()
    settle(app, view)
    return view


def test_steps_and_ranks_are_summed_up(runs: tuple[Path, Path]) -> None:
    found = overview(*runs)
    parts = summaries(found.result, found.diagnosis)
    assert [(p.step, p.rank) for p in parts] == [(s, r) for s in (0, 1) for r in range(3)]
    assert [p.status for p in parts] == [Status.OK] * 5 + [Status.DIFFERS]
    worst = parts[5]
    assert worst.error == pytest.approx(0.5)
    assert worst.first == "Torch.tanh.0.forward"
    assert (worst.total, worst.deviating) == (6, 3)


def test_filters_agree_with_the_rows(runs: tuple[Path, Path]) -> None:
    found = prepared(overview(*runs))
    label = found.parts[5].label
    rows = found.matching(DEVIATING, label, "")
    assert [found.rows[n].name for n in rows] == [
        "Torch.tanh.0.forward.output.0",
        "Torch.exp.0.forward.input.0",
        "Torch.exp.0.forward.output.0",
    ]
    assert len(found.matching("", label, "")) == 6
    assert len(found.matching("", "", "")) == 36
    assert len(found.matching(Status.OK.value, found.parts[0].label, "")) == 6
    assert len(found.matching(CHANGED, "", "")) == 0
    cells = found.cells_of(rows)
    names = next(values for values in cells if values.column.key == "name")
    assert [names.raw(n) for n in range(3)] == [found.rows[n].name for n in rows]


def test_own_tolerances_come_back_from_their_file(tmp_path: Path) -> None:
    for name, preset in standards().items():
        (tmp_path / name).mkdir()
        again = standard(str(thresholds.save(preset, tmp_path / name)))
        assert (again.types, again.ulp, again.apis) == (preset.types, preset.ulp, preset.apis)


@pytest.mark.gui
def test_a_click_on_the_map_shows_that_step_and_rank(
    app: App, qtbot: QtBot, runs: tuple[Path, Path]
) -> None:
    view = shown(app, qtbot, runs)
    parts = view.pane.parts
    assert parts.isVisible()
    assert view.pane.part.currentText() == "step 1, rank 2"
    assert "begins at Torch.tanh.0.forward" in parts.accessibleDescription()
    place = parts.rect_of(0, 1).center().toPoint()
    qtbot.mouseClick(parts, Qt.MouseButton.LeftButton, pos=place)
    assert view.pane.part.currentText() == "step 0, rank 1"
    assert view.table.model.rowCount() == 6
    parts.setFocus()
    qtbot.keyClick(parts, Qt.Key.Key_Down)
    qtbot.keyClick(parts, Qt.Key.Key_Right)
    assert view.pane.part.currentText() == "step 1, rank 2"


@pytest.mark.gui
def test_steps_and_ranks_are_named_in_the_language_of_the_window(
    app: App, qtbot: QtBot, runs: tuple[Path, Path]
) -> None:
    set_language("zh_CN")
    view = shown(app, qtbot, runs)
    assert view.pane.part.currentText() == "迭代 1，rank 2"
    assert view.pane.parts.accessibleDescription().startswith("迭代 1，rank 2")
    texts = [re.sub("<[^>]*>", "", label.text()) for label in view.findChildren(QLabel)]
    assert any("迭代 1，rank 2：" in text for text in texts)
    assert not any("step 1" in text for text in texts)


@pytest.mark.gui
def test_steps_ranks_and_lines_of_other_views_are_followed(
    app: App, qtbot: QtBot, runs: tuple[Path, Path]
) -> None:
    view = shown(app, qtbot, runs)
    source = runs[0].parent / "net.py"
    selection = app.selection.value
    assert (selection.step, selection.ranks) == (1, frozenset((2,)))
    assert selection.source == Location.source(source, 3)
    other = app.studio("other")
    other.select(step=0, ranks=frozenset((1,)), tensor=None, source=None)
    assert view.pane.part.currentText() == "step 0, rank 1"
    other.select(source=Location.source(source, 4), tensor=None)
    row = view.pane.selected_row()
    assert row is not None
    assert (row.name, row.part) == ("Torch.exp.0.forward.input.0", "step 1, rank 2")
    # The editor tells the line that a row led to: the row stays, and an old tensor counts no more.
    view.pane.select("Torch.exp.0.forward.output.0")
    editor = app.studio("editor")
    editor.select(source=Location.source(source, 4, 1))
    row = view.pane.selected_row()
    assert row is not None
    assert row.name == "Torch.exp.0.forward.output.0"
    editor.select(source=Location.source(source, 3, 1))
    row = view.pane.selected_row()
    assert row is not None
    assert row.call == "Torch.tanh.0.forward"


@pytest.mark.gui
def test_a_row_leads_to_what_was_found_about_its_line(
    app: App, qtbot: QtBot, runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = shown(app, qtbot, runs)
    source = runs[0].parent / "net.py"
    place = Location.source(source, 3)
    finding = Finding("k", "rule", Severity.WARNING, "tanh is not supported", place)
    app.studio("migration").publish({source: [finding]})
    places: list[Location] = []
    monkeypatch.setattr(type(app), "reveal", lambda _, where: places.append(where) or True)
    menu = QMenu()
    view.pane._menu(menu, view.table.selected_rows())
    [action] = [a for a in menu.actions() if "tanh is not supported" in a.text()]
    action.trigger()
    assert places == [place]
    assert app.selection.value.source == place
    menu.deleteLater()


@pytest.mark.gui
def test_the_dialog_edits_tolerances_and_remembers_them(
    app: App, qtbot: QtBot, runs: tuple[Path, Path]
) -> None:
    view = shown(app, qtbot, runs)
    dialog = OptionsDialog(view, view.chosen)
    qtbot.addWidget(dialog)
    assert dialog.preset.count() == 5
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    row = next(n for n in range(dialog.types.rowCount()) if dialog.types.text(n, 0) == "float32")
    dialog.types.item(row, 1).setText("-1")
    assert not ok.isEnabled()
    dialog.types.item(row, 1).setText("0.6")
    assert ok.isEnabled()
    assert dialog.preset.currentText() == "Own"
    dialog.apis.item(0, 0).setText("Torch.exp")
    assert not ok.isEnabled()
    dialog.apis.item(0, 1).setText("2")
    found = dialog.chosen()
    kept = standard(found.standard)
    assert kept.types["float32"].relative == 0.6
    assert kept.types["float32"].of_scale == standards()["studio"].types["float32"].of_scale
    assert kept.apis == {"exp": 2.0}
    view.set_options(found)
    settle(app, view)
    assert app.settings.get("precision.standard") == found.standard
    assert view.pane.found is not None
    assert not view.pane.found.deviates.any()
    again = OptionsDialog(view, view.chosen)
    qtbot.addWidget(again)
    assert again.preset.currentText() == "Own"
    assert again.apis.factors() == {"exp": 2.0}


@pytest.mark.gui
def test_the_noise_of_a_third_run_forgives(
    app: App, qtbot: QtBot, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    view = shown(app, qtbot, runs)
    noise = tmp_path / "third"
    source = tmp_path / "net.py"
    for step in (0, 1):
        for rank in range(3):
            write(noise, step, rank, [4.0, 2.0, 1.4, 3.2], source)
    dialog = OptionsDialog(view, view.chosen)
    qtbot.addWidget(dialog)
    dialog.noise.setText(str(tmp_path / "none"))
    assert "does not exist" in dialog.problem.text()
    dialog.noise.setText(str(noise))
    view.set_options(dialog.chosen())
    settle(app, view)
    assert view.pane.found is not None
    assert not view.pane.found.deviates.any()
    keys = [values.column.key for values in view.table.model.values]
    assert not view.table.view.isColumnHidden(keys.index("noise"))
    state = view.save_state()
    assert state["options"]["noise"] == str(noise)
    assert Chosen(**state["options"]) == view.chosen
    assert "Noise run" in view._options.toolTip()


@pytest.mark.gui
def test_a_mapping_file_pairs_calls_of_other_names(
    app: App, qtbot: QtBot, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    for path in runs[1].rglob("*.json"):
        path.write_text(path.read_text().replace("Torch.exp.0", "Custom.own.0"))
    mapping = tmp_path / "names.yaml"
    sides = ("output", "input")
    names = [(f"Custom.own.0.forward.{s}.0", f"Torch.exp.0.forward.{s}.0") for s in sides]
    mapping.write_text("".join(f"{one}: {two}\n" for one, two in names))
    view = shown(app, qtbot, runs)
    view.set_options(Chosen(mapping=str(mapping)))
    settle(app, view)
    assert view.pane.found is not None
    mapped = [row for row in view.pane.found.rows if row.change.value == "mapped"]
    assert {(row.candidate_name, row.base_name) for row in mapped} == set(names)
    assert view.status.findData("changed mapped") > 0
    view.status.setCurrentIndex(view.status.findData("changed mapped"))
    assert view.table.model.rowCount() == 2
    assert str(mapping) in view._options.toolTip()
    assert view._options.isChecked()
    # Dismissed, the dialog changes nothing, not even the button.
    view._options.trigger()
    assert view.options is not None
    assert view.options.isVisible()
    view.options.dialog.reject()
    assert view.options is None
    assert view.pane.isVisible()
    assert view._options.isChecked()
    assert view.chosen.mapping == str(mapping)
    view._options.trigger()
    assert view.options is not None
    view.options.dialog.mapping.clear()
    view.options.dialog.accept()
    settle(app, view)
    assert view.chosen.mapping == ""
    assert view.pane.isVisible()
    assert not view._options.isChecked()
