"""Reading `.npy` files that are fine, odd, damaged or hostile."""

from __future__ import annotations

import io
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.tensors.dump_types import DumpTypes
from studio.tensors.npy import TensorError, chunks, open_npy


def written(path: Path, descr: str, shape: str, data: bytes, version: bytes = b"\x01\x00") -> Path:
    """Write a `.npy` file with a header of one's own."""
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    size = len(head).to_bytes(2 if version[0] == 1 else 4, "little")
    path.write_bytes(b"\x93NUMPY" + version + size + head + data)
    return path


def values(path: Path, hint: str = "") -> np.ndarray:
    """Read all elements of a file as numbers."""
    tensor = open_npy(path, lambda: hint)
    parts = [tensor.type.numbers(one) for _, one, _ in chunks(tensor, tensor)]
    return np.concatenate(parts) if parts else np.empty(0)


def reason(path: Path, hint: str = "") -> str:
    """What is said about a file that cannot be read."""
    with pytest.raises(TensorError) as caught:
        open_npy(path, lambda: hint)
    return caught.value.message


@pytest.mark.parametrize("dtype", ["?", "i1", ">i4", "u8", "f2", "<f4", ">f8", "c8", ">c16"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_number_type_reads_back(tmp_path: Path, dtype: str, version: tuple[int, int]) -> None:
    array = np.array([[0, 1, 2], [3, 4, 1]]).astype(dtype)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    path = tmp_path / "x.npy"
    path.write_bytes(stream.getvalue())
    tensor = open_npy(path)
    assert tensor.shape == (2, 3)
    assert tensor.type.name == array.dtype.newbyteorder("=").name
    assert values(path).tolist() == array.ravel().tolist()


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 0, 4)])
def test_scalars_and_empty_tensors(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "x.npy", np.zeros(shape, np.float32))
    tensor = open_npy(tmp_path / "x.npy")
    assert tensor.shape == shape
    assert values(tmp_path / "x.npy").size == math.prod(shape)


class _Trap:
    """Unpickling this writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    np.save(tmp_path / "x.npy", np.array([_Trap(mark)], object), allow_pickle=True)
    assert "Python objects" in reason(tmp_path / "x.npy")
    (tmp_path / "y.npy").write_bytes(pickle.dumps(_Trap(mark)))
    assert "not a .npy file" in reason(tmp_path / "y.npy")
    assert not mark.exists()


def test_a_header_that_promises_more_than_there_is(tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", "'<f4'", "(1000000000, 1000000000)", b"\0" * 8)
    assert "cut off" in reason(path)
    np.save(tmp_path / "y.npy", np.arange(10.0))
    whole = (tmp_path / "y.npy").read_bytes()
    (tmp_path / "y.npy").write_bytes(whole[:-1])
    assert reason(tmp_path / "y.npy").endswith("promises 80 bytes, 79 are there")


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(10.0))
    tensor = open_npy(tmp_path / "x.npy")
    (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-8])
    with pytest.raises(TensorError, match="shorter"):
        list(chunks(tensor, tensor))


@pytest.mark.parametrize(
    ("descr", "shape", "words"),
    [
        ("'<f4'", "(-3,)", "impossible shape"),
        ("'<f4'", "('a',)", "type '<f4'"),
        ("'<U8'", "(1,)", "not numbers"),
        ("'<M8[ns]'", "(1,)", "not numbers"),
        ("[('a', '<f4'), ('b', '<i4')]", "(1,)", "not numbers"),
        ("'<f1'", "(3,)", "type '<f1'"),
        ("'|V2'", "(3,)", "bfloat16"),
        ("'|V1'", "(3,)", "1-byte values"),
        ("__import__('os')", "(3,)", "damaged header"),
    ],
)
def test_odd_headers_give_a_reason(tmp_path: Path, descr: str, shape: str, words: str) -> None:
    assert words in reason(written(tmp_path / "x.npy", descr, shape, b"\0" * 64))


def test_huge_headers_and_foreign_versions(tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", "'<f4'", "(" + "1," * 100_000 + ")", b"", b"\x02\x00")
    assert reason(path)
    (tmp_path / "y.npy").write_bytes(b"\x93NUMPY\x09\x00" + b"\0" * 40)
    assert "version (9, 0)" in reason(tmp_path / "y.npy")
    (tmp_path / "z.npy").write_bytes(b"")
    assert "not a .npy file" in reason(tmp_path / "z.npy")
    assert "No such file" in reason(tmp_path / "none.npy")


def test_bfloat16_by_the_dump_beside_it(cases: Path) -> None:
    folder = cases / "A09-bf16-and-fp8-npy"
    expected = json.loads((folder / "expected.json").read_text())["bf16_values"]
    path = folder / "input" / "npu" / "Functional.gelu.0.forward.output.0.npy"
    types = DumpTypes(path.parent)
    assert types.of(path) == "bfloat16"
    assert values(path, types.of(path)).tolist() == [float(value) for value in expected]
    assert DumpTypes(folder / "input" / "bench").of(path) == ""


def test_dump_json_one_folder_above(tmp_path: Path) -> None:
    inner = tmp_path / "dump_tensor_data"
    inner.mkdir()
    record = {"data": {"a": {"output": [{"data_name": "a.npy", "dtype": "torch.float8_e5m2"}]}}}
    (tmp_path / "dump.json").write_text(json.dumps(record))
    assert DumpTypes(inner).of(inner / "a.npy") == "float8_e5m2"
    (tmp_path / "dump.json").write_text("{" * 100_000)
    assert DumpTypes(inner).of(inner / "a.npy") == ""


def test_float8_values(tmp_path: Path) -> None:
    # By the OCP 8-bit floating point specification: largest, smallest subnormal, specials.
    five = {0x7B: 57344.0, 0x01: 2.0**-16, 0x3C: 1.0, 0xBC: -1.0, 0x7C: math.inf, 0x00: 0.0}
    path = written(tmp_path / "a.npy", "'|V1'", f"({len(five)},)", bytes(five))
    assert values(path, "float8_e5m2").tolist() == list(five.values())
    four = {0x7E: 448.0, 0x01: 2.0**-9, 0x38: 1.0, 0xB8: -1.0, 0x08: 2.0**-6, 0x00: 0.0}
    path = written(tmp_path / "b.npy", "'|V1'", f"({len(four)},)", bytes(four))
    assert values(path, "float8_e4m3fn").tolist() == list(four.values())
    path = written(tmp_path / "c.npy", "'|V1'", "(2,)", b"\x7f\xff")
    assert np.isnan(values(path, "float8_e4m3fn")).all()
