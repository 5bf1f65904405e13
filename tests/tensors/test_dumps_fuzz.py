"""Dumps with random damage: indexed as far as they can be read, or refused with a reason."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from studio.tensors.dumps.index import index_dump
from studio.tensors.tensor import TensorError
from tests.fixtures.pt_writer import write_dump
from tests.tensors.test_tensors_fuzz import damaged

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [b"null", b"NaN", b"[]", b"{}", b'"x"', b"1e999", b"-0", b"true", b"[[[[", b"\x00", b"\xff"]
STATISTICS = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,"
    "Min Value,Avg Value,L2 Value\n"
    'MatMul,Default_net-Net_MatMul-op0,0,0,17,output,0,8,float32,"(2,1)",1.5,null,nan,inf\n'
    'Add,Default_net-Net_Add-op0,0,0,18,input,1,8,float32,"(2,1)",1.5,1,1.2,2\n'
)


def dump_of(folder: Path, kind: str) -> Path:
    """Make a sound dump and return the file of it to damage."""
    array = np.ones((2, 3), np.float32)
    calls: dict[str, Any] = {
        "Torch.f.0.forward": {"input": [array, 1.5], "output": [array]},
        "Module.a.Linear.forward.0": {"input": [array], "output": [array, None]},
        "Torch.f.0.backward": {"input": [array], "output": [array]},
    }
    if kind == "statistic.csv":
        below = folder / "rank_0" / "Net" / "0" / "0"
        below.mkdir(parents=True)
        (below / kind).write_text(STATISTICS)
        return below / kind
    write_dump(folder, calls, task="statistics", construct=dict.fromkeys(calls))
    path = folder / kind
    if kind == "stack.json" and not path.is_file():
        path.write_text('{"0": [["Torch.f.0.forward"], ["File m.py, line 1, in f, \\n x = y"]]}')
    return path


@pytest.mark.parametrize("kind", ["dump.json", "stack.json", "construct.json", "statistic.csv"])
def test_damage_never_surprises(tmp_path: Path, kind: str) -> None:
    chooser = random.Random(kind)
    path = dump_of(tmp_path, kind)
    data = path.read_bytes()
    read, reasons = 0, []
    for _ in range(250):
        content = damaged(data, chooser)
        if chooser.random() < 0.5:
            place = chooser.randrange(len(content))
            end = place + chooser.randrange(12)
            content = content[:place] + chooser.choice(WORDS) + content[end:]
        path.write_bytes(content)
        try:
            index = index_dump(tmp_path)
        except TensorError as error:
            reasons.append(error.message)
            continue
        read += 1
        for part in index.parts:
            assert all(isinstance(fault, str) for fault in part.faults)
            for call in part.calls:
                for value in call.values:
                    assert isinstance(value.tensor, bool)
    assert read
    assert all(reasons)
