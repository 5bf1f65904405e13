"""The migration in the real window: scan, step, decide, apply, undo."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QWidget

from studio.ui.diff import Decision
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.migration.ui.diffview import MigrationDiff
    from plugins.migration.ui.panel import MigrationPanel
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

TRAIN = '''"""Train."""
import torch
from torch import nn

net = nn.Linear(4, 4).cuda()
x = torch.zeros(4, device="cuda")
torch.cuda.synchronize()
'''
MIGRATED = '''"""Train."""
import torch
import torch_npu
from torch import nn

net = nn.Linear(4, 4).npu()
x = torch.zeros(4, device="npu")
torch.npu.synchronize()
'''


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path) -> MainWindow:
    """The window on a project of two scripts and a requirements file."""
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "train.py").write_text(TRAIN)
    (root / "lib" / "run.py").write_bytes(b"import torch\r\nx = torch.ones(1).cuda()\r\n")
    (root / "requirements.txt").write_text("apex\n")
    window = open_window()
    window.app.open_project(root, live=False)
    return window


def scanned(window: MainWindow) -> MigrationPanel:
    """Scan by command and return the panel."""
    window.actions_.run("migration.find")
    assert wait_idle(window)
    return panel(window)


def panel(window: MainWindow) -> MigrationPanel:
    found: Any = window.show_panel("migration.panel")
    assert type(found).__name__ == "MigrationPanel"
    wait_idle(window)
    return found


def shown(window: MainWindow) -> MigrationDiff:
    """The diff in front."""
    wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "MigrationDiff"
    return view


def show(window: MainWindow, file: str) -> MigrationDiff:
    window.actions_.run("migration.show_diff", {"path": file})
    return shown(window)


def test_an_unscanned_project_is_offered_a_scan(window: MainWindow) -> None:
    found = panel(window)
    assert not found.empty.isHidden()
    buttons = [b.text() for b in found.empty.findChildren(QWidget) if hasattr(b, "text")]
    assert "Scan the project" in buttons


def test_a_scan_lists_findings_publishes_them_and_says_how_ready(window: MainWindow) -> None:
    found = scanned(window)
    rows = found.tree.list_model.rows()
    root = window.app.project.root
    assert [row.path.relative_to(root).as_posix() for row in rows] == [
        "lib/run.py", "requirements.txt", "train.py",
    ]  # fmt: skip
    published = window.app.project.findings.all("migration")
    assert len(published) == sum(len(row.findings) for row in rows)
    summary = found._review.summary()
    assert summary.changes == 4
    assert summary.statuses["auto"] == 6
    assert found.apply.isEnabled() is False


def test_a_click_on_a_finding_shows_its_change_and_the_reason(window: MainWindow) -> None:
    found = scanned(window)
    model = found.tree.list_model
    finding = next(f for f in model.rows()[2].findings if f.location.line == 6)
    index = model.place_of(finding, finding.location.path)
    place = found.tree.visualRect(index).center()
    QTest.mouseClick(found.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    view = shown(window)
    assert view.title() == "train.py ↔ migrated"
    change = view.diff.alignment().changes[view.diff.current()]
    assert change.left == (5, 6)
    assert finding.title in view.why.text.toPlainText()
    assert "npu" in view.why.text.toPlainText()
    assert found.tree.hasFocus() or not window.isActiveWindow()


def test_the_diff_shows_only_the_changed_lines(window: MainWindow) -> None:
    scanned(window)
    view = show(window, "train.py")
    alignment = view.diff.alignment()
    assert "".join(alignment.left) == TRAIN
    assert "".join(alignment.right) == MIGRATED
    assert [change.left for change in alignment.changes] == [(2, 2), (4, 5), (5, 6), (6, 7)]
    assert view.diff.decisions()[0] is None


def test_a_long_file_is_compared_in_the_background(window: MainWindow) -> None:
    path = window.app.project.root / "long.py"
    body = "".join(f"y{n} = f({n})\n" for n in range(12_000))
    path.write_text(TRAIN + body + "z = x.cuda()\n")
    scanned(window)
    view = show(window, "long.py")
    alignment = view.diff.alignment()
    assert len(alignment.changes) == 5
    assert view.diff.current() == 0
    view.diff.go_to(4)
    assert view.diff.left.first_line() == view.diff.right.first_line() > 11_000
    QTest.keyClick(view.diff.left.area(), Qt.Key.Key_A)
    assert view.diff.decisions()[4] is Decision.ACCEPTED


def test_one_tab_shows_one_file_after_the_other(window: MainWindow) -> None:
    scanned(window)
    first = show(window, "train.py")
    second = show(window, "lib/run.py")
    assert first is second
    assert second.title() == "run.py ↔ migrated"
    assert len(window.centre.pages()) == 2  # the overview and the comparison


def test_keys_in_the_diff_decide_and_are_remembered(window: MainWindow) -> None:
    found = scanned(window)
    view = show(window, "train.py")
    area = view.diff.left.area()
    view.diff.go_to(1)
    QTest.keyClick(area, Qt.Key.Key_A)
    QTest.keyClick(area, Qt.Key.Key_F7)
    QTest.keyClick(area, Qt.Key.Key_R)
    decisions = view.diff.decisions()
    assert decisions == [None, Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN]
    assert found._review.summary().accepted == 1
    root = window.app.project.root
    window.app.close_project()
    window.app.open_project(root, live=False)
    again = scanned(window)
    assert again._review.summary().accepted == 1
    assert again._review.summary().rejected == 1


def test_keys_in_the_list_decide(window: MainWindow) -> None:
    found = scanned(window)
    tree = found.tree
    model = tree.list_model
    window.activateWindow()
    tree.setFocus()
    tree.setCurrentIndex(model.index(2, 0))
    QTest.keyClick(tree, Qt.Key.Key_A)
    assert found._review.summary().accepted == 3
    tree.setCurrentIndex(model.index(1, 0, model.index(2, 0)))
    QTest.keyClick(tree, Qt.Key.Key_R)
    assert found._review.summary().accepted == 2
    QTest.keyClick(tree, Qt.Key.Key_U)
    assert found._review.summary().rejected == 0
    QTest.keyClick(tree, Qt.Key.Key_Space)
    assert found._review.summary().accepted == 3


def test_a_click_on_a_box_goes_round_the_decisions(window: MainWindow) -> None:
    found = scanned(window)
    model, tree = found.tree.list_model, found.tree
    index = model.index(1, 0, model.index(2, 0))
    finding = model.findings_at(index)[0]
    place = tree.visualRect(index).topLeft() + QPoint(8, 12)
    seen = []
    for _ in range(3):
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        seen.append(found._review.decision(finding))
    assert seen == [Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN]


def test_accepting_a_whole_rule_from_the_reason(window: MainWindow) -> None:
    found = scanned(window)
    view = show(window, "train.py")
    view.diff.go_to(1)
    assert view.why.same.isVisibleTo(view.why)
    view.why.same.click()
    assert found._review.summary().accepted == 2


def test_applying_what_was_accepted_is_one_change_with_one_undo(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.migration.ui.applying import ApplyDialog

    found = scanned(window)
    window.actions_.run("migration.accept_safe")
    assert found.apply.text() == "Apply 4 accepted changes…"
    listed: list[tuple[str, str]] = []

    def agree(dialog: ApplyDialog) -> int:
        rows = [dialog.files.topLevelItem(n) for n in range(dialog.files.topLevelItemCount())]
        listed.extend((row.text(0), row.text(1)) for row in rows if row is not None)
        return 1

    monkeypatch.setattr(ApplyDialog, "exec", agree)
    found.apply.click()
    wait_idle(window)
    assert listed == [("lib/run.py", "1"), ("train.py", "3")]
    root = window.app.project.root
    assert (root / "train.py").read_text() == MIGRATED
    assert (root / "lib" / "run.py").read_bytes() == (
        b"import torch\r\nimport torch_npu\r\nx = torch.ones(1).npu()\r\n"
    )
    assert found._review.summary().changes == 0
    assert len(window.app.project.history) == 1
    assert window.app.project.history[0].backup is not None
    window.actions_.run("migration.undo")
    wait_idle(window)
    assert (root / "train.py").read_text() == TRAIN
    assert found._review.summary().changes == 4


def test_a_refused_dialog_changes_nothing(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.migration.ui.applying import ApplyDialog

    found = scanned(window)
    window.actions_.run("migration.accept_safe")
    monkeypatch.setattr(ApplyDialog, "exec", lambda _dialog: 0)
    found.apply.click()
    assert (window.app.project.root / "train.py").read_text() == TRAIN


def test_an_open_editor_follows_and_shows_the_marks(window: MainWindow) -> None:
    from plugins.migration.ui.commands import apply_now

    scanned(window)
    path = window.app.project.root / "train.py"
    editor: Any = window.open(path, "", {})
    wait_idle(window)
    assert ".cuda" in editor.edit.hover_at(TRAIN.index(".cuda") + 1)
    window.actions_.run("migration.accept_safe")
    apply_now(window.app.studio("migration"))
    wait_idle(window)
    assert editor.edit.text() == MIGRATED
    assert not editor.is_dirty()
    assert editor.edit.hover_at(MIGRATED.index(".npu") + 1) == ""


def test_unsaved_work_stays_unsaved_and_is_migrated_in_the_buffer(window: MainWindow) -> None:
    from plugins.migration.ui.commands import apply_now

    scanned(window)
    path = window.app.project.root / "train.py"
    editor: Any = window.open(path, "", {})
    editor.edit.replace(0, 0, "# mine\n")
    wait_idle(window)
    QTest.qWait(0)
    wait_idle(window)
    window.actions_.run("migration.accept_safe")
    apply_now(window.app.studio("migration"))
    wait_idle(window)
    assert path.read_text() == TRAIN
    assert editor.edit.text() == "# mine\n" + MIGRATED
    assert editor.is_dirty()


def test_typing_rescans_the_text_and_keeps_decisions(window: MainWindow) -> None:
    found = scanned(window)
    window.actions_.run("migration.accept_safe")
    path = window.app.project.root / "train.py"
    editor: Any = window.open(path, "", {})
    editor.edit.replace(0, 0, "y = torch.ones(2).cuda()\n")
    wait_idle(window)
    summary = found._review.summary()
    assert summary.changes == 5
    assert summary.accepted == 4
    view = show(window, "train.py")
    assert "".join(view.diff.alignment().left) == editor.edit.text()


def test_changing_the_context_judges_anew(window: MainWindow) -> None:
    found = scanned(window)
    other = found.torch.count() - 1
    found.torch.setCurrentIndex(other)
    found.torch.activated.emit(other)
    wait_idle(window)
    assert window.app.project.context.values.torch_version == found.torch.itemData(other)
    window.app.project.context.set(torch_version="0.4")
    wait_idle(window)
    assert "0.4" in found.problem.text()


def test_the_list_is_filtered_by_words_and_status(window: MainWindow) -> None:
    found = scanned(window)
    found.filter.setText("train synchronize")
    rows = found.tree.list_model.rows()
    assert [[f.location.line for f in row.findings] for row in rows] == [[7]]
    found.filter.clear()
    found._list_status("manual", True)
    assert [row.path.name for row in found.tree.list_model.rows()] == ["requirements.txt"]
    found._list_status("manual", False)
    window.actions_.run("migration.accept_safe")
    found._list_open(True)
    assert found.tree.list_model.rows() == []


def test_a_finding_by_hand_is_marked_beside_the_changes_and_explained(window: MainWindow) -> None:
    found = scanned(window)
    finding = next(f for f in found._review.findings(window.app.project.root / "requirements.txt"))
    window.actions_.run("migration.show_diff", {"finding": finding})
    view = shown(window)
    assert finding.title in view.why.text.toPlainText()
    assert view.why.accept.isHidden()
    assert finding.title in view.diff.left.hover_at(1)


def test_the_diff_comes_back_after_a_restart_and_scans_by_itself(window: MainWindow) -> None:
    scanned(window)
    view = show(window, "train.py")
    view.diff.go_to(2)
    page = window.centre.page_of(view)
    assert page is not None
    saved = page.saved()
    assert saved is not None
    window.centre.close_page(page)
    root = window.app.project.root
    window.app.close_project()
    window.app.open_project(root, live=False)
    window.centre.closed = [saved]
    window.centre.reopen()
    again = shown(window)
    assert again.title() == "train.py ↔ migrated"
    assert again.diff.current() == 2


def test_every_button_has_a_tooltip_and_a_name(window: MainWindow) -> None:
    found = scanned(window)
    view = show(window, "train.py")
    for widget in (found, view):
        for button in widget.findChildren(QToolButton):
            if button.isVisibleTo(widget) and not isinstance(button.parent(), QLineEdit):
                assert button.toolTip(), button
                assert button.accessibleName() or button.text(), button


def test_the_bytes_case_shows_two_changes_per_file(
    window: MainWindow, cases: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    root = tmp_path / "bytes"
    shutil.copytree(cases / "A04-bytes-kept-when-rewriting" / "input", root)
    window.app.open_project(root, live=False)
    found = scanned(window)
    for path in sorted(root.iterdir()):
        if not any(f.fix for f in found._review.findings(path)):
            continue
        view = show(window, path.name)
        kinds = sorted(change.kind for change in view.diff.alignment().changes)
        assert kinds == ["added", "changed"], path.name
        changed = sum(row.change >= 0 for row in view.diff.alignment().rows)
        assert changed == 2, path.name
    QApplication.processEvents()
