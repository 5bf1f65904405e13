"""Code found in public packages that looks like something to change or to tell, and is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.scan import scan_text

HEAD = "import os\nimport torch\nimport torch.distributed as dist\n"

SILENT = {
    "a table with an entry for NPUs": 'ways = {"cuda": 1, "npu": 2}',
    "a name that is bound anew": (
        "from torch.nn.attention.flex_attention import BlockMask\nBlockMask = None"
    ),
    "a type that is only annotated": "def f(x: torch.nn.DataParallel) -> torch.nn.GRU: ...",
    "a type that is only asked for": "ok = isinstance(m, (torch.nn.DataParallel, torch.nn.GRU))",
    "a function of the project that is asked about a type": "size = bytes_of(torch.float64)",
    "the limits of a type": "least = torch.finfo(torch.float64).eps",
    "types to choose from": "kinds = (torch.float32, torch.float64)",
    "what was moved to the CPU": "y = x.cpu().clamp_(0)",
    "the branch without NPUs of a variable": (
        "if has_npu:\n    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '1'\n"
        "else:\n    os.environ['CUDA_VISIBLE_DEVICES'] = '1'"
    ),
    "the gradient of a SwiGLU": (
        "import torch.nn.functional as F\ndef swiglu_back(g, y, z):\n    return g * F.silu(y), z"
    ),
    "what is read from memory": (
        "import io\nb = io.BytesIO(data)\nx = torch.load(b)\ny = torch.load(io.BytesIO(data))"
    ),
    "a norm over an image": "y = x * x.square().mean(dim=(2, 3), keepdim=True).add(1e-5).rsqrt()",
    "a device that is called like a number": (
        "def f(device, bound):\n    device_id = device if bound else None\n"
        '    dist.init_process_group("gloo", device_id=device_id)'
    ),
}


def rules(code: str, name: str = "a.py") -> list[str]:
    found = scan_text(code, Path(name)).findings
    return [f.rule for f in found if f.rule not in ("npu-aware", "torch-api-condition")]


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_what_only_looks_like_it_is_not_told(code: str) -> None:
    assert rules(HEAD + code) == []


def test_the_number_of_the_current_card_stays_a_number() -> None:
    code = "card = torch.cuda.current_device()\nx = torch.zeros(1, device=card)"
    assert rules(HEAD + code) == ["import-torch-npu", "cuda-name"]


def test_a_method_that_takes_more_than_torchs_own_is_looked_at_first() -> None:
    assert "cuda-method-unsure" in rules(HEAD + "quantizer.cuda(weight, meta=1, device=d)")
    assert "cuda-method" in rules(HEAD + "weight.cuda(d, non_blocking=True)")


def test_variables_of_nccl_are_told_wherever_the_environment_is_changed() -> None:
    assert rules(HEAD + "names = ['NCCL_DEBUG_FILE']\nos.environ.update(n)") == [
        "environment-check"
    ]
    assert rules(HEAD + "names = ['NCCL_DEBUG_FILE']") == []


def test_the_place_of_cuda_is_no_build_of_an_operator() -> None:
    code = "from torch.utils.cpp_extension import CUDA_HOME\nprint(CUDA_HOME)"
    assert rules(HEAD + code) == ["torch-feature"]


def test_a_module_of_pybind11_without_torch_is_left_alone() -> None:
    plain = '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(helpers, m) { m.def("f", &f); }\n'
    assert rules(plain, "helpers.cpp") == []
    assert rules("#include <torch/extension.h>\n" + plain, "helpers.cpp") == [
        "custom-operator-binding"
    ]


def test_questions_about_cuda_in_cpp_without_kernels_are_told() -> None:
    code = "#include <torch/torch.h>\n// is_cuda()\nbool f(at::Tensor x) { return x.is_cuda(); }\n"
    assert rules(code, "ask.cpp") == ["shell-mention"]
    assert rules(code + "__global__ void k() {}\n", "ask.cu") == ["cuda-source"]


def test_a_library_that_needs_nothing_is_told_once_in_a_file() -> None:
    code = "import deepspeed\n\ndef f():\n    from deepspeed import zero\n    import flash_attn\n"
    assert rules(code + "    from flash_attn import g\n") == [
        "library-ready", "library-manual", "library-manual",
    ]  # fmt: skip


def test_a_type_that_is_only_returned_is_not_computed_with() -> None:
    assert rules(HEAD + "def dtype():\n    return torch.double\n") == []
    assert rules(HEAD + "def ones():\n    return torch.ones(2, dtype=torch.double)\n") == [
        "fp64-use"
    ]


def test_operators_of_other_devices_are_left_alone() -> None:
    assert rules(HEAD + "y = torch.ops.hpu.cast_from_fp8(x)\n") == []
    assert rules(HEAD + "y = torch.ops.mine.cast(x)\n") == ["custom-operator-lookup"]


@pytest.mark.parametrize(
    "code",
    [
        "if not rocm and torch.cuda.is_available():\n    n = int(torch.version.cuda[:2])\n",
        "if torch.cuda.is_available() and torch.version.cuda >= '11.8':\n    n = 1\n",
        "new = torch.cuda.is_available() and torch.version.cuda >= '11.8'\n",
        "n = torch.version.cuda[:2] if torch.cuda.is_available() else ''\n",
    ],
)
def test_a_test_that_guards_the_version_of_cuda_asks_for_a_look(code: str) -> None:
    found = [f for f in scan_text(HEAD + code, Path("a.py")).findings if f.rule == "cuda-name"]
    assert [finding.facts["status"] for finding in found] == ["review"]
    plain = "if torch.cuda.is_available():\n    n = 1\nprint(torch.version.cuda)\n"
    found = [f for f in scan_text(HEAD + plain, Path("a.py")).findings if f.rule == "cuda-name"]
    assert [finding.facts["status"] for finding in found] == ["auto"]
