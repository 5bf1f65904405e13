"""Files that are no Python: changed where that is safe, told otherwise, never silent."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.native import is_cuda_source
from plugins.migration.core.recognise import kind_of
from plugins.migration.core.scan import scan_bytes, scan_text


def migrated(text: str, name: str) -> str:
    return migrated_text(text, scan_text(text, Path(name)).findings)


def rules(text: str, name: str) -> list[str]:
    return [f.rule for f in scan_text(text, Path(name)).findings]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("export CUDA_VISIBLE_DEVICES=0,1", "export ASCEND_RT_VISIBLE_DEVICES=0,1"),
        ('echo "${CUDA_VISIBLE_DEVICES}"', 'echo "${ASCEND_RT_VISIBLE_DEVICES}"'),
        ("python t.py --dist-backend 'nccl'", "python t.py --dist-backend 'hccl'"),
        ("python t.py --device=cuda:1 # cuda", "python t.py --device=npu:1 # cuda"),
        ("python t.py trainer.device=cuda", "python t.py trainer.device=npu"),
        ('DEVICE="cuda"', 'DEVICE="npu"'),
        ("# export CUDA_VISIBLE_DEVICES=0", "# export CUDA_VISIBLE_DEVICES=0"),
        ("python t.py --device cuda-like", "python t.py --device cuda-like"),
        ('echo "a # b" --backend nccl', 'echo "a # b" --backend hccl'),
    ],
)
def test_shell_scripts(row: str, expected: str) -> None:
    assert migrated(f"#!/bin/sh\r\n{row}\r\n", "run.sh") == f"#!/bin/sh\r\n{expected}\r\n"


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("export NCCL_IB_HCA=mlx5", "environment-check"),
        ("nvidia-smi -L", "shell-tool"),
        ("nsys profile python t.py", "shell-tool"),
        ("module load cuda/12.1", "shell-mention"),
        ("export PATH=/usr/local/cuda/bin:$PATH", "shell-mention"),
        ("python -m torch.distributed.launch t.py", "old-launcher"),
    ],
)
def test_shell_lines_that_need_a_look(row: str, rule: str) -> None:
    assert rules(f"{row}\n", "run.sh") == [rule]


def test_container_files() -> None:
    assert rules("FROM nvidia/cuda:12.1.0-devel-ubuntu22.04\n", "Dockerfile") == ["container-image"]
    assert (
        migrated("ENV CUDA_LAUNCH_BLOCKING=1\n", "Dockerfile") == "ENV ASCEND_LAUNCH_BLOCKING=1\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.yaml", "device: &d cuda\n", "device: &d cuda\n"),
        ("a.yaml", "device: 'cuda:0'  # cuda\nn: 1\n", "device: 'npu:0'  # cuda\nn: 1\n"),
        ("a.yaml", "dist: {backend: nccl, device: cuda}\n", "dist: {backend: hccl, device: npu}\n"),
        ("a.toml", 'device = "cuda"\n', 'device = "npu"\n'),
        ("a.ini", "[run]\nbackend = nccl\n", "[run]\nbackend = hccl\n"),
        ("a.json", '{"device": "cuda", "n": 1}', '{"device": "npu", "n": 1}'),
        ("a.yaml", 'notes: "nccl vs hccl"\n', 'notes: "nccl vs hccl"\n'),
        ("a.yaml", "backend: cpu:gloo,cuda:nccl\n", "backend: cpu:gloo,npu:hccl\n"),
        ("a.yaml", "env:\n  CUDA_VISIBLE_DEVICES: 0\n", "env:\n  ASCEND_RT_VISIBLE_DEVICES: 0\n"),
    ],
)
def test_configurations(name: str, text: str, expected: str) -> None:
    assert migrated(text, name) == expected
    assert migrated(expected, name) == expected


def test_settings_that_need_a_look() -> None:
    assert rules("devices: [cuda, cpu]\nimage: torch-cuda\n", "a.yaml") == ["config-mention"] * 2


def test_requirements() -> None:
    text = (
        "torch==2.1.0+cu118\nFlash_Attn>=2 ; python_version > '3'\n# xformers\ntqdm\n-e ./ops\n"
        "nvidia-nccl-cu12\n"
    )
    found = scan_text(text, Path("requirements.txt")).findings
    assert [(f.rule, f.location.line) for f in found] == [
        ("needs-torch-npu", 1),
        ("cuda-build", 1),
        ("library-manual", 2),
        ("cuda-package", 6),
    ]
    assert rules("torch\ntorch-npu\n", "requirements-npu.txt") == []
    conda = "dependencies:\n  - pip:\n    - xformers==0.0.23\n"
    assert rules(conda, "environment.yml") == ["library-manual"]


def test_cuda_sources(tmp_path: Path) -> None:
    text = "// __global__ in a comment\n__global__ void add(float* a) {}\n"
    (finding,) = scan_text(text, Path("add.cu")).findings
    assert finding.location.line == 2
    assert "add" in finding.why
    binding = '#include <torch/extension.h>\nPYBIND11_MODULE(N, m) {\n  m.def("forward", &f);\n}\n'
    (finding,) = scan_text(binding, Path("k.cpp")).findings
    assert "forward" in finding.why
    (tmp_path / "a.cpp").write_text("int main() { return 0; }\n", encoding="utf-8")
    (tmp_path / "b.cpp").write_text(binding, encoding="utf-8")
    assert not is_cuda_source(tmp_path / "a.cpp")
    assert is_cuda_source(tmp_path / "b.cpp")
    assert not is_cuda_source(tmp_path / "none.cpp")


def notebook(*cells: list[str] | str, indent: int | None = 1) -> str:
    rest = {"metadata": {"a": "\\u00e9"}, "outputs": [], "execution_count": None}
    made: list[dict[str, object]] = [{"cell_type": "markdown", "source": ["cuda"], "metadata": {}}]
    made += [{"cell_type": "code", "source": cell, **rest} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4, "metadata": {}}, indent=indent)


def sources(text: str) -> list[str]:
    cells = json.loads(text)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("indent", [None, 1])
def test_notebooks(indent: int | None) -> None:
    text = notebook(
        ["%matplotlib inline\n", "import torch\n", "d = 'é\"'; x = torch.zeros(1).cuda()\n"],
        'y = x.to("cuda:0")  # 😀 cuda\nz = f"{y.is_cuda}"',
        ["!CUDA_VISIBLE_DEVICES=0 nvidia-smi\n", "torch.cuda.synchronize()"],
        indent=indent,
    )
    new = migrated(text, "a.ipynb")
    assert sources(new) == [
        "%matplotlib inline\nimport torch\nimport torch_npu\nd = 'é\"'; x = torch.zeros(1).npu()\n",
        'y = x.to("npu:0")  # 😀 cuda\nz = f"{y.is_npu}"',
        "!ASCEND_RT_VISIBLE_DEVICES=0 nvidia-smi\ntorch.npu.synchronize()",
    ]
    assert '"cuda"' in new
    assert migrated(new, "a.ipynb") == new


@pytest.mark.parametrize("first", [["import torch"], "import torch", ["import torch\n"]])
def test_an_import_at_the_end_of_a_cell(first: list[str] | str) -> None:
    new = migrated(notebook(first, ["x.cuda()"]), "a.ipynb")
    assert [s.strip() for s in sources(new)] == ["import torch\nimport torch_npu", "x.npu()"]


def test_a_cell_that_is_no_python_does_not_hide_the_others() -> None:
    text = notebook(["import torch"], ["%%bash\n", "nvcc a"], ["x = (\n"], ["torch.cuda.init()"])
    assert "shell-tool" in rules(text, "a.ipynb")
    assert sources(migrated(text, "a.ipynb"))[-1] == "torch.npu.init()"


@pytest.mark.parametrize("text", ["{", "cuda", '{"cells": 3, "a": "cuda"}', '["cuda"]'])
def test_broken_notebooks_are_told_or_empty(text: str) -> None:
    result = scan_text(text, Path("a.ipynb"))
    assert result.changes == 0
    assert result.status in ("skipped", "clean")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.py", "script"),
        ("a.ipynb", "notebook"),
        ("run.sh", "shell"),
        ("Dockerfile.gpu", "shell"),
        ("requirements-dev.txt", "requirements"),
        ("environment.yml", "requirements"),
        ("a.yaml", "config"),
        ("pyproject.toml", "manifest"),
        ("poetry.lock", "manifest"),
        ("CMakeLists.txt", "shell"),
        ("deps/CMakeLists.txt", "shell"),
        ("deps/gpu.txt", "requirements"),
        ("Makefile", "shell"),
        ("a.cuh", "native"),
        ("notes.txt", None),
        ("migration-report.json", None),
    ],
)
def test_kinds_of_files(name: str, kind: str | None) -> None:
    assert kind_of(Path(name)) == kind


def test_a_very_long_line_takes_no_time() -> None:
    begin = time.process_time()
    scan_text('{"device": "cuda", "data": "' + "device_" * 100_000 + '"}', Path("a.json"))
    scan_text("export DATA=" + "backend-" * 100_000 + "cuda\n", Path("run.sh"))
    assert time.process_time() - begin < 30  # a search that backtracks takes minutes


def test_binary_and_huge_files_are_no_trouble() -> None:
    assert scan_bytes(b"\xff\xfe\x00cuda" * 10, Path("a.yaml")).changes == 0
    assert scan_bytes(b"cuda: 1\n" * 200_000, Path("a.yaml")).findings == ()
    assert scan_bytes(b"cuda" * 6_000_000, Path("a.py")).status == "skipped"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"def f(:\n", "no valid Python"),
        (b"print 'x'\n", "Python 2"),
        (b"x = 1\n\xe9\xe9 = 2\n", "no UTF-8"),
    ],
)
def test_a_broken_file_without_torch_is_one_finding_aside(data: bytes, said: str) -> None:
    result = scan_bytes(data, Path("a.py"))
    (finding,) = result.findings
    assert (finding.rule, finding.facts["status"]) == ("unreadable-aside", "info")
    assert said in finding.title
    assert result.status == "skipped"


def test_a_broken_file_with_torch_is_one_finding_in_the_way() -> None:
    (finding,) = scan_bytes(b"import torch\ndef f(:\n", Path("a.py")).findings
    assert (finding.rule, finding.facts["status"]) == ("unreadable", "unreadable")


@pytest.mark.parametrize("data", [b"x = 1\n", b"\n \n", b"# -*- coding: gbk -*-\n# \xc4\xe3\n"])
def test_a_sound_file_without_torch_is_not_told(data: bytes) -> None:
    assert scan_bytes(data, Path("a.py")).findings == ()
