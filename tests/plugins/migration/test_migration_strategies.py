"""Both strategies beside each other: what each changes, and the choice of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core.strategies import Comparison, compare_command
from plugins.migration.ui.strategies import StrategiesDialog
from studio.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

SCRIPT = """import torch
from apex.optimizers import FusedAdam


def train():
    x = torch.ones(1).cuda()
    torch.cuda.synchronize()


if __name__ == "__main__":
    train()
"""


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "run.sh").write_text("python train.py --device cuda\n", encoding="utf-8")
    return compare_command(tmp_path)


def test_each_strategy_shows_its_own_changes(found: Comparison) -> None:
    rewrite, shim = found.sides
    assert (rewrite.strategy, shim.strategy) == ("rewrite", "shim")
    assert "+    x = torch.ones(1).npu()" in rewrite.files["train.py"]
    assert "+from torch_npu.contrib import transfer_to_npu" in shim.files["train.py"]
    assert ".npu()" not in shim.files["train.py"]


def test_what_needs_hands_needs_them_with_both(found: Comparison) -> None:
    rewrite, shim = found.sides
    assert rewrite.counts["manual"] == shim.counts["manual"] == 1
    assert rewrite.counts["auto"] > shim.counts["auto"]
    assert rewrite.hours == shim.hours


def test_the_command_prints_one_column_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    assert main(["migration", "strategies", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["strategies"]
    assert told["rewrite"]["files"] == told["shim"]["files"] == ["train.py"]
    assert main(["migration", "strategies", str(tmp_path)]) == 0
    assert "rewrite" in capsys.readouterr().out.splitlines()[0]


def test_the_other_strategy_can_be_taken(found: Comparison, qtbot: QtBot) -> None:
    dialog = StrategiesDialog(found, "rewrite")
    qtbot.addWidget(dialog)
    taken: list[str] = []
    dialog.chosen.connect(taken.append)
    dialog.file.setCurrentText("train.py")
    assert ".npu()" in dialog.patches["rewrite"].toPlainText()
    assert "transfer_to_npu" in dialog.patches["shim"].toPlainText()
    rewrite, shim, _close = dialog.buttons.buttons()
    assert (rewrite.isEnabled(), shim.isEnabled()) == (False, True)
    shim.click()
    assert taken == ["shim"]
