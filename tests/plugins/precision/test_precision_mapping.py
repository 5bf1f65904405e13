"""Mapping files of msprobe, and files that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.mapping import read_mapping
from studio.kernel.errors import StudioError
from studio.tensors.dumps.index import index_dump
from tests.fixtures.pt_writer import write_dump

if TYPE_CHECKING:
    from pathlib import Path

X = np.ones((2, 2), np.float32)
BASE = ["Module.layers.0.attn.Attention.forward.0", "Functional.conv2d.0.forward"]
CANDIDATE = ["Cell.layers.0.attention.FlashAttention.forward.0", "Mint.nn.conv.0.forward"]


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    for side, names in (("base", BASE), ("candidate", CANDIDATE)):
        write_dump(tmp_path / side, {name: {"input": [X], "output": [X]} for name in names})
    return tmp_path / "base", tmp_path / "candidate"


FILES = {
    "data": f'"{CANDIDATE[0]}.output.0": "{BASE[0]}.output.0"\n',
    "cell": "layers.0.attention.FlashAttention: layers.0.attn.Attention\n",
    "cell by parts": "attention.FlashAttention: attn.Attention\n",
    "api": "- ms_api: Mint.nn.conv\n  pt_api: Functional.conv2d\n"
    "  ms_args: [0, 1]\n  pt_args: [0, 1]\n  ms_output: [0]\n  pt_output: [0]\n",
    "layer": "TopLayer:\n  attention: attn\nBlock:\n  FlashAttention: Attention\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_names_are_mapped(dumps: tuple[Path, Path], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(FILES[kind])
    base, candidate = (index_dump(side).parts[0] for side in dumps)
    place = 1 if kind == "api" else 0
    assert read_mapping(path).calls(base, candidate) == {CANDIDATE[place]: BASE[place]}
    result: Any = compare(*dumps, mapping=str(path))
    pairs = {(p.base.name, p.candidate.name): p.change.value
             for p in result.parts[0].pairs if p.base and p.candidate}  # fmt: skip
    assert pairs[BASE[place], CANDIDATE[place]] == "mapped"
    table: Any = compare(*dumps, mapping=str(path), mode="compatible")
    names = {row["NPU Name"]: row["Bench Name"] for row in table.parts[0].rows}
    assert names[f"{CANDIDATE[place]}.output.0"] == f"{BASE[place]}.output.0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no mapping file"),
        ("3", "no mapping file"),
        ("a: [1, 2]", "no mapping file"),
        ("- a", "no mapping file"),
        ("a: {b: c", "no valid YAML"),
        ("a: !!python/object/apply:os.mkdir [x]", "no valid YAML"),
        ("a: &x [1]\nb: *x", "anchors"),
        ("\xff", "no mapping file"),
    ],
)
def test_other_files_are_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(text)
    with pytest.raises(StudioError, match=words):
        read_mapping(path)
    with pytest.raises(StudioError, match=r"none\.yaml"):
        read_mapping(tmp_path / "none.yaml")
