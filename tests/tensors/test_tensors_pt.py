"""Reading `.pt` files: every type, views, nesting, and all that can be wrong with them."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tracemalloc
import zipfile
from collections import OrderedDict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest

from studio.tensors.pickle_check import pickle_end
from studio.tensors.pickle_names import called_names
from studio.tensors.tensor import TensorError, TensorFile, chunks
from studio.tensors.tensor_file import open_one, open_tensor_file
from tests.fixtures.pt_writer import Raw, Writer, write_pt

if TYPE_CHECKING:
    from pathlib import Path


def values(tensor: TensorFile) -> Any:
    """The elements of a tensor as numbers, in its shape."""
    return tensor.type.numbers(tensor.array()).reshape(tensor.shape).tolist()


def reason(path: Path) -> str:
    with pytest.raises(TensorError) as caught:
        open_tensor_file(path)
    assert caught.value.path == path
    return caught.value.message


@pytest.mark.parametrize(
    "dtype",
    ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool",
     "complex64", "complex128"],
)  # fmt: skip
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_every_type_reads_back(tmp_path: Path, dtype: str, compression: int) -> None:
    array = np.array([[0, 1, 2], [3, 4, 1]]).astype(dtype)
    tensor = open_one(write_pt(tmp_path / "x.pt", array, compression))
    assert (tensor.shape, tensor.type.name) == ((2, 3), dtype)
    assert values(tensor) == array.tolist()


@pytest.mark.parametrize(
    "name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
)
def test_types_that_numpy_lacks_equal_ml_dtypes_on_every_code(tmp_path: Path, name: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, name))
    codes = np.arange(2 ** (8 * kind.itemsize), dtype=f"u{kind.itemsize}")
    path = write_pt(tmp_path / "x.pt", Raw(codes, name, codes.shape))
    tensor = open_one(path)
    assert tensor.type.name == name
    found = tensor.type.numbers(tensor.array())
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found, codes.view(kind).astype(np.float64))


def test_views_keep_strides_and_offsets(tmp_path: Path) -> None:
    data = np.arange(24, dtype=np.float32)
    views = {
        "turned": Raw(data, "float32", (6, 4), (1, 6)),
        "part": Raw(data, "float32", (2, 3), (6, 1), offset=7),
        "expanded": Raw(data[:3], "float32", (4, 3), (0, 1)),
        "number": Raw(data, "float32", (), (), offset=5),
        "empty": Raw(data, "float32", (0, 3), (3, 1)),
    }
    found = open_tensor_file(write_pt(tmp_path / "x.pt", views))
    assert values(found["turned"]) == data.reshape(4, 6).T.tolist()
    assert values(found["part"]) == [[7, 8, 9], [13, 14, 15]]
    assert values(found["expanded"]) == [[0, 1, 2]] * 4
    assert values(found["number"]) == 5
    assert values(found["empty"]) == []
    whole = open_one(write_pt(tmp_path / "y.pt", np.ascontiguousarray(data.reshape(4, 6).T)))
    ((start, one, two),) = chunks(found["turned"], whole)
    assert start == 0
    assert one.tolist() == two.tolist() == whole.array().ravel().tolist()


def test_nested_containers_give_dotted_names(tmp_path: Path) -> None:
    one, two = np.ones(2, np.float32), np.zeros((1, 2), np.int64)
    content = {"model": {"layer.weight": one}, "steps": [two, {"k": one}], "epoch": 3, "note": "x"}
    found = open_tensor_file(write_pt(tmp_path / "x.pt", content))
    assert list(found) == ["model.layer.weight", "steps.0", "steps.1.k"]
    assert found["steps.0"].shape == (1, 2)


def test_code_never_runs_and_is_named(cases: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    case = cases / "A12-pickle-must-not-run"
    expected = json.loads((case / "expected.json").read_text())
    good = open_one(case / "input" / "good.pt")
    wanted = expected["good.pt"]
    assert (good.type.name, list(good.shape)) == (wanted["dtype"], wanted["shape"])
    assert values(good) == wanted["values"]
    for name in ("evil.pt", "evil_legacy.pt", "evil_object.npy"):
        assert f"os.{expected['message_names']}" in reason(case / "input" / name)
    archive = open_tensor_file(case / "input" / "evil.npz")
    assert list(archive) == ["ok"]
    assert f"os.{expected['message_names']}" in archive.refused["bad"]
    assert not list(tmp_path.rglob(expected["marker_folder"]))
    assert not (case / "input" / expected["marker_folder"]).exists()


class _Evil:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> Any:
        return self.function, self.arguments


@pytest.mark.parametrize("function", [eval, exec, getattr, print, __import__, compile, open])
@pytest.mark.parametrize("protocol", [2, 4])
def test_functions_are_refused_by_name(tmp_path: Path, function: Any, protocol: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("x/data.pkl", pickle.dumps({"a": _Evil(function, "1")}, protocol))
    assert function.__name__ in reason(tmp_path / "x.pt")
    assert any(function.__name__ in name for name in called_names(
        pickle.dumps(_Evil(function, "1"), protocol)))  # fmt: skip


def test_a_pickle_cannot_change_what_stands_for_functions(tmp_path: Path) -> None:
    state = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}X\x05\x00\x00\x00_makeNsb."
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("x/data.pkl", state)
    assert "damaged" in reason(tmp_path / "x.pt")


def test_legacy_files_are_read_safely(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32)
    raw = Raw(array, "float32", (2, 3))
    tensor = Writer().pickle({"w": raw})
    body = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
    body += pickle.dumps({"little_endian": True}, 2) + tensor + pickle.dumps(["0"], 2)
    path = tmp_path / "x.pt"
    path.write_bytes(body + struct.pack("<q", 6) + array.tobytes())
    assert values(open_tensor_file(path)["w"]) == [[0, 1, 2], [3, 4, 5]]
    path.write_bytes(body + struct.pack("<q", 6) + array.tobytes()[:-4])
    assert "cut off" in reason(path)
    path.write_bytes(pickle.dumps([1, 2], 2))
    assert "not a file of PyTorch" in reason(path)
    path.write_bytes(b"")
    assert "not a file of PyTorch" in reason(path)


def test_cut_off_files_are_told(tmp_path: Path) -> None:
    path = write_pt(tmp_path / "x.pt", np.ones(100, np.float32))
    whole = path.read_bytes()
    for size in (0, 3, 10, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert reason(path)
    place = whole.find(np.ones(10, np.float32).tobytes())
    path.write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
    assert values(open_one(path))[:3] == [0, 0, 1]  # wrong values are still values


def test_tensors_larger_than_their_storage_are_refused(tmp_path: Path) -> None:
    data = np.zeros(4, np.float32)
    for raw in (
        Raw(data, "float32", (5,)),
        Raw(data, "float32", (2,), (4,)),
        Raw(data, "float32", (1,), (1,), offset=4),
        Raw(data, "float32", (2**15, 2**15), (0, 0)),
    ):
        assert "larger than its storage" in reason(write_pt(tmp_path / "x.pt", raw))
    assert "impossible shape" in reason(write_pt(tmp_path / "y.pt", Raw(data, "float32", (-1,))))


def test_a_compressed_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.tensors.tensor.UNPACK_LIMIT", 32 << 20)
    path = tmp_path / "bomb.npz"
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f4", "fortran_order": False, "shape": (2**24,)}
    )
    block = bytes(1 << 20)
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(head.getvalue())
        for _ in range(64):
            member.write(block)
    tracemalloc.start()
    tensor = open_tensor_file(path)["a"]
    assert tensor.shape == (2**24,)
    with pytest.raises(TensorError, match="too large to unpack"):
        tensor.array()
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, a=np.arange(1000))
    data = bytearray(path.read_bytes())
    place = data.rfind(b"PK\x01\x02") + 24
    data[place : place + 4] = struct.pack("<I", 5000)
    path.write_bytes(bytes(data))
    assert "cut off" in open_tensor_file(path).refused["a"]
    data[place : place + 4] = struct.pack("<I", 50_000)
    path.write_bytes(bytes(data))
    tensor = open_tensor_file(path)["a"]
    with pytest.raises(TensorError, match="damaged compressed data"):
        tensor.array()


@pytest.mark.parametrize(
    "body",
    [
        b"\x80\x02]r\xff\xff\xff\x7f.",  # 16 GB of room for one remembered list
        b"\x80\x02]p99999999999\n.",
        b"\x80\x05\x96\x00\x00\x00\x00\x00\x01\x00\x00.",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\x00\x00\x00abc.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02](",
        b"cos\nmkdir",
    ],
)
def test_instructions_that_would_exhaust_memory(tmp_path: Path, body: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("x/data.pkl", body)
    assert "damaged description" in reason(tmp_path / "x.pt")
    (tmp_path / "y.pt").write_bytes(body)
    assert "damaged description" in reason(tmp_path / "y.pt")


def test_instructions_are_followed_to_the_end() -> None:
    values = [1, -1, 2**70, 1.5, "é" * 300, b"x" * 300, bytearray(3), None, True, (1, 2), {3}]
    values += [{"a": [1, {"b": (2,)}]}, OrderedDict(a=1), Fraction(1, 3), [0] * 300]
    for value in values:
        for protocol in range(6):
            data = pickle.dumps(value, protocol)
            assert pickle_end(data + b"more") == len(data)


def test_endless_nesting_ends(tmp_path: Path) -> None:
    # Each level holds the one before twice: 2**40 paths lead to the innermost.
    body = b"\x80\x02](" + b"e" + b"q\x00"
    for level in range(40):
        body += b"](h" + bytes([level]) + b"h" + bytes([level]) + b"eq" + bytes([level + 1])
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("x/data.pkl", body + b".")
    assert "nested too deeply" in reason(tmp_path / "x.pt")
