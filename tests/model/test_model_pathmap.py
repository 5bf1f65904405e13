"""From recorded frames to project files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from studio.model.frames import Frame, parse_frame, parse_stack
from studio.model.pathmap import PathMapping, split

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "train.py",
    "model/attention.py",
    "model/__init__.py",
    "tools/train.py",
    "tools/model/attention.py",
    "torch/nn/modules/conv.py",
)


@pytest.fixture
def paths(tmp_path: Path) -> PathMapping:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return PathMapping(lambda: [tmp_path / name for name in FILES])


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ("/home/u/job/tools/train.py", ["tools/train.py"]),
        ("/home/u/job/train.py", ["train.py", "tools/train.py"]),
        ("train.py", ["train.py", "tools/train.py"]),
        ("/srv/tools/model/attention.py", ["tools/model/attention.py"]),
        ("/srv/x/model/attention.py", ["model/attention.py", "tools/model/attention.py"]),
        ("./model/../tools/train.py", ["tools/train.py"]),
        (r"D:\job\tools\train.py", ["tools/train.py"]),
        (r"D:\JOB\Tools\Train.py", ["tools/train.py"]),
        ("/srv/other.py", []),
        ("/srv/mytools/train.py", ["train.py", "tools/train.py"]),
        # Installed modules are the project's only when all that follows the library folder agrees.
        ("/usr/lib/python3.9/site-packages/torch/nn/modules/conv.py", ["torch/nn/modules/conv.py"]),
        ("/usr/lib/python3.9/site-packages/torch/utils/model/attention.py", []),
        ("/opt/conda/lib/python3.9/train.py", ["train.py", "tools/train.py"]),
        ("/opt/conda/lib/python3.9/json/__init__.py", []),
        ("", []),
    ],
)
def test_the_longest_common_end_decides(
    paths: PathMapping, tmp_path: Path, recorded: str, expected: list[str]
) -> None:
    assert paths.resolve(recorded) == [tmp_path / name for name in expected]


def test_a_choice_is_remembered_and_saved(paths: PathMapping, tmp_path: Path) -> None:
    told: list[None] = []
    paths.changed.connect(told.append)
    paths.choose("/home/u/job/train.py", tmp_path / "tools" / "train.py")
    assert paths.resolve("/home/u/job/train.py") == [tmp_path / "tools" / "train.py"]
    again = PathMapping(lambda: [tmp_path / name for name in FILES])
    again.load_json(paths.to_json())
    assert again.resolve("/home/u/job/train.py") == [tmp_path / "tools" / "train.py"]
    (tmp_path / "tools" / "train.py").unlink()
    assert len(again.resolve("/home/u/job/train.py")) == 2
    again.remove("/home/u/job/train.py")
    assert again.chosen == {}
    assert told == [None]


def test_prefixes_come_before_ends_and_the_longest_wins(paths: PathMapping, tmp_path: Path) -> None:
    paths.set_prefix("/home/u", tmp_path / "tools")
    paths.set_prefix("/home/u/job", tmp_path)
    assert paths.resolve("/home/u/job/train.py") == [tmp_path / "train.py"]
    assert paths.resolve("/home/u/model/attention.py") == [tmp_path / "tools/model/attention.py"]
    assert len(paths.resolve("/home/user/train.py")) == 2
    paths.set_prefix("C:\\work", tmp_path / "tools")
    assert paths.resolve("C:\\work\\train.py") == [tmp_path / "tools" / "train.py"]
    assert set(paths.prefixes) == {"/home/u", "/home/u/job", "C:\\work"}


def test_a_file_that_exists_here_is_itself(paths: PathMapping, tmp_path: Path) -> None:
    own = tmp_path / "elsewhere" / "train.py"
    own.parent.mkdir()
    own.touch()
    assert paths.resolve(str(own)) == [own]


def test_files_are_looked_up_anew_after_a_change(tmp_path: Path) -> None:
    files = [tmp_path / "a.py"]
    paths = PathMapping(lambda: files)
    assert paths.resolve("/x/b.py") == []
    files.append(tmp_path / "b.py")
    paths.files_changed()
    assert paths.resolve("/x/b.py") == [tmp_path / "b.py"]


def test_parts_of_paths() -> None:
    assert split("/a/./b/../c.py") == ["a", "c.py"]
    assert split(r"C:\a\c.py") == ["C:", "a", "c.py"]
    assert split("C:/a/c.py") == ["C:", "a", "c.py"]
    assert split(r"\\server\share\a.py") == [r"\\server\share", "a.py"]


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("/home/x/train.py(91): forward", Frame("/home/x/train.py", 91, "forward")),
        ("torch/nn/module.py(1501): _call_impl", Frame("torch/nn/module.py", 1501, "_call_impl")),
        ("/opt/a(1)/b.py(9): <lambda>", Frame("/opt/a(1)/b.py", 9, "<lambda>")),
        ("/usr/bin/torchrun(8): <module>", Frame("/usr/bin/torchrun", 8, "<module>")),
        (r"C:\x\t.py(3): g", Frame(r"C:\x\t.py", 3, "g")),
        ('  File "x y.py", line 3, in f', Frame("x y.py", 3, "f")),
        ('File "x.py", line 3', Frame("x.py", 3, "")),
        ("train.py:12", Frame("train.py", 12, "")),
        (r"C:\x\t.py:3: f", Frame(r"C:\x\t.py", 3, "f")),
        ("nn.Module: Conv2d_0", None),
        ("<string>(1): <module>", None),
        ("<built-in method apply of type object at 0x7f>", None),
        ("aten::add(2)", None),
        ("Enqueue(3)", None),
        ("", None),
    ],
)
def test_frames(text: str, frame: Frame | None) -> None:
    assert parse_frame(text) == frame


@pytest.mark.parametrize("separator", [";\r\n", ";\n", ";", "\n", "\r\n"])
def test_stacks(separator: str) -> None:
    text = separator.join(["/a/b.py(1): f", "nn.Module: Net_0", "/a/c.py(22): g", ""])
    assert parse_stack(text) == [Frame("/a/b.py", 1, "f"), Frame("/a/c.py", 22, "g")]


def test_the_stacks_of_a_real_profile(shared: Path) -> None:
    profile = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    trace = json.loads((profile / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_bytes())
    stacks = [e["args"]["Call stack"] for e in trace if "Call stack" in e.get("args", {})]
    assert len(stacks) == 316
    for stack in stacks:
        entries = [entry for entry in stack.split(";\r\n") if entry]
        source = [entry for entry in entries if entry != "<string>(1): <module>"]
        assert [f"{f.path}({f.line}): {f.function}" for f in parse_stack(stack)] == source
