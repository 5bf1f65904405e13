"""Indexing dumps of MindSpore and plain folders of tensor files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from studio.tensors.dumps.index import dump_kind, index_dump
from studio.tensors.dumps.mindspore import module_of
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import TensorSet, open_tensor_file
from tests.fixtures.pt_writer import write_pt

if TYPE_CHECKING:
    from pathlib import Path

SCOPE = "Default_network-Net_layers-CellList_0-Block_attn-Attn_MatMul-op3"


@pytest.fixture
def mindspore(tmp_path: Path) -> Path:
    """A dump of one iteration with two operators, out of order on disk."""
    folder = tmp_path / "rank_1" / "Net" / "0" / "7"
    folder.mkdir(parents=True)
    (tmp_path / "rank_1" / "execution_order").mkdir()
    order = "NodeExecutionOrder-FullNameWithScope\nDefault/network-Net/Cast-op0\n"
    order += SCOPE.replace("_", "/", 5) + "\n"
    (tmp_path / "rank_1" / "execution_order" / "ms_execution_order_graph_0.csv").write_text(order)
    names = [
        f"MatMul.{SCOPE}.0.0.100.input.1.DefaultFormat.Float32.npy",
        f"MatMul.{SCOPE}.0.0.101.output.0.DefaultFormat.Float32.npy",
        f"MatMul.{SCOPE}.0.0.99.input.0.DefaultFormat.Float32.npy",
        "Cast.Default_network-Net_Cast-op0.0.0.200.output.0.DefaultFormat.npy",
        "Parameter.net.w.0.0.300.output.0.DefaultFormat.Float32.npy",
        "readme.npy.txt",
    ]
    for name in names:
        if name.endswith(".npy"):
            np.save(folder / name, np.ones((2, 2), np.float32))
    return tmp_path


def test_calls_come_in_the_order_of_execution(mindspore: Path) -> None:
    assert dump_kind(mindspore) == "mindspore"
    index = index_dump(mindspore)
    (part,) = index.parts
    assert (part.rank, part.step, part.framework) == (1, 7, "mindspore")
    assert [call.api for call in part.calls] == ["Parameter", "Cast", "MatMul"]
    matmul = part.calls[2]
    assert [value.role + value.place for value in matmul.values] == ["input0", "input1", "output0"]
    assert matmul.parent == "network.layers.0.attn"
    assert matmul.values[0].dtype == "float32"
    assert part.calls[1].values[0].dtype == ""
    assert part.calls[0].module == "net.w"
    assert all(index.path(part, value).is_file() for c in part.calls for value in c.values)


def test_long_names_come_from_the_mapping(mindspore: Path) -> None:
    folder = mindspore / "rank_1" / "Net" / "0" / "7"
    long = f"Sub.{SCOPE.replace('MatMul', 'Sub')}.0.0.400.output.0.DefaultFormat.Float16.npy"
    np.save(folder / "8842136.npy", np.ones(2, np.float16))
    (folder / "mapping.csv").write_text(f"8842136.npy,{long}\n")
    (part,) = index_dump(mindspore).parts
    (sub,) = [call for call in part.calls if call.api == "Sub"]
    assert sub.values[0].file == "8842136.npy"


def test_statistics_of_mindspore(tmp_path: Path) -> None:
    folder = tmp_path / "rank_0" / "Net" / "0" / "0"
    folder.mkdir(parents=True)
    (folder / "statistic.csv").write_text(
        "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
        "Max Value,Min Value,Avg Value,Count,L2Norm Value\n"
        'Add,Default/net/Add-op0,0,0,12,output,0,16,float32,"(2,2)",3.5,-1,null,4,inf\n'
        "Add,Default/net/Add-op0,0,0\n"
    )
    (part,) = index_dump(tmp_path).parts
    (value,) = part.calls[0].values
    assert (part.task, value.shape, value.max, value.min) == ("statistics", (2, 2), 3.5, -1.0)
    assert value.mean is None
    assert value.norm == float("inf")
    assert len(part.faults) == 1


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        (SCOPE, "network.layers.0.attn"),
        ("Default/net-LM/head-Dense/MatMul-op0", "net.head"),
        ("Gradients/Default/net-LM/x-Dense/Grad/MatMul-op0", "Default.net.x.Grad"),
        ("Add-op0", ""),
    ],
)
def test_modules_in_scopes(scope: str, wanted: str) -> None:
    assert module_of(scope) == wanted


def test_the_real_dump(shared: Path) -> None:
    index = index_dump(shared / "data" / "mindspore" / "dump" / "sync_tensor")
    (part,) = index.parts
    assert len(part.calls) == 318
    assert sum(len(call.values) for call in part.calls) == 987
    parents = {call.parent for call in part.calls}
    assert "network.net.layers.0.attn.qkv" in parents


def test_folders_of_any_tensor_files(tmp_path: Path) -> None:
    np.save(tmp_path / "Torch.mean.0.forward.input.0.npy", np.ones(2))
    np.save(tmp_path / "Torch.mean.0.forward.output.0.npy", np.ones(1))
    np.savez(tmp_path / "two.npz", a=np.ones(1), b=np.ones(2))
    write_pt(tmp_path / "model.pt", {"w": np.ones(3, np.float32)})
    (tmp_path / "sub").mkdir()
    np.save(tmp_path / "sub" / "10_x.npy", np.ones(1))
    np.save(tmp_path / "sub" / "9_x.npy", np.ones(1))
    (tmp_path / "bad.npz").write_bytes(b"PK")
    index = index_dump(tmp_path)
    (part,) = index.parts
    assert index.kind == "files"
    names = [call.name for call in part.calls]
    assert names == [
        "Torch.mean.0.forward", "bad", "model:w", "sub/9_x", "sub/10_x", "two:a", "two:b",
    ]  # fmt: skip
    mean = next(call for call in part.calls if call.name == "Torch.mean.0.forward")
    assert [(v.role, v.place) for v in mean.values] == [("input", "0"), ("output", "0")]
    assert len(part.faults) == 1
    (single,) = index_dump(tmp_path / "two.npz").parts
    assert [call.values[0].member for call in single.calls] == ["a", "b"]


def test_the_index_of_many_archives_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.tensors.dumps.cache._MANY", 3)
    for name in "abc":
        write_pt(tmp_path / f"{name}.pt", {"w": np.ones(2, np.float32)})
    opened: list[str] = []

    def opening(path: Path) -> TensorSet:
        opened.append(path.name)
        return open_tensor_file(path)

    monkeypatch.setattr("studio.tensors.dumps.files.open_tensor_file", opening)
    first = index_dump(tmp_path)
    assert opened == ["a.pt", "b.pt", "c.pt"]
    assert index_dump(tmp_path) == first
    assert len(opened) == 3
    write_pt(tmp_path / "b.pt", {"w": np.ones(2, np.float32), "x": np.ones(1, np.float32)})
    names = [call.name for call in index_dump(tmp_path).parts[0].calls]
    assert names == ["a:w", "b:w", "b:x", "c:w"]


def test_single_tensors_are_not_even_opened(tmp_path: Path) -> None:
    for number in range(2, 12):
        (tmp_path / f"{number}.npy").write_bytes(b"not opened")
    (tmp_path / "Torch.f.0.forward.output.0.pt").write_bytes(b"not opened")
    names = [call.name for call in index_dump(tmp_path).parts[0].calls]
    assert names == [*map(str, range(2, 12)), "Torch.f.0.forward"]


def test_nothing_to_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(TensorError, match="holds no tensors"):
        index_dump(tmp_path)
    with pytest.raises(TensorError, match="does not exist"):
        index_dump(tmp_path / "absent")


def test_large_dumps_of_mindspore_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "rank_0" / "Net" / "0" / "3"
    folder.mkdir(parents=True)
    head = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Type,Shape,Max Value"
    rows = [f'MatMul,Default/MatMul-op{n},0,0,{n},output,0,float32,"(2,3)",{n}.5' for n in range(9)]
    table = folder / "statistic.csv"
    table.write_text("\n".join([head, *rows]) + "\n")
    monkeypatch.setattr("studio.tensors.dumps.cache._WORTH_IT", 1)
    first = index_dump(tmp_path)
    assert [call.values[0].max for call in first.parts[0].calls] == [n + 0.5 for n in range(9)]
    with monkeypatch.context() as patch:
        patch.setattr("studio.tensors.dumps.mindspore._read", None)  # nothing is read again
        assert index_dump(tmp_path) == first
    table.write_text("\n".join([head, *rows[:4]]) + "\n")
    assert len(index_dump(tmp_path).parts[0].calls) == 4
    np.save(folder / f"MatMul.{SCOPE}.0.0.101.output.0.DefaultFormat.Float32.npy", np.ones(2))
    assert index_dump(tmp_path).parts[0].task == "tensor"
    inside = index_dump(tmp_path / "rank_0")
    assert inside.parts[0].folder == "Net/0/3"
