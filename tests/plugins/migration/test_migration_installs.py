"""What scripts, images, workflows and settings install or ask for beside Python code."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.recognise import kind_of
from plugins.migration.core.scan import scan_bytes, scan_text


def told(name: str, text: str) -> list[str]:
    found = scan_bytes(text.encode(), Path(name)).findings
    return [f"{f.location.line} {f.rule} {f.facts['old']}" for f in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pip install flash-attn", ["1 library-manual flash-attn"]),
        ("pip3 install -U 'bitsandbytes>=0.4' && echo xformers",
         ["1 library-manual bitsandbytes"]),
        ("python -m pip --quiet install \\\n  numpy \\\n  xformers==0.0.27\n  apex",
         ["3 library-manual xformers"]),
        ("uv pip install --system -r vllm.txt vllm[gpu]", ["1 library-ready vllm"]),
        ("uv add cupy-cuda12x; poetry add pynvml",
         ["1 library-unsupported cupy-cuda12x", "1 library-manual pynvml"]),
        ("uv add xformers", ["1 library-manual xformers"]),
        ("conda install -c apex -y tensorrt", ["1 library-unsupported tensorrt"]),
        ("pip install git+https://github.com/Dao-AILab/flash-attention.git@v2.5",
         ["1 library-manual git+https://github.com/Dao-AILab/flash-attention.git@v2.5"]),
        ("pip install https://x/flash_attn-2.5-cp310-linux_x86_64.whl",
         ["1 library-manual https://x/flash_attn-2.5-cp310-linux_x86_64.whl"]),
        ("pip install torch==2.1.0+cu118 --index-url=https://x.org/whl/cu118",
         ["1 cuda-build torch==2.1.0+cu118", "1 cuda-build https://x.org/whl/cu118"]),
        ("pip install flash-attn\npip install flash-attn", ["1 library-manual flash-attn"]),
        ("RUN pip install \\\n  numpy \\\n  # why\n  xformers", ["4 library-manual xformers"]),
        ("pip install numpy\n# why\nxformers", []),
        ("pip uninstall flash-attn", []),
        ("echo install flash-attn", []),
        ("# pip install flash-attn", []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["run.sh", "Dockerfile", "ci.yml"])
def test_packages_that_commands_install(name: str, text: str, expected: list[str]) -> None:
    assert told(name, text) == expected


def test_a_cell_that_installs_is_told() -> None:
    source = ["!pip install flash-attn\n", "%pip install xformers\n"]
    cells = [{"cell_type": "code", "source": source, "outputs": []}]
    text = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    assert [row.split(" ", 1)[1] for row in told("a.ipynb", text)] == [
        "library-manual flash-attn",
        "library-manual xformers",
    ]


def test_the_code_behind_a_command_of_several_lines_is_still_code() -> None:
    source = ["!pip install \\\n", "  flash-attn\n", "import torch\n", "x = torch.ones(1).cuda()"]
    cells = [{"cell_type": "code", "source": source, "outputs": []}]
    text = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    found = scan_text(text, Path("a.ipynb")).findings
    assert [f.rule for f in found] == ["library-manual", "import-torch-npu", "cuda-method"]
    code = json.loads(migrated_text(text, found))["cells"][0]["source"]
    assert code[:2] == source[:2]
    assert code[-1] == "x = torch.ones(1).npu()"


def test_a_notebook_that_only_imports_a_library_is_told() -> None:
    cells = [{"cell_type": "code", "source": "import xformers", "outputs": []}]
    text = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5})
    assert [row.split()[1] for row in told("a.ipynb", text)] == ["library-manual"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("requirements.txt", "git+https://github.com/NVIDIA/apex.git#egg=apex\n",
         ["1 library-manual git+https://github.com/NVIDIA/apex.git#egg=apex"]),
        ("requirements.txt", "-e git+ssh://git@x/a.git@b#subdirectory=c&egg=flash_attn\n",
         ["1 library-manual git+ssh://git@x/a.git@b#subdirectory=c&egg=flash_attn"]),
        ("requirements.txt",
         "torch==2.1.0+cu118 --hash=sha256:a \\\n    --hash=sha256:b\ntorch-npu\n",
         ["1 cuda-build torch==2.1.0+cu118"]),
        ("environment.yml", "dependencies:\n  - conda-forge::cupy\n  - 'conda-forge::numpy'\n",
         ["2 library-unsupported cupy"]),
        ("environment.yml", "variables:\n  CUDA_VISIBLE_DEVICES: 0\n  NCCL_DEBUG: INFO\n",
         ["2 environment-variable CUDA_VISIBLE_DEVICES", "3 environment-check NCCL_DEBUG"]),
        ("pyproject.toml", '[[tool.uv.index]]\nurl = "https://x.org/whl/cu124"\n',
         ["2 cuda-build https://x.org/whl/cu124"]),
        ("requirements/gpu.txt", "xformers\n", ["1 library-manual xformers"]),
        ("reqs/dev.in", "vllm\n", ["1 library-ready vllm"]),
    ],
)  # fmt: skip
def test_lists_of_packages(name: str, text: str, expected: list[str]) -> None:
    assert told(name, text) == expected


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("Dockerfile", 'ENTRYPOINT ["python", "t.py", "--device", "cuda"]\n',
         'ENTRYPOINT ["python", "t.py", "--device", "npu"]\n'),
        ("ci.yml", "  - run: CUDA_VISIBLE_DEVICES=0 pytest --device cuda  # cuda\n",
         "  - run: ASCEND_RT_VISIBLE_DEVICES=0 pytest --device npu  # cuda\n"),
        ("launch.json", '{"args": ["--dist-backend=nccl", "--device", "cuda:1"]}\n',
         '{"args": ["--dist-backend=hccl", "--device", "npu:1"]}\n'),
        ("run.ps1", '$env:CUDA_VISIBLE_DEVICES = "0"\n', '$env:ASCEND_RT_VISIBLE_DEVICES = "0"\n'),
        ("c.jsonc", '{"device": "cuda", // here\n}\n', '{"device": "npu", // here\n}\n'),
        ("a.yaml", "devices: [\"cuda:0\", 'cuda:1', cuda:2]  # cuda\n",
         "devices: [\"npu:0\", 'npu:1', npu:2]  # cuda\n"),
        ("a.toml", 'devices = ["cuda:0"]\nnames = ["cuda"]\n',
         'devices = ["npu:0"]\nnames = ["cuda"]\n'),
        ("a.yaml", "devices: [cuda, cpu]\n", "devices: [cuda, cpu]\n"),
        ("d.json5", "{backend: 'nccl'}\n", "{backend: 'hccl'}\n"),
        ("ci.yml", "name: my-device cuda\n", "name: my-device cuda\n"),
        # comments stay, and hide no setting before them
        ("c.jsonc", '{// "device": "cuda"\n"u": "x://y", "device": "cuda" // "device": "cuda"\n}\n',
         '{// "device": "cuda"\n"u": "x://y", "device": "npu" // "device": "cuda"\n}\n'),
        ("a.ini", "; device = cuda\ndevice = cuda\n", "; device = cuda\ndevice = npu\n"),
        ("a.yaml", "run: t // --device cuda\n", "run: t // --device npu\n"),
        ("a.bat", "rem t --device cuda\r\n:: t --device cuda\r\nt --device cuda\r\n",
         "rem t --device cuda\r\n:: t --device cuda\r\nt --device npu\r\n"),
    ],
)  # fmt: skip
def test_options_in_other_files(name: str, text: str, after: str) -> None:
    assert kind_of(Path(name)) is not None
    assert migrated_text(text, scan_text(text, Path(name)).findings) == after


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("k8s.yaml", "limits:\n  nvidia.com/gpu: 8\n", ["2 asks-for-gpus nvidia.com/gpu"]),
        ("compose.yml", "runtime: nvidia\nenvironment:\n  - NVIDIA_VISIBLE_DEVICES=all\n",
         ["1 asks-for-gpus runtime: nvidia", "3 environment-check NVIDIA_VISIBLE_DEVICES"]),
        ("run.sh", "docker run --gpus all image\n", ["1 asks-for-gpus --gpus"]),
        ("ci.yml", "- run: nvidia-smi\n", ["1 shell-tool nvidia-smi"]),
        ("a.yaml", "url: https://github.com/nvidia/x\n", []),
        # a line is told as long as something on it is neither changed nor told
        ("a.json", '{"device": "cuda", "home": "/usr/local/cuda"}\n',
         ["1 config-value cuda", "1 config-mention cuda"]),
        ("run.sh", "export CUDA_HOME=/usr/local/cuda\n", ["1 environment-check CUDA_HOME"]),
    ],
)  # fmt: skip
def test_what_asks_for_gpus(name: str, text: str, expected: list[str]) -> None:
    assert told(name, text) == expected


def test_settings_behind_a_long_line_are_found() -> None:
    text = json.dumps({"data": ["x"] * 20_000, "device": "cuda"})
    assert told("a.json", text) == ["1 config-value cuda"]


@pytest.mark.parametrize(
    ("name", "piece"), [("a.json", '"a": "", "device": "cuda",'), ("run.sh", " t --device=cuda")]
)
@pytest.mark.parametrize("before", range(0, 32, 8))
def test_no_setting_is_lost_where_a_long_line_is_cut(name: str, piece: str, before: int) -> None:
    text = "{" + "x" * before + "," + piece * 1500 + "}"
    found = scan_text(text, Path(name)).findings
    assert migrated_text(text, found) == text.replace("cuda", "npu")


@pytest.mark.parametrize(
    "text", ["pip install " * 1600, "+cu1" * 5000, "/whl/" + "a/" * 9900, "#egg=" * 4000]
)
@pytest.mark.parametrize("name", ["run.sh", "a.yaml", "requirements.txt", "pyproject.toml"])
def test_lines_made_to_be_slow_are_not(name: str, text: str) -> None:
    begin = time.process_time()
    scan_text(text, Path(name))
    assert time.process_time() - begin < 2


def test_a_large_notebook_takes_no_longer_for_each_finding() -> None:
    rows = [f"x{n} = torch.zeros({n}).cuda()\n" for n in range(300)]
    output = {"output_type": "display_data", "data": {"image/png": "A" * 20_000}}
    cells = [{"cell_type": "code", "source": [row], "outputs": [output]} for row in rows]
    cells.insert(0, {"cell_type": "code", "source": ["import torch\n"], "outputs": []})
    text = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    begin = time.process_time()
    found = scan_text(text, Path("a.ipynb")).findings
    assert time.process_time() - begin < 3
    methods = [f for f in found if f.rule == "cuda-method"]
    assert [(f.facts["old"], f.facts["new"]) for f in methods] == [("cuda", "npu")] * 300
