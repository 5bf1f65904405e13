"""What the commands say when nothing, or not everything, can be read."""

from __future__ import annotations

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.dumping import diagnose, first
from studio.kernel.errors import StudioError


@pytest.fixture
def sides(tmp_path):
    for side in ("base", "candidate"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "0_x.npy").write_bytes(b"no tensor at all")
    return tmp_path / "base", tmp_path / "candidate"


def test_nothing_readable_is_no_agreement(sides) -> None:
    assert compare(*sides).exit_code == 3
    for command in (diagnose, first):
        with pytest.raises(StudioError, match=r"0_x: base: is not a \.npy file") as caught:
            command(*sides)
        assert caught.value.exit_code == 3


def test_what_cannot_be_read_is_counted(sides) -> None:
    for side in sides:
        np.save(side / "1_y.npy", np.ones(3, np.float32))
    found = diagnose(*sides)
    assert "1 tensor cannot be read." in found.notes
    assert compare(*sides).exit_code == 1
