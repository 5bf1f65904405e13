"""Reading `.npz` and `.safetensors` files, good and damaged, and naming element types."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from studio.tensors.dtypes import canonical, named_type, short_name
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import open_one, open_tensor_file

if TYPE_CHECKING:
    from pathlib import Path


def write_safetensors(path: Path, header: Any, data: bytes, length: int | None = None) -> Path:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return path


def reason(path: Path) -> str:
    with pytest.raises(TensorError) as caught:
        open_tensor_file(path)
    return caught.value.message


def test_safetensors_are_read_in_place(tmp_path: Path) -> None:
    one, two = np.arange(6, dtype=np.float32), np.array([1, 2], np.int64)
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
        "c": {"dtype": "BF16", "shape": [], "data_offsets": [40, 42]},
        "d": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [42, 43]},
    }
    data = one.tobytes() + two.tobytes() + b"\xc0\x3f" + b"\x38"
    found = open_tensor_file(write_safetensors(tmp_path / "x.safetensors", header, data))
    assert list(found) == ["a", "b", "c", "d"]
    assert found["a"].array().tolist() == one.reshape(2, 3).tolist()
    assert found["b"].array().tolist() == [1, 2]
    assert found["c"].type.numbers(found["c"].array()).tolist() == 1.5
    assert found["d"].type.name == "float8_e4m3fn"
    assert found["d"].type.numbers(found["d"].array()).tolist() == [1.0]


@pytest.mark.parametrize(
    ("header", "length", "words"),
    [
        ({}, 1 << 40, "cut off"),
        (b"{not json", None, "damaged header"),
        (b"[1]", None, "damaged header"),
        (b'{"a":' * 3000, None, "damaged header"),
        ({"a": {"dtype": "F32"}}, None, "damaged header"),
        ({"a": {"dtype": "Q9", "shape": [1], "data_offsets": [0, 4]}}, None, "unknown type Q9"),
        ({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, None, "impossible shape"),
        ({"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}, None, "outside the file"),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, None, "outside the file"),
        ({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, None, "outside the file"),
    ],
)
def test_damaged_safetensors(tmp_path: Path, header: Any, length: int | None, words: str) -> None:
    path = write_safetensors(tmp_path / "x.safetensors", header, b"\0" * 8, length)
    assert words in reason(path)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_members(tmp_path: Path, save: Any) -> None:
    array = np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4))
    save(tmp_path / "x.npz", a=array, b=np.float64(2.5), c=np.zeros((0, 2)))
    found = open_tensor_file(tmp_path / "x.npz")
    assert found["a"].array().tolist() == array.tolist()
    assert found["b"].array().tolist() == 2.5
    assert found["c"].array().shape == (0, 2)


def test_bytes_without_a_type_take_it_from_the_dump(cases: Path) -> None:
    case = cases / "A09-bf16-and-fp8-npy"
    expected = json.loads((case / "expected.json").read_text())
    name = "Functional.gelu.0.forward.output.0.npy"
    tensor = open_one(case / "input" / "npu" / name, "torch.bfloat16")
    wanted = [float(value) for value in expected["bf16_values"]]
    assert tensor.type.numbers(tensor.array()).tolist() == wanted


def test_other_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.bin2").write_bytes(b"x")
    assert "no kind of tensor file" in reason(tmp_path / "x.bin2")
    assert "No such file" in reason(tmp_path / "absent.pt")
    assert "No such file" in reason(tmp_path / "absent.safetensors")


def test_names_of_types() -> None:
    for name in ("torch.bfloat16", "BFloat16", "BF16", "bf16"):
        assert canonical(name) == "bfloat16"
    assert [short_name(n) for n in ("torch.float32", "bfloat16", "float8_e5m2", "Int64")] == [
        "fp32", "bf16", "fp8_e5m2", "int64",
    ]  # fmt: skip
    assert named_type("torch.qint8") is None
    half = named_type("half", little_endian=False)
    assert half is not None
    assert half.stored == np.dtype(">f2")
