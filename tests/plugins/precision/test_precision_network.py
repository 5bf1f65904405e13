"""The comparison along the network, and the view of dumps with calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF, Qt

from plugins.precision.core.network import overview, worst
from plugins.precision.core.result import Status
from plugins.precision.ui.source import short_source, split_source
from plugins.precision.ui.view import CompareView
from studio.app import App
from studio.i18n import set_language
from studio.paths import resource
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

SHAPE = [2, 2]


def tensor(norm: float) -> dict[str, object]:
    """A tensor of a statistics dump."""
    return {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": SHAPE,
        "Max": norm / 2,
        "Min": 0.0,
        "Mean": norm / 4,
        "Norm": norm,
        "requires_grad": False,
    }


def dump(folder: Path, file: Path, norms: dict[str, tuple[float, float]]) -> Path:
    """Write a dump of statistics with one module and a stack; norms are (input, output)."""
    rank = folder / "step0" / "rank"
    rank.mkdir(parents=True)
    data = {
        name: {"input_args": [tensor(one)], "input_kwargs": {}, "output": [tensor(two)]}
        for name, (one, two) in norms.items()
    }
    content = {"task": "statistics", "level": "mix", "dump_data_dir": None, "data": data}
    (rank / "dump.json").write_text(json.dumps(content))
    parents = {name: None if name.startswith("Module") else MODULE for name in norms}
    (rank / "construct.json").write_text(json.dumps(parents))
    frame = f"File {file}, line 2, in forward, \n x = torch.relu(x)"
    (rank / "stack.json").write_text(json.dumps({"0": [list(norms), [frame]]}))
    return folder


MODULE = "Module.layer.0.Block.forward.0"
BASE = {"Torch.relu.0.forward": (4.0, 2.0), "Torch.tanh.0.forward": (2.0, 1.0), MODULE: (4.0, 1.0)}


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    """Two dumps; the candidate's tanh deviates and a call is new."""
    source = tmp_path / "net.py"
    source.write_text("import torch\nx = torch.relu(x)\n")
    other = {
        "Torch.relu.0.forward": (4.0, 2.0),
        "Torch.abs.0.forward": (2.0, 2.0),
        "Torch.tanh.0.forward": (2.0, 1.5),
        MODULE: (4.0, 1.5),
    }
    return dump(tmp_path / "base", source, BASE), dump(tmp_path / "candidate", source, other)


def test_points_modules_and_added_errors(dumps: tuple[Path, Path]) -> None:
    found = overview(*dumps)
    calls = {point.call: point for point in found.points}
    assert calls["Torch.relu.0.forward"].error == 0
    tanh = calls["Torch.tanh.0.forward"]
    assert tanh.error == tanh.added == pytest.approx(0.5)
    assert tanh.module == "layer.0"
    assert found.result.rows[tanh.row].name == "Torch.tanh.0.forward.output.0"
    assert found.added[tanh.row] == pytest.approx(0.5)
    assert calls["Torch.abs.0.forward"].change.value == "inserted"
    layer = found.modules.children["layer"]
    assert layer.status is Status.DIFFERS
    assert found.modules.status is Status.DIFFERS
    assert layer.children["0"].deviating == 2
    assert found.modules.total == len(found.result.rows) == len(found.added)


def test_what_matters_most() -> None:
    assert worst([Status.OK, Status.SHAPE, Status.REVIEW]) is Status.SHAPE
    assert worst([]) is Status.EMPTY


def test_files_have_modules_by_name_and_what_came_before_explains_errors() -> None:
    folder = resource("sample", "dumps")
    found = overview(folder / "baseline", folder / "candidate")
    first = next(point for point in found.points if point.error)
    assert (first.call, first.added) == ("011_blocks.1.norm1", first.error)
    assert found.points[12].added == 0
    assert list(found.modules.children["blocks"].children) == ["0", "1", "2"]
    assert found.modules.children["blocks"].children["0"].deviating == 0


def test_source_lines() -> None:
    assert split_source("/srv/a:b/net.py:44") == ("/srv/a:b/net.py", 44)
    assert split_source("net.py") == ("net.py", 0)
    assert short_source("C:\\x\\net.py:3") == "net.py:3"


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


@pytest.fixture
def view(app: App, qtbot: QtBot, dumps: tuple[Path, Path]) -> CompareView:
    """Both dumps side by side."""
    made = CompareView(app.studio("precision"), dumps[1], str(dumps[0]))
    qtbot.addWidget(made)
    made.resize(1200, 600)
    made.show()
    settle(app, made)
    return made


def names(view: CompareView) -> list[str]:
    """The values as listed."""
    model = view.table.model
    return [str(model.index(row, 1).data()) for row in range(model.rowCount())]


def selected(view: CompareView) -> str:
    """The value that is selected."""
    return names(view)[view.table.view.currentIndex().row()]


@pytest.mark.gui
def test_the_diagnosis_is_said_and_its_operator_selected(view: CompareView) -> None:
    text = view.headline.text()
    assert ">Torch.tanh.0.forward</a> in Module.layer.0.Block.forward.0" in text
    assert "Inserted calls: Torch.abs.0.forward" in text
    assert selected(view) == "Torch.tanh.0.forward.output.0"


@pytest.mark.gui
def test_filters_by_change_and_by_module(view: CompareView) -> None:
    everything = len(names(view))
    view.status.setCurrentIndex(view.status.findText("inserted"))
    assert {name.rsplit(".", 2)[0] for name in names(view)} == {"Torch.abs.0.forward"}
    view.status.setCurrentIndex(view.status.findText("Deviating"))
    assert "Torch.tanh.0.forward.output.0" in names(view)
    assert len(names(view)) == 2
    view.status.setCurrentIndex(0)
    tree = view.pane.tree
    top = tree.topLevelItem(0)
    assert top is not None
    assert (top.text(0), top.text(1)) == ("Whole network", "2")
    tree.setCurrentItem(top.child(0))
    assert tree.chosen() == "layer"
    assert len(names(view)) == everything


@pytest.mark.gui
def test_a_click_on_the_ribbon_selects_the_call(view: CompareView, qtbot: QtBot) -> None:
    ribbon = view.pane.ribbon
    assert ribbon.marked() is not None
    view.status.setCurrentIndex(view.status.findText("Deviating"))
    place = QPointF(ribbon.place_of(0), 40).toPoint()
    qtbot.mouseClick(ribbon, Qt.MouseButton.LeftButton, pos=place)
    assert selected(view).startswith("Torch.relu.0.forward")
    qtbot.keyClick(ribbon, Qt.Key.Key_Right)
    qtbot.keyClick(ribbon, Qt.Key.Key_End)
    assert selected(view).startswith(MODULE)
    assert "Relative error" in ribbon.tip(0)


@pytest.mark.gui
def test_a_click_on_a_point_selects_its_call(view: CompareView, qtbot: QtBot) -> None:
    view.show_scatter(True)
    scatter = view.pane.scatter
    qtbot.waitUntil(lambda: scatter.height() > 100)
    point = next(p for p in view.pane.found.overview.points if p.error)  # type: ignore[union-attr]
    view.table.select_row(0)
    where = scatter.place_of(point).toPoint()
    qtbot.mouseClick(scatter, Qt.MouseButton.LeftButton, pos=where)
    assert selected(view).startswith(("Torch.tanh", MODULE))
    assert view.save_state()["scatter"] is True


@pytest.mark.gui
def test_the_source_line_is_revealed(
    app: App, view: CompareView, dumps: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.open_project(dumps[0].parent, live=False)
    shown: list[object] = []
    monkeypatch.setattr(type(app), "reveal", lambda _, place: shown.append(place) or True)
    view.pane.show_source()
    [place] = shown
    assert (place.path, place.line) == (dumps[0].parent / "net.py", 2)  # type: ignore[attr-defined]
