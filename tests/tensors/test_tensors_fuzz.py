"""Files with random damage: read, or refused with a reason; never anything else."""

from __future__ import annotations

import json
import random
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import open_tensor_file
from tests.fixtures.pt_writer import Raw, write_pt

if TYPE_CHECKING:
    from pathlib import Path

ARRAY = np.arange(12, dtype=np.float32).reshape(3, 4)
LARGE = 10_000_000


def sound(folder: Path, kind: str) -> bytes:
    """A sound file of a kind."""
    path = folder / "sound"
    if kind == "pt":
        raw = Raw(np.arange(4, dtype=np.uint8), "float8_e5m2", (4,))
        write_pt(path, {"a": ARRAY, "b": [ARRAY, raw], "c": 3})
    elif kind == "packed.pt":
        write_pt(path, ARRAY, zipfile.ZIP_DEFLATED)
    elif kind == "npz":
        with path.open("wb") as file:
            np.savez_compressed(file, a=ARRAY, b=ARRAY)
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, ARRAY)
    else:
        entry = {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}
        head = json.dumps({"a": entry}).encode()
        path.write_bytes(len(head).to_bytes(8, "little") + head + ARRAY.tobytes())
    return path.read_bytes()


def damaged(data: bytes, chooser: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(chooser.choice([1, 1, 2, 4, 16])):
        place = chooser.randrange(len(found))
        way = chooser.random()
        if way < 0.6:
            found[place] = chooser.choice([0, 255, chooser.randrange(256)])
        elif way < 0.8:
            del found[place : place + chooser.randrange(1, 20)]
        else:
            found[place:place] = chooser.randbytes(chooser.randrange(1, 9))
        found = found or bytearray(b"x")
    return bytes(found)


@pytest.mark.parametrize("kind", ["pt", "packed.pt", "npz", "npy", "safetensors"])
def test_damage_never_surprises(tmp_path: Path, kind: str) -> None:
    chooser = random.Random(kind)
    data = sound(tmp_path, kind)
    path = tmp_path / f"x.{kind}"
    refused: list[str] = []
    for _ in range(300):
        path.write_bytes(damaged(data, chooser))
        try:
            for tensor in open_tensor_file(path).values():
                if tensor.count < LARGE:
                    tensor.type.numbers(tensor.array())
        except TensorError as error:
            refused.append(error.message)
    assert refused
    assert all(refused)
