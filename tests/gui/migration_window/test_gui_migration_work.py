"""Fixes in the editor, watching, and what is handed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QMenu

from studio.ui.diff import Decision
from studio.ui.idle import wait_idle
from tests.gui.migration_window.project import TRAIN, editor, overview, panel

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


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
