"""Comparisons, tensors and curves in the real window: they open each other and leave nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from studio.paths import resource
from studio.ui.idle import wait_idle
from studio.ui.main import dress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The sample's dumps, a log that went on, a file of two tensors and a profile."""
    root = tmp_path / "work"
    shutil.copytree(resource("sample", "dumps"), root / "dumps")
    shutil.copytree(resource("sample", "profiles", "rank0_ascend_pt"), root / "rank0_ascend_pt")
    for name, loss in (("gpu.log", 2.0), ("npu.log", 2.1), ("npu2.log", 2.5)):
        text = "".join(f"step {step} loss: {loss - step / 100}\n" for step in range(1, 9))
        (root / name).write_text(text)
    np.savez(root / "weights.npz", a=np.ones((3, 3)), b=np.full((2, 2), np.nan))
    return root


def compared(window: MainWindow, project: Path) -> Any:
    """The comparison of the sample's dumps."""
    window.app.open_project(project)
    assert wait_idle(window)
    arguments = {"base": str(project / "dumps" / "baseline")}
    view = window.open(project / "dumps" / "candidate", "precision.compare", arguments)
    assert wait_idle(window)
    return view


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_views_survive_every_theme_and_leave_nothing(
    open_window: Callable[..., MainWindow], project: Path, language: str
) -> None:
    window = open_window(language=language)
    views = [compared(window, project)]
    window.app.commands.run("precision.show_tensors", {})
    assert wait_idle(window)
    views.append(window.centre.active().view)
    views.append(window.open(project / "npu.log", "", {"base": str(project / "gpu.log")}))
    views[-1].runs.add_runs(str(project / "npu2.log"))
    assert wait_idle(window)
    assert views[1].pane.details.worst.model.rowCount() == 200
    for theme in ("light", "contrast", "dark"):
        dress(window.app, theme)
        assert wait_idle(window)
        for view in views:
            assert not view.grab().isNull()
    while window.centre.pages():
        window.centre.close_page(window.centre.active())
    assert not window.notices.history


def test_tensors_of_the_next_row_are_shown_in_the_same_tab(
    open_window: Callable[..., MainWindow], project: Path
) -> None:
    window = open_window()
    view = compared(window, project)
    assert view.show_tensors()
    assert wait_idle(window)
    tensor = window.centre.active().view
    assert tensor.title() == "011_blocks.1.norm1"
    window.centre.activate(window.centre.page_of(view))
    view.step(1)
    window.app.commands.run("precision.show_tensors", {})
    assert wait_idle(window)
    assert window.centre.active().view is tensor
    assert tensor.title() == "012_blocks.1.attn.qkv"
    assert len(window.centre.pages()) == 2
    # The first elements of the file itself, read by NumPy alone.
    right = np.load(project / "dumps" / "candidate" / "012_blocks.1.attn.qkv.npy")
    assert np.array_equal(tensor.pane.maps.candidate.cells, right[0].astype(float))


def test_a_file_of_tensors_opens_as_one(
    open_window: Callable[..., MainWindow], project: Path
) -> None:
    window = open_window()
    window.app.open_project(project)
    assert wait_idle(window)
    view: Any = window.open(project / "weights.npz", "", {})
    assert wait_idle(window)
    assert view.members.count() == 2
    assert view.pane.maps.candidate.cells.tolist() == np.ones((3, 3)).tolist()


def test_closing_while_it_is_read_is_no_error(
    open_window: Callable[..., MainWindow], project: Path
) -> None:
    window = open_window()
    view = compared(window, project)
    view.show_tensors()
    window.centre.close_page(window.centre.active())
    window.open(project / "npu.log", "losses.view", {})
    window.centre.close_page(window.centre.active())
    window.app.commands.run("precision.show_tensors", {})
    assert wait_idle(window)
    window.centre.close_page(window.centre.active())
    assert not [n for n in window.notices.history if n.severity == "error"]
