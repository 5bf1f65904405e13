"""The guide from one card to several, in the real window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from studio.ui.diff import Decision
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.migration.ui.guide import GuideView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

SCRIPT = """\
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def main(train_set):
    model = nn.Linear(8, 4).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(train_set, 8, shuffle=True)
    for epoch in range(3):
        for data, target in loader:
            loss = model(data.to("cuda")).sum()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main(torch.load("train.pt"))
"""


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path) -> MainWindow:
    """The window on a project with a script to lead and one that cannot be led."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(SCRIPT, encoding="utf-8")
    several = SCRIPT.replace("model = nn", "torch.distributed.init_process_group()\n    model = nn")
    (root / "several.py").write_text(several, encoding="utf-8")
    window = open_window()
    window.app.open_project(root, live=False)
    return window


def guided(window: MainWindow, path: str = "") -> GuideView:
    window.actions_.run("migration.guide", {"path": path})
    assert wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "GuideView"
    return view


def step(view: GuideView, rule: str) -> Any:
    assert view.taken is not None
    return next(f for f in view.taken.changes() if f.rule == rule)


def test_the_steps_stand_beside_the_script_and_are_all_taken(window: MainWindow) -> None:
    view = guided(window)
    assert view.title() == "train.py → several cards"
    assert [view.scripts.itemText(n) for n in range(view.scripts.count())] == [
        "train.py", "several.py",
    ]  # fmt: skip
    right = "".join(view.diff.alignment().right)
    assert "DistributedDataParallel" in right
    assert "set_epoch" in right
    assert "".join(view.diff.alignment().left) == SCRIPT
    assert set(view.diff.decisions()) <= {Decision.ACCEPTED, None}
    assert "torchrun" in view.launcher.text()
    boxes = [view.pane.steps.item(n).checkState() for n in range(view.pane.steps.count())]
    assert set(boxes) == {Qt.CheckState.Checked}


def test_steps_that_rely_on_each_other_are_left_out_together(window: MainWindow) -> None:
    view = guided(window, "train.py")
    taken = view.taken
    assert taken is not None
    printing, sampler = step(view, "guide-first-process"), step(view, "guide-sampler")
    view.pane.decided.emit([printing], Decision.REJECTED)
    assert taken.of(printing) is Decision.REJECTED
    assert taken.of(sampler) is Decision.ACCEPTED
    view.pane.decided.emit([sampler], Decision.REJECTED)
    assert taken.of(step(view, "guide-wrap")) is Decision.REJECTED
    assert not taken.takes_steps
    assert {f.rule for f in taken.chosen()} <= {"device-string", "cuda-name"}
    view.pane.decided.emit([printing], Decision.ACCEPTED)
    assert taken.of(sampler) is Decision.ACCEPTED
    assert {f.rule for f in taken.changes() if taken.of(f) is Decision.REJECTED} == {"guide-end"}


def test_what_was_left_out_is_remembered(window: MainWindow) -> None:
    view = guided(window, "train.py")
    view.pane.decided.emit([step(view, "guide-end")], Decision.REJECTED)
    view.ask()
    assert wait_idle(window)
    assert view.taken is not None
    assert view.taken.of(step(view, "guide-end")) is Decision.REJECTED


def test_changes_are_made_with_a_launcher_and_taken_back(window: MainWindow) -> None:
    view = guided(window, "train.py")
    root = window.app.project.root
    view.apply()
    assert wait_idle(window)
    text = (root / "train.py").read_text(encoding="utf-8")
    compile(text, "train.py", "exec")
    assert "DistributedDataParallel" in text
    assert '"cuda"' not in text
    launcher = root / "train_npus.sh"
    assert launcher.stat().st_mode & 0o100
    assert view.taken is not None
    made = [notice.message for notice in window.notices.shown]
    window.actions_.run("migration.undo")
    assert wait_idle(window)
    assert made[-1] not in [notice.message for notice in window.notices.shown]
    assert (root / "train.py").read_text(encoding="utf-8") == SCRIPT
    assert not launcher.exists()
    assert view.diff.alignment().changes, "the steps are shown again"


def test_a_launcher_that_cannot_be_written_is_told_and_the_way_back_offered(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    view = guided(window, "train.py")
    root = window.app.project.root
    monkeypatch.setattr("plugins.migration.ui.guiding.write_atomic", full)
    view.apply()
    assert wait_idle(window)
    assert "DistributedDataParallel" in (root / "train.py").read_text(encoding="utf-8")
    told = " ".join(notice.message for notice in window.notices.shown)
    assert "No space left on device" in told
    assert "in train.py." in told
    window.actions_.run("migration.undo")
    assert wait_idle(window)
    assert (root / "train.py").read_text(encoding="utf-8") == SCRIPT


def test_a_script_that_cannot_be_led_is_told_with_the_place(window: MainWindow) -> None:
    view = guided(window, "several.py")
    assert view.taken is None
    assert not view.empty.isHidden()
    texts = " ".join(label.text() for label in view.empty.findChildren(type(view.empty._text)))
    assert "deals with several processes already" in texts


def test_unsaved_work_is_what_the_guide_sees(window: MainWindow) -> None:
    root = window.app.project.root
    document = window.app.project.documents.open(root / "train.py")
    document.set_text("# unsaved\n" + SCRIPT)
    view = guided(window, "train.py")
    assert "".join(view.diff.alignment().left).startswith("# unsaved\n")


def test_every_button_of_the_guide_has_a_name(window: MainWindow) -> None:
    view = guided(window, "train.py")
    for button in view.findChildren(QToolButton):
        if button.isVisible():
            assert button.toolTip()
            assert button.accessibleName()


def test_a_long_script_is_compared_in_the_background(window: MainWindow) -> None:
    root = window.app.project.root
    rest = "".join(
        f"# a line of a long script, the number {n} of many of them\n" for n in range(3_000)
    )
    (root / "train.py").write_text(SCRIPT + rest, encoding="utf-8")
    window.actions_.run("migration.guide", {"path": "train.py"})
    view: Any = window.app.window.active_view()
    seen: list[str] = []
    jobs = window.app.jobs.changed.connect(lambda job: seen.append(job.title))
    assert wait_idle(window)
    jobs.disconnect()
    assert "Comparing train.py" in seen
    left = view.diff.alignment().left
    assert "".join(left).startswith(SCRIPT + rest)
    assert view.taken.of(step(view, "guide-wrap")) is Decision.ACCEPTED
    assert view._apply.isEnabled()
    made = "".join(view.diff.alignment().right)
    assert "DistributedDataParallel(" in made
    assert made.endswith(rest)
