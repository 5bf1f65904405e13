"""What the explorer recognises itself. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TENSOR_FOLDERS = {"dump_tensor_data", "debug_tensor_data"}
"""Where msprobe writes the single tensors of a dump."""


def is_checkpoint(path: Path) -> bool:
    """Whether a file of a tensor format holds a checkpoint, not one tensor of a dump."""
    return path.parent.name not in _TENSOR_FOLDERS
