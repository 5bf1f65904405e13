"""The proof: the migrated sample project trains, on a stand-in for torch_npu that uses the CPU.

Needs a Python with torch: this one, or the one that STUDIO_TORCH_PYTHON names (the checks make it
if they can).
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.migration.core.apply import apply_command
from studio.paths import resource

STAND_IN = Path(__file__).resolve().parents[2] / "fixtures" / "npu_on_cpu"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python() -> str:
    named = os.environ.get("STUDIO_TORCH_PYTHON", "")
    if named:
        return named
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed, and STUDIO_TORCH_PYTHON names no Python that has it")
    return sys.executable


def train(python: str, folder: Path, *options: str) -> list[float]:
    """Run the training script of a folder and return its losses."""
    begin = "import sys, runpy; sys.argv[0] = 'train.py'; sys.path.insert(0, '.')\n"
    end = "import torch_npu\nprint('calls', sorted(set(torch_npu.npu.calls)))\n"
    done = subprocess.run(
        [
            python, "-c", f"{begin}runpy.run_path('train.py', run_name='__main__')\n{end}",
            "--preset", "tiny", *options,
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(STAND_IN)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "'moved'" in done.stdout
    assert "'synchronize'" in done.stdout
    assert "NPU on CPU" in done.stdout
    return [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", done.stdout)]


@pytest.mark.parametrize("strategy", ["rewrite", "shim"])
def test_the_migrated_sample_trains(python: str, strategy: str, tmp_path: Path) -> None:
    apply_command(resource("sample"), tmp_path / "out", strategy=strategy)
    script = tmp_path / "out" / "train.py"
    assert ("transfer_to_npu" in script.read_text(encoding="utf-8")) == (strategy == "shim")
    config = tmp_path / "out" / "config.yaml"
    text = config.read_text(encoding="utf-8").replace("save_every: 500", "save_every: 4")
    config.write_text(text, encoding="utf-8")
    losses = train(python, tmp_path / "out", "--steps", "6")
    assert len(losses) == 6
    assert all(0 < loss < 10 for loss in losses)
    assert losses[-1] < losses[0]
    resumed = train(python, tmp_path / "out", "--steps", "6", "--resume", "step4.pt")
    assert len(resumed) == 2


def test_the_sample_itself_does_not_train_on_the_stand_in(python: str, tmp_path: Path) -> None:
    """Without the migration nothing reaches the NPU, so that the proof proves something."""
    apply_command(resource("sample"), tmp_path / "out", only=["config-value"])
    with pytest.raises(AssertionError, match="moved"):
        train(python, tmp_path / "out", "--steps", "1")
