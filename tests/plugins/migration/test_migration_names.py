"""Names resolved through imports, aliases, scopes and getattr; look-alikes stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text


def migrated(text: str) -> str:
    return migrated_text(text, scan_text(text, Path("train.py")).findings)


def rules(text: str) -> list[str]:
    return [f.rule for f in scan_text(text, Path("train.py")).findings]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torch.cuda.empty_cache()", "torch.npu.empty_cache()"),
        ("c = torch.cuda", "c = torch.npu"),
        ("avail = torch.cuda.is_available", "avail = torch.npu.is_available"),
        ("getattr(torch, 'cuda').synchronize()", "getattr(torch, 'npu').synchronize()"),
        ("ok = hasattr(torch, 'cuda')", "ok = hasattr(torch, 'npu')"),
        ("f = lambda: torch.cuda.current_device()", "f = lambda: torch.npu.current_device()"),
        ("g = torch.cuda.CUDAGraph()", "g = torch.npu.NPUGraph()"),
        ("x = isinstance(y, torch.cuda.FloatTensor)", "x = isinstance(y, torch.npu.FloatTensor)"),
        (
            "b = torch.backends.cuda.cufft_plan_cache.size",
            "b = torch.npu.backends.fft_plan_cache.size",
        ),
        ("(torch\n    .cuda\n    .synchronize())", "(torch\n    .npu\n    .synchronize())"),
        (
            "v = f'é {torch.cuda.memory_allocated():,} ü'",
            "v = f'é {torch.npu.memory_allocated():,} ü'",
        ),
        (
            "v = f'{x.cuda()!r:>{w}} {torch.cuda.device_count()=}'",
            "v = f'{x.npu()!r:>{w}} {torch.npu.device_count()=}'",
        ),
        ("s = [t.cuda() for t in ts if t.is_cuda]", "s = [t.npu() for t in ts if t.is_npu]"),
        ("nets['a'].cuda(non_blocking=True).half()", "nets['a'].npu(non_blocking=True).half()"),
        (
            "m = torch.nn.Linear(1, 1); move = m.cuda; move()",
            "m = torch.nn.Linear(1, 1); move = m.npu; move()",
        ),
        ("t = torch.Tensor.cuda", "t = torch.Tensor.npu"),
        (
            "s = torch.cuda.current_stream().cuda_stream",
            "s = torch.npu.current_stream().npu_stream",
        ),
    ],
)
def test_names_are_rewritten(line: str, expected: str) -> None:
    assert migrated(f"import torch\n{line}\n") == f"import torch\nimport torch_npu\n{expected}\n"


@pytest.mark.parametrize(
    "code",
    [
        "import torch\n\ndef f(torch):\n    return torch.cuda.is_available()\n",
        "import torch\n\nclass A:\n    cuda = 1\n\nprint(A.cuda, A().cuda)\n",
        "import torch\nuse = args.cuda\nif args.cuda:\n    pass\n",
        "import torch\nimport pycuda.driver as cuda\ncuda.init()\n",
        "import torch\nimport cupy as cp\ns = cp.cuda.Stream()\n",
        "import torch\nfrom numba import cuda\n\n@cuda.jit\ndef k(a):\n    pass\n",
        "import torch\nimport box\nbox.cuda(3)\nbox.inner.cuda(3)\n",
        "import torch\nversion = torch.version.cuda\n",
        "import torch\n\nclass M(torch.nn.Module):\n    def cuda(self):\n"
        "        return super().cuda()\n\nM().cuda()\n",
        "import torch\n\nclass C:\n    def __init__(self):\n        self.is_cuda = True\n\n"
        "    def go(self):\n        return self.is_cuda\n",
        "import torch\nprint('cuda')\nlog.info('cuda')\nraise ValueError('cuda')\n",
        "import torch\n__all__ = ['cuda']\n",
        "import os, torch\np = os.path.join('cuda', 'kernels')\n",
        "import torch\nuse_cuda = no_cuda = barracuda = 3\n",
        "class torch:\n    cuda = None\n\ntorch.cuda\n",
    ],
)
def test_look_alikes_stay(code: str) -> None:
    assert migrated(code) == code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "import torch as th\nth.cuda.init()\n",
            "import torch as th\nimport torch_npu\nth.npu.init()\n",
        ),
        (
            "import torch.cuda\ntorch.cuda.init()\n",
            "import torch\nimport torch_npu\ntorch.npu.init()\n",
        ),
        (
            "import torch.cuda as tc\ntc.init()\n",
            "import torch_npu.npu as tc\nimport torch_npu\ntc.init()\n",
        ),
        (
            "from torch import cuda\ncuda.init()\n",
            "import torch_npu\nfrom torch import npu as cuda\ncuda.init()\n",
        ),
        (
            "from torch import nn, cuda as c\nc.init()\n",
            "import torch_npu\nfrom torch import nn, npu as c\nc.init()\n",
        ),
        (
            "from torch.cuda import CUDAGraph, Stream\n",
            "from torch_npu.npu import NPUGraph as CUDAGraph, Stream\nimport torch_npu\n",
        ),
        (
            "import os, torch.cuda.amp as amp\n",
            "import os, torch_npu.npu.amp as amp\nimport torch_npu\n",
        ),
        (
            "from torch.cuda.amp import (\n    autocast,  # a\n)\n",
            "from torch_npu.npu.amp import (\n    autocast,  # a\n)\nimport torch_npu\n",
        ),
    ],
)
def test_imports_in_every_shape(code: str, expected: str) -> None:
    assert migrated(code) == expected


def test_what_has_no_counterpart_is_told_and_kept() -> None:
    code = "import torch\nc = torch.cuda\nc.memory_usage()\ntorch.cuda.nvtx.range_push('a')\n"
    result = scan_text(code, Path("train.py"))
    missing = [f for f in result.findings if f.rule == "cuda-name-missing"]
    assert [(f.location.line, f.fix) for f in missing] == [(3, None), (4, None)]
    assert "mstx" in missing[1].why
    assert "nvtx" in migrated(code)


def test_a_name_nobody_lists_is_for_review() -> None:
    code = "import torch\ntorch.cuda.brand_new()\n"
    finding = scan_text(code, Path("train.py")).findings[-1]
    assert (finding.rule, finding.facts["status"]) == ("cuda-name-unlisted", "review")
    assert finding.fix is not None
    assert not finding.fix.safe


def test_the_verdict_depends_on_the_version() -> None:
    from plugins.migration.core.model import ScanContext

    code = "import torch\ntorch.cuda.host_memory_stats()\n"
    found = {
        version: scan_text(code, Path("a.py"), ScanContext(version)).findings[-1].rule
        for version in ("2.6", "2.8")
    }
    assert found == {"2.6": "cuda-name-unlisted", "2.8": "cuda-name"}


def test_own_members_are_told() -> None:
    code = "import torch\n\nclass Cfg:\n    is_cuda = False\n\nif Cfg().is_cuda:\n    pass\n"
    assert rules(code) == ["own-cuda"]


def test_unknown_objects_are_for_review_if_a_class_has_such_a_member() -> None:
    code = "import torch\n\nclass Cfg:\n    is_cuda = False\n\ndef f(x):\n    return x.is_cuda\n"
    findings = scan_text(code, Path("a.py")).findings
    assert [f.rule for f in findings] == ["import-torch-npu", "cuda-method-unsure"]
