"""Explorer, problems and jobs in the real window."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from studio.kernel.job import JobState
from studio.model.findings import Finding, Severity
from studio.model.locations import Location
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.explorer.ui.panel import Explorer
    from plugins.problems.ui.panel import Problems
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def explorer(window: MainWindow) -> Explorer:
    panel = window.show_panel("explorer.panel")
    assert wait_idle(window)
    return panel


def names(panel: Explorer, parent: QModelIndex | None = None) -> list[str]:
    at = parent or QModelIndex()
    return [panel.tree.index(row, 0, at).data() for row in range(panel.tree.rowCount(at))]


def wait_until(window: MainWindow, condition, seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        wait_idle(window, 0.2)


# -- explorer -------------------------------------------------------------------------------------
def test_files_and_recognised_items_are_listed(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    panel = explorer(window)
    assert names(panel) == ["config", "model.py", "README.md", "train.py"]
    found = {group.line.text: group.line.badge[0] for group in panel.items_model.groups}
    assert found["Scripts"] == "2"
    assert found["Configurations"] == "2"


def test_a_folder_opens_with_the_keyboard_and_a_file_by_double_click(
    window: MainWindow, project: Path
) -> None:
    window.projects.open(project)
    panel = explorer(window)
    panel.files.setCurrentIndex(panel.tree.index(0, 0))
    QTest.keyClick(panel.files, Qt.Key.Key_Right)
    wait_idle(window)
    assert names(panel, panel.tree.index(0, 0)) == ["base.yaml", "large.yaml"]
    place = panel.files.visualRect(panel.tree.index_of(project / "train.py")).center()
    view = panel.files.viewport()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place)
    wait_idle(window)
    assert window.centre.active().path == project / "train.py"


def test_changes_on_disk_arrive_and_open_folders_stay_open(
    window: MainWindow, project: Path
) -> None:
    window.projects.open(project)
    panel = explorer(window)
    config = panel.tree.index(0, 0)
    panel.files.expand(config)
    wait_idle(window)
    (project / "eval.py").write_text("print(1)\n", encoding="utf-8")
    (project / "README.md").unlink()
    (project / "config" / "tiny.yaml").write_text("steps: 1\n", encoding="utf-8")
    wait_until(window, lambda: "eval.py" in names(panel))
    wait_until(window, lambda: "tiny.yaml" in names(panel, panel.tree.index(0, 0)))
    assert names(panel) == ["config", "eval.py", "model.py", "train.py"]
    assert panel.files.isExpanded(panel.tree.index(0, 0))
    wait_until(window, lambda: len(window.app.project.items_of("script")) == 3)


def test_the_file_in_front_is_selected_in_its_folder(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    panel = explorer(window)
    window.open(project / "config" / "large.yaml", "", {})
    wait_idle(window)
    assert panel.files.currentIndex().data() == "large.yaml"
    assert panel.files.isExpanded(panel.tree.index(0, 0))


def test_a_filter_finds_files_in_closed_folders(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    panel = explorer(window)
    panel.filter.setText("yaml lar")
    wait_idle(window)
    rows = [name for group in panel.matches_model.groups for name in group.rows]
    assert rows == ["config/large.yaml"]
    QTest.keyClick(panel.filter, Qt.Key.Key_Return)
    wait_idle(window)
    assert window.centre.active().path == project / "config" / "large.yaml"
    panel.filter.setText("model")
    QTest.keyClick(panel.filter, Qt.Key.Key_Return)  # before the list shows what fits this
    wait_idle(window)
    assert window.centre.active().path == project / "model.py"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_and_locked_folders_are_marked(window: MainWindow, project: Path) -> None:
    (project / "up").symlink_to(project, target_is_directory=True)
    (project / "lost").symlink_to(project / "nowhere")
    window.projects.open(project)
    panel = explorer(window)
    up, lost = (panel.tree.index_of(project / name) for name in ("up", "lost"))
    assert not panel.tree.hasChildren(up)
    assert "leads back to itself" in up.data(Qt.ItemDataRole.ToolTipRole)
    assert "leads nowhere" in lost.data(Qt.ItemDataRole.ToolTipRole)


def test_a_folder_of_a_hundred_thousand_files_stays_fluid(
    window: MainWindow, project: Path
) -> None:
    many = project / "many"
    many.mkdir()
    for number in range(100_000):
        os.close(os.open(many / f"sample_{number}.bin", os.O_CREAT | os.O_WRONLY))
    window.projects.open(project)
    panel = explorer(window)
    index = panel.tree.index_of(many)
    panel.files.expand(index)
    assert wait_idle(window, 60)
    index = panel.tree.index_of(many)
    assert panel.tree.rowCount(index) == 100_000
    assert panel.tree.index(10, 0, index).data() == "sample_10.bin"  # in natural order
    panel.files.scrollToBottom()
    window.repaint()
    assert panel.files.indexAt(panel.files.viewport().rect().center()).isValid()


# -- problems -------------------------------------------------------------------------------------
def publish(window: MainWindow, project: Path) -> Problems:
    def finding(name: str, line: int, severity: Severity, title: str) -> Finding:
        where = Location.source(project / name, line, 1)
        return Finding(f"{name}:{line}", "cuda-call", severity, title, where, why="It needs a GPU.")

    per_file = {
        project / "train.py": [
            finding("train.py", 4, Severity.WARNING, "net.cuda() moves to a GPU"),
            finding("train.py", 1, Severity.INFO, "torch is imported"),
        ],
        project / "model.py": [finding("model.py", 2, Severity.ERROR, "cuda is defined")],
    }
    window.app.project.findings.replace("tests", per_file)
    panel = window.show_panel("problems.panel")
    assert wait_idle(window)
    return panel


def headings(panel: Problems) -> list[str]:
    return [group.line.text for group in panel.model.groups]


def test_problems_are_grouped_filtered_and_counted(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    wait_idle(window)
    panel = publish(window, project)
    assert headings(panel) == ["model.py", "train.py"]
    assert panel.toggles[Severity.WARNING].text() == "1 warning"
    panel.toggles[Severity.ERROR].click()
    assert headings(panel) == ["train.py"]
    panel.toggles[Severity.ERROR].click()
    panel.filter.setText("imported")
    wait_idle(window)
    assert [f.title for g in panel.model.groups for f in g.rows] == ["torch is imported"]
    panel.filter.clear()
    panel.grouping.setCurrentIndex(2)
    assert headings(panel) == ["Error", "Warning", "Info"]


def test_enter_on_a_problem_shows_its_line(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    wait_idle(window)
    panel = publish(window, project)
    panel.list.setCurrentIndex(panel.model.find("train.py:4"))
    shown = [label.text() for label in panel.details.findChildren(QLabel)]
    assert "It needs a GPU." in shown
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    wait_idle(window)
    assert window.centre.active().path == project / "train.py"


def test_next_problem_goes_round(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    wait_idle(window)
    panel = publish(window, project)
    seen = []
    for _ in range(4):
        window.actions_.run("problems.next")
        seen.append(panel.model.row_at(panel.list.currentIndex()).key)
    assert seen == ["model.py:2", "train.py:1", "train.py:4", "model.py:2"]


def test_files_with_problems_carry_a_badge(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    panel = explorer(window)
    publish(window, project)
    wait_idle(window)
    assert panel.tree.badges[project / "train.py"] == ("2", "warn")
    assert panel.tree.badges[project / "model.py"] == ("1", "error")


# -- jobs -----------------------------------------------------------------------------------------
JOB = """
import time
def work(job=None):
    job.report(0.25, "a quarter")
    job.log("began")
    while True:
        job.check()
        time.sleep(0.005)
"""


def test_a_long_job_shows_progress_and_can_be_cancelled(open_window, make_plugin) -> None:
    window = open_window(make_plugin("slow", "", core=JOB))
    studio = window.app.studio("slow")
    job = studio.start_job("slow:core.work", {}, title="Working slowly")
    status = window.status.jobs
    wait_until(window, lambda: status.isVisible() and status.bar.value() == 250)
    assert status.label.text() == "Working slowly"
    panel = window.show_panel("studio.jobs")
    panel.tree.setCurrentItem(panel.tree.topLevelItem(0))
    assert panel.tree.topLevelItem(0).text(1) == "running"
    assert panel.log.toPlainText() == "began"
    status.cancel.click()
    assert wait_idle(window)
    assert job.state is JobState.CANCELLED
    assert not status.isVisible()
    assert panel.tree.topLevelItem(0).text(1) == "cancelled"
