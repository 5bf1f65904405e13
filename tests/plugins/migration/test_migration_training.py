"""The proof: the migrated sample project trains, on a stand-in for torch_npu that uses the CPU.

Needs a Python with torch: this one, or the one that STUDIO_TORCH_PYTHON names (the checks make it
if they can).
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.guide.command import guide_command
from studio.paths import resource

STAND_IN = Path(__file__).resolve().parents[2] / "fixtures" / "npu_on_cpu"

SCRIPT = """\
import argparse
import json
import os
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
        self.seen = []

    def forward(self, x):
        self.seen += x[:, 0].tolist()
        return self.layers(x)


def train(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    with torch.no_grad():
        return sum((model(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(5)
    x = torch.randn(64, 6)
    data = TensorDataset(x, (x.sum(1) > 0).long())
    loader = DataLoader(data, batch_size=args.batch)
    test_loader = DataLoader(data, batch_size=16)
    model = Net().to("cuda:0")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(4):
        train(model, loader, optimizer, "cuda:0")
        used = list(model.seen)
        model.seen.clear()
        right = evaluate(model, test_loader, "cuda:0")
        model.seen.clear()
        print("epoch", epoch, right)
    torch.save(model.state_dict(), "model.pt")
    weights = [p.tolist() for p in model.parameters()]
    names = sorted(torch.load("model.pt"))
    told = {"used": used, "right": right, "weights": weights, "names": names}
    Path("told" + os.environ.get("RANK", "") + ".json").write_text(json.dumps(told))


if __name__ == "__main__":
    main()
"""

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


def run(python: str, folder: Path, *command: str) -> str:
    begin = "import torch_npu, runpy, sys; sys.argv = sys.argv[1:];"
    (folder / "start.py").write_text(
        f"{begin} runpy.run_path(sys.argv[0], run_name='__main__')\n", encoding="utf-8"
    )
    done = subprocess.run(
        [python, *command], cwd=folder, env=os.environ | {"PYTHONPATH": str(STAND_IN)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_guided_script_trains_on_two_cards_as_on_one(python: str, tmp_path: Path) -> None:
    """Two processes with half a batch each take the same steps as one with the whole batch."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT, encoding="utf-8")
    apply_command(script, in_place=True)
    run(python, tmp_path, "start.py", "train.py", "--batch", "16")
    alone = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    script.write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "model.pt").unlink()
    made = guide_command(script, in_place=True)
    assert made.to_json()["made"]["changed"] == ["train.py"]
    said = run(
        python, tmp_path, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2",
        "start.py", "train.py", "--batch", "8",
    )  # fmt: skip
    assert said.count("epoch 3") == 1
    told = [json.loads((tmp_path / f"told{n}.json").read_text(encoding="utf-8")) for n in (0, 1)]
    assert told[0]["weights"] == told[1]["weights"]
    assert told[0]["right"] == told[1]["right"] == alone["right"]
    assert sorted(told[0]["used"] + told[1]["used"]) == sorted(alone["used"])
    for mine, theirs in zip(flat(told[0]["weights"]), flat(alone["weights"]), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-4, abs=1e-6)
    names = [f"layers.{n}.{part}" for n in (0, 2) for part in ("bias", "weight")]
    assert told[0]["names"] == told[1]["names"] == names


def flat(values: object) -> list[float]:
    return [x for one in values for x in flat(one)] if isinstance(values, list) else [values]
