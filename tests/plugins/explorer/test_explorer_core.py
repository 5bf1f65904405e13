"""What the explorer recognises without another plugin."""

from __future__ import annotations

from pathlib import Path

from plugins.explorer.core import is_checkpoint
from plugins.explorer.core.matching import matching


def test_a_tensor_of_a_dump_is_no_checkpoint() -> None:
    assert is_checkpoint(Path("run/checkpoints/last.pt"))
    tensors = Path("dump/step0/rank0/dump_tensor_data")
    assert not is_checkpoint(tensors / "Torch.add.0.forward.output.0.pt")


def test_the_best_of_the_matching_names_come_first() -> None:
    names = ["a/train/x.py", "train.py", "b/Train_long.py", "model.py", "a/b/trained.txt"]
    count, best = matching(names, ["train"], 3)
    assert (count, best) == (4, ["train.py", "b/Train_long.py", "a/b/trained.txt"])
    assert matching(names, ["train", ".py"], 9) == (
        3,
        ["train.py", "b/Train_long.py", "a/train/x.py"],
    )
    assert matching(names, ["nothing"], 9) == (0, [])
    many = [f"folder/file_{n}" for n in range(50_000)]
    assert matching(many, ["file_4999"], 20)[0] == 11  # 4999 and 49990 to 49999
