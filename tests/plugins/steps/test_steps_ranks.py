"""Steps of all ranks in one view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def view(window: MainWindow, profile: Path) -> Any:
    view: Any = window.open(profile, "steps.view", {})
    assert wait_idle(window)
    view.pane.tabs.setCurrentIndex(3)
    assert wait_idle(window)
    return view


def published(profile: Path, column: str) -> list[int]:
    import pandas as pd

    table = pd.read_csv(profile / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv")
    return [round(value * 1000) for value in table[column].tolist()]


def test_cells_are_the_times_of_every_rank_and_step(
    window: MainWindow, view: Any, profile: Path
) -> None:
    page = view.all_ranks
    assert page.heat.rows == ("rank 0", "rank 1")
    assert page.heat.columns == ["10", "11"]
    page.part.setCurrentIndex(page.part.findData("computing_ns"))
    page.part.activated.emit(page.part.currentIndex())
    wanted = [
        published(path, "Computing") for path in (profile, profile.with_name("rank1_ascend_pt"))
    ]
    assert np.abs(page.heat.values - np.array(wanted)).max() <= 30  # published in rounded µs


def test_a_cell_chooses_its_bar_and_row_and_opens_the_rank(window: MainWindow, view: Any) -> None:
    page = view.all_ranks
    centre = page.heat.place_of(3).center().toPoint()
    QTest.mouseClick(page.heat, Qt.MouseButton.LeftButton, pos=centre)
    assert page.step == "11"
    assert page.bars.current == 1
    row = page.table.selected_rows()[0]
    assert (int(page.ranks.owner[row]), page.ranks.step_of(row)) == (1, "11")
    assert "Step 11" in page.told.text()
    QTest.keyClick(page.heat, Qt.Key.Key_Return)
    assert wait_idle(window)
    assert view.path.name == "rank1_ascend_pt"
    assert view.pane.loaded.names[view.pane.row] == "11"


def test_one_rank_alone_has_no_page_of_ranks(window: MainWindow, profile: Path) -> None:
    import shutil

    shutil.rmtree(profile.with_name("rank1_ascend_pt"))
    window.app.open_project(profile.parent)
    assert wait_idle(window)
    view: Any = window.open(profile, "steps.view", {})
    assert wait_idle(window)
    assert view.pane.tabs.count() == 3
