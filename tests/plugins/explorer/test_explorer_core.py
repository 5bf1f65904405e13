"""What the explorer recognises without another plugin."""

from __future__ import annotations

from pathlib import Path

from plugins.explorer.core import is_checkpoint


def test_a_tensor_of_a_dump_is_no_checkpoint() -> None:
    assert is_checkpoint(Path("run/checkpoints/last.pt"))
    tensors = Path("dump/step0/rank0/dump_tensor_data")
    assert not is_checkpoint(tensors / "Torch.add.0.forward.output.0.pt")
