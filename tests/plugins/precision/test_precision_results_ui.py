"""A table of msprobe in the window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication

from plugins.precision.ui.results import ResultsView, make_view
from studio.app import App
from studio.i18n import set_language
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


def _open(app: App, qtbot: QtBot, path: Path) -> ResultsView:
    view = make_view(app.studio("precision"), path)
    assert isinstance(view, ResultsView)
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        app.jobs.pump()
        QCoreApplication.processEvents()
        if view.idle() and app.jobs.idle():
            return view
        time.sleep(0.002)
    pytest.fail("the view did not become idle")


def test_rows_sort_as_numbers_and_filter(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "compare_result_1.csv"
    path.write_text("NPU Name,Bench Name,Cosine\na,a,0.9\nb,N/A,unsupported\nc,c,1e-3\n")
    view = _open(app, qtbot, path)
    assert view.title() == "compare_result_1.csv"
    assert view.tool_tip().endswith("comparison of two dumps, 3 rows")
    view.table.sort_by("2")
    assert [int(row) for row in view.table.model.rows] == [2, 0, 1]
    view.table.filter.setText("N/A")
    assert "a" in view.table.copy()


def test_verdicts_have_icon_and_colour(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "compare_result_1.csv"
    rows = "a,a,1,pass\nb,b,0,error\nc,c,1,warning\nd,d,1,N/A\n"
    path.write_text("NPU Name,Bench Name,Cosine,Result\n" + rows)
    view = _open(app, qtbot, path)
    cells = view.table.model.cells(3, 0, 4)
    assert [(cell.icon, cell.token) for cell in cells] == [
        ("ok", "ok"), ("error", "error"), ("warn", "warn"), ("", ""),
    ]  # fmt: skip
    assert all(not cell.icon for cell in view.table.model.cells(0, 0, 4))


def test_a_header_alone_and_a_damaged_file(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    empty = tmp_path / "compare_result_1.csv"
    empty.write_text("NPU Name,Bench Name,Cosine\n")
    page = _open(app, qtbot, empty)._pages.currentWidget()
    assert isinstance(page, EmptyState)
    broken = tmp_path / "x.vis.db"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    page = _open(app, qtbot, broken)._pages.currentWidget()
    assert isinstance(page, EmptyState)
