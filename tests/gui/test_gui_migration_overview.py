"""The overview, the grouped list, fixes in the editor and what is handed on, in the real window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QToolButton

from studio.ui.diff import Decision
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.migration.core.model import FileResult
    from plugins.migration.ui.bars import BarList
    from plugins.migration.ui.diffview import MigrationDiff
    from plugins.migration.ui.overview import Overview
    from plugins.migration.ui.panel import MigrationPanel
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

TRAIN = '''"""Train."""
import torch
from apex.optimizers import FusedAdam

net = torch.nn.Linear(4, 4).cuda()
x = torch.zeros(4, device="cuda")
torch.cuda.synchronize()
'''


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path) -> MainWindow:
    """The window on a project of two scripts and a requirements file."""
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "train.py").write_text(TRAIN)
    (root / "lib" / "run.py").write_bytes(b"import torch\r\nx = torch.ones(1).cuda()\r\n")
    (root / "requirements.txt").write_text("apex\n")
    (root / "plain.py").write_text("x = 1\n")
    window = open_window()
    window.app.open_project(root, live=False)
    return window


def overview(window: MainWindow) -> Overview:
    """Scan by command, which brings the overview."""
    window.actions_.run("migration.find")
    assert wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "Overview"
    return view


def panel(window: MainWindow) -> MigrationPanel:
    found: Any = window.show_panel("migration.panel")
    wait_idle(window)
    return found


def diff(window: MainWindow) -> MigrationDiff:
    wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "MigrationDiff"
    return view


def editor(window: MainWindow, file: str, line: int) -> Any:
    view: Any = window.open(window.app.project.root / file, "editor.text", {})
    wait_idle(window)
    view.edit.go_to(line)
    wait_idle(window)
    return view


def numbers(bars: BarList) -> dict[str, int]:
    return {bar.key: bar.number for bar in bars.bars()}


def click(bars: BarList, key: str) -> None:
    row = [bar.key for bar in bars.bars()].index(key)
    place = bars.rows.visualItemRect(bars.rows.item(row)).center()
    QTest.mouseClick(bars.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)


# -- the overview ----------------------------------------------------------------------------------
def test_the_overview_counts_what_was_found_in_every_way(window: MainWindow) -> None:
    view = overview(window)
    parts = view.breakdown
    assert numbers(parts.statuses) == {"auto": 6, "manual": 2}
    assert numbers(parts.categories) == {"device": 3, "library": 2, "import": 2, "api": 1}
    assert numbers(parts.by_hand) == {"library-manual": 2}
    assert numbers(parts.efforts) == {"hours": 2}
    assert numbers(parts.severities) == {"warning": 8}
    assert view.score.figure.text() == "75 %"
    assert "3 of 4 files" in view.counts.text()
    names = [view.files.files.index(n).data() for n in range(view.files.files.rowCount())]
    assert names[0] == "train.py"
    assert set(names) == {"train.py", "lib/run.py", "requirements.txt"}


def test_the_next_step_leads_from_accepting_to_applying(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.migration.ui.applying import ApplyDialog

    view = overview(window)
    assert view.score.button.text() == "Accept 4 safe changes"
    view.score.button.click()
    wait_idle(window)
    assert view.score.button.text() == "Apply 4 accepted changes…"
    monkeypatch.setattr(ApplyDialog, "exec", lambda _dialog: 1)
    view.score.button.click()
    wait_idle(window)
    assert ".npu()" in (window.app.project.root / "train.py").read_text()
    assert view.score.button.text() == "Show them"
    view.score.button.click()
    wait_idle(window)
    assert panel(window).filter.text() == "status:manual status:unsupported"


def test_a_bar_lists_what_it_counts_and_a_file_opens_its_comparison(window: MainWindow) -> None:
    view = overview(window)
    click(view.breakdown.categories, "device")
    wait_idle(window)
    found = panel(window)
    assert found.filter.text() == "category:device"
    assert sum(len(row.findings) for row in found.tree.list_model.rows()) == 3
    view.files.setCurrentIndex(view.files.files.index(0))
    QTest.keyClick(view.files, Qt.Key.Key_Return)
    assert diff(window).title() == "train.py ↔ migrated"


def test_the_drop_downs_judge_anew_and_the_strategy_is_remembered(window: MainWindow) -> None:
    view = overview(window)
    box = view.context.strategy
    box.setCurrentIndex(box.findData("shim"))
    box.activated.emit(box.currentIndex())
    wait_idle(window)
    assert view._review.strategy == "shim"
    torch = view.context.torch
    torch.setCurrentIndex(torch.findData("2.6"))
    torch.activated.emit(torch.currentIndex())
    wait_idle(window)
    assert window.app.project.context.values.torch_version == "2.6"
    assert panel(window).torch.currentData() == "2.6"
    root = window.app.project.root
    window.app.close_project()
    window.app.open_project(root, live=False)
    wait_idle(window)
    assert view._review.strategy == "shim"


def test_the_overview_of_an_unscanned_project_offers_a_scan(window: MainWindow) -> None:
    window.actions_.run("migration.overview")
    wait_idle(window)
    view: Any = window.app.window.active_view()
    assert view.empty.isVisibleTo(view)
    assert not view.counts.isVisibleTo(view)


def test_every_button_of_the_overview_has_a_tooltip(window: MainWindow) -> None:
    view = overview(window)
    for button in view.findChildren(QToolButton):
        if button.isVisibleTo(view):
            assert button.toolTip(), button
            assert button.accessibleName() or button.text(), button


# -- the list --------------------------------------------------------------------------------------
def test_the_list_is_grouped_by_rule_and_category(window: MainWindow) -> None:
    overview(window)
    found = panel(window)
    found.group("rule")
    keys = [row.key for row in found.tree.list_model.rows()]
    assert {"cuda-method", "device-string", "import-torch-npu"} <= set(keys)
    finding = found.tree.list_model.rows()[0].findings[-1]
    index = found.tree.list_model.place_of(finding, finding.location.path)
    assert found.tree.list_model.findings_at(index) == [finding]
    found.group("category")
    shown = [found.tree.list_model.index(n, 0).data() for n in range(2)]
    assert set(shown) == {"Devices", "Imports"}
    found.group("file")


def test_keys_step_through_what_is_undecided_and_show_similar_ones(window: MainWindow) -> None:
    overview(window)
    found = panel(window)
    tree, review = found.tree, found._review
    tree.take_focus()
    seen = []
    for _ in range(4):
        QTest.keyClick(tree, Qt.Key.Key_N)
        seen.append(tree.currentIndex().data())
        QTest.keyClick(tree, Qt.Key.Key_A)
    assert len(seen) == 4
    assert review.summary().open == 0
    QTest.keyClick(tree, Qt.Key.Key_N)
    method = next(f for f in review.findings(review.files()[0]) if f.rule == "cuda-method")
    tree.show_finding(method)
    QTest.keyClick(tree, Qt.Key.Key_S)
    wait_idle(window)
    assert found.filter.text() == "rule:cuda-method"
    assert [len(row.findings) for row in tree.list_model.rows()] == [1, 1]
    QTest.keyClick(tree, Qt.Key.Key_Escape)
    assert found.filter.text() == ""
    assert len(tree.list_model.rows()) == 3


# -- the reasons -----------------------------------------------------------------------------------
def test_the_reasons_stand_below_in_a_narrow_window_and_can_be_hidden(window: MainWindow) -> None:
    overview(window)
    window.actions_.run("migration.review")
    view = diff(window)
    assert view._split.orientation() is Qt.Orientation.Vertical
    window.resize(2200, 900)
    wait_idle(window)
    assert view._split.orientation() is Qt.Orientation.Horizontal
    QTest.keyClick(view.diff.left.area(), Qt.Key.Key_W)
    assert view.why.isHidden()
    assert window.app.settings.get("migration.show_why") is False
    QTest.keyClick(view.diff.left.area(), Qt.Key.Key_W)
    assert not view.why.isHidden()


def test_the_reason_leads_to_the_row_of_the_table(window: MainWindow) -> None:
    view = overview(window)
    review = view._review
    train = window.app.project.root / "train.py"
    finding = next(f for f in review.findings(train) if f.rule == "cuda-name")
    window.actions_.run("migration.show_diff", {"finding": finding})
    shown = diff(window)
    text = shown.why.text.toPlainText()
    assert "torch 2.8: supported" in text
    assert "open the row in cuda_names.csv" in text
    shown.why._follow(QUrl(f"row:{finding.key}"))
    wait_idle(window)
    opened: Any = window.app.window.active_view()
    assert opened.document.path.name == "cuda_names.csv"
    line = opened.edit.cursor_place()[0]
    assert opened.edit.line_text(line).startswith("torch.cuda.synchronize,")


def test_both_panes_go_to_a_place_without_a_change(window: MainWindow) -> None:
    path = window.app.project.root / "long.py"
    path.write_text(TRAIN + "y = 1\n" * 300 + "import apex\n")
    view = overview(window)
    finding = next(f for f in view._review.findings(path) if (f.location.line or 0) > 300)
    window.actions_.run("migration.show_diff", {"finding": finding})
    shown = diff(window)
    assert shown.diff.left.first_line() == shown.diff.right.first_line() > 200
    assert "What to do" in shown.why.text.toPlainText()
    lines = []
    for _ in range(2):
        QTest.keyClick(shown.diff.left.area(), Qt.Key.Key_N)
        lines.append(shown.diff.left_line())
    assert lines == [3, finding.location.line]


# -- fixes in the editor ---------------------------------------------------------------------------
def test_a_bulb_offers_the_change_of_the_line(window: MainWindow) -> None:
    overview(window)
    view = editor(window, "train.py", 1)
    assert view.bulb.isHidden()
    view.edit.go_to(5)
    wait_idle(window)
    assert not view.bulb.isHidden()
    menu = view.bulb.show_menu()
    assert isinstance(menu, QMenu)
    titles = {action.text(): action for action in menu.actions()}
    assert ".cuda() becomes .npu()" in titles
    titles["Make this change"].trigger()
    menu.close()
    wait_idle(window)
    text = view.edit.text()
    assert ".npu()" in text
    assert "import torch_npu" in text
    assert 'device="cuda"' in text
    assert (window.app.project.root / "train.py").read_text() == text
    assert len(window.app.project.history) == 1


def test_a_fix_by_key_takes_the_line_of_the_cursor_and_respects_unsaved_work(
    window: MainWindow,
) -> None:
    overview(window)
    view = editor(window, "train.py", 7)
    view.edit.replace(0, 0, "# mine\n")
    wait_idle(window)
    view.edit.go_to(8)
    window.actions_.run("migration.fix")
    wait_idle(window)
    assert view.edit.text().startswith("# mine\n")
    assert "torch.npu.synchronize()" in view.edit.text()
    assert view.is_dirty()
    assert (window.app.project.root / "train.py").read_text() == TRAIN


def test_a_line_that_needs_work_by_hand_is_told(window: MainWindow) -> None:
    overview(window)
    view = editor(window, "train.py", 3)
    assert view.bulb.isHidden()
    window.actions_.run("migration.fix")
    wait_idle(window)
    assert "by hand" in window.notices.history[-1].message
    view.edit.go_to(1)
    window.actions_.run("migration.fix")
    assert "no change here" in window.notices.history[-1].message
    assert view.edit.text() == TRAIN


# -- watching --------------------------------------------------------------------------------------
def test_files_are_scanned_again_when_they_change_unless_that_is_off(window: MainWindow) -> None:
    view = overview(window)
    plain = window.app.project.root / "plain.py"
    window.app.settings.set("migration.watch", False)
    plain.write_text("import torch\nx = torch.ones(1).cuda()\n")
    window.app.project.files_changed.emit(frozenset({plain}))
    wait_idle(window)
    assert plain not in view._review.files()
    window.app.settings.set("migration.watch", True)
    wait_idle(window)
    assert plain in view._review.files()
    assert "up to date" in view.counts.text()


def test_changed_rules_of_the_user_judge_everything_anew(window: MainWindow) -> None:
    view = overview(window)
    rules = window.app.project.root / "migration.toml"
    method = "rule:cuda-method"
    window.actions_.run("migration.list", {"filter": method})
    assert len(panel(window).tree.list_model.rows()) == 2
    rules.write_text('[[silence]]\nrule = "cuda-method"\n')
    window.app.project.files_changed.emit(frozenset({rules}))
    wait_idle(window)
    assert panel(window).tree.list_model.rows() == []
    train = window.app.project.root / "train.py"
    window.app.project.files_changed.emit(frozenset({train}))
    wait_idle(window)
    assert panel(window).tree.list_model.rows() == []
    rules.write_text("[[silence]]\nrule = 5\n")
    window.app.project.files_changed.emit(frozenset({rules}))
    wait_idle(window)
    assert "migration.toml" in view.problem.text()


# -- handing on ------------------------------------------------------------------------------------
def test_a_patch_and_a_copy_hold_what_was_accepted(window: MainWindow, tmp_path: Path) -> None:
    from plugins.migration.ui import exporting

    view = overview(window)
    studio = window.app.studio("migration")
    patch, copy = tmp_path / "npu.patch", tmp_path / "copy"
    exporting.export_patch(studio, patch)
    assert not patch.exists()
    train = window.app.project.root / "train.py"
    view._review.decide(view._review.findings(train), Decision.ACCEPTED)
    exporting.export_patch(studio, patch)
    assert b"+net = torch.nn.Linear(4, 4).npu()\n" in patch.read_bytes()
    assert b"run.py" not in patch.read_bytes()
    exporting.write_copy(studio, copy)
    wait_idle(window)
    assert "torch.npu.synchronize()" in (copy / "train.py").read_text()
    assert (copy / "lib" / "run.py").read_bytes() == b"import torch\r\nx = torch.ones(1).cuda()\r\n"
    assert train.read_text() == TRAIN
    assert window.app.project.history == []


def test_the_report_is_written_where_the_user_says(window: MainWindow, tmp_path: Path) -> None:
    from plugins.migration.ui import exporting

    overview(window)
    out = tmp_path / "report"
    exporting.export_report(window.app.studio("migration"), out)
    wait_idle(window)
    assert "report is in" in window.notices.history[-1].message
    assert any(path.suffix == ".html" for path in out.iterdir())


# -- many findings ---------------------------------------------------------------------------------
def test_twenty_thousand_findings_stay_fluid(window: MainWindow) -> None:
    from plugins.migration.core.scan import scan_text

    overview(window)
    found = panel(window)
    root = window.app.project.root
    text = "import torch\n" + "".join(f"x{n} = y{n}.cuda()\n" for n in range(400))
    results: list[FileResult] = []
    for n in range(50):
        results.append(scan_text(text, root / f"file{n:02}.py"))
    review = found._review
    review._take(results, True)
    wait_idle(window)
    assert review.summary().findings > 20_000
    took: dict[str, float] = {}

    def timed(name: str, run: Callable[[], object]) -> None:
        spent = []
        for _ in range(3):
            start = time.process_time()
            run()
            spent.append(time.process_time() - start)
        took[name] = min(spent)
        wait_idle(window)

    finding = review.findings(results[7].path)[100]
    timed("by rule", lambda: found.group("rule"))
    timed("filter", lambda: found.filter.setText("cuda file1"))
    timed("clear", found.filter.clear)
    timed("decide", lambda: review.decide([finding], Decision.ACCEPTED))
    timed("next", lambda: found.tree.go_on(1))
    timed("unfold", lambda: found.tree.expand(found.tree.list_model.index(0, 0)))
    timed("paint", found.tree.viewport().repaint)
    timed("accept all", review.accept_safe)
    slow = {name: round(spent * 1000) for name, spent in took.items() if spent > 0.25}
    assert slow == {}, slow  # far above what is measured, so that a busy machine does not matter
    QTest.mouseMove(found.tree.viewport(), QPoint(20, 20))
