"""Advice on precision and performance, operators of the project: what is told, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
RULES = {
    "fused-optimizer", "fused-attention", "fused-rms-norm", "fused-rotary", "fused-swiglu",
    "fp64-use", "autocast-type", "scaler-with-bf16", "determinism", "overflow-constant",
    "inductor", "compile-mode", "fork-rng", "slow-check", "loader-in-process", "profiler-table",
    "custom-operator-call", "custom-operator-lookup", "triton-kernel", "triton-launch", "tf32-flag",
}  # fmt: skip
BF16 = "with torch.autocast(d, dtype=torch.bfloat16):\n    pass\n"
LOAD = "from torch.utils.cpp_extension import load\next = load(name='e', sources=['e.cu'])\n"

TOLD = {
    # one fused operator for a pattern
    "o = torch.optim.AdamW(p)": ["1 fused-optimizer"],
    "from torch.optim import Adam\no = Adam(p)": ["2 fused-optimizer"],
    "from torch import optim\no = optim.SGD(p, lr=1)": ["2 fused-optimizer"],
    "def f(q, k, v):\n    a = torch.matmul(q, k)\n    a = F.softmax(a, dim=-1)\n"
    "    return torch.matmul(a, v)": ["3 fused-attention"],
    "def f(q, k, v):\n    a = (q @ k).softmax(dim=-1)\n    return a @ v": ["2 fused-attention"],
    "def f(q, k, v):\n    a = torch.bmm(q, k)\n    return torch.bmm(a.softmax(-1), v)": [
        "3 fused-attention"
    ],
    "def f(x):\n    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + e)": [
        "2 fused-rms-norm"
    ],
    "y = x * (x ** 2).mean(-1).add(e).rsqrt()": ["1 fused-rms-norm"],
    "y = x * torch.rsqrt((x * x).mean(-1) + e)": ["1 fused-rms-norm"],
    "q = (q * cos) + (rotate_half(q) * sin)": ["1 fused-rotary"],
    "y = F.silu(self.w1(x)) * self.w3(x)": ["1 fused-swiglu"],
    "y = self.w2(self.w3(x) * F.silu(g))": ["1 fused-swiglu"],
    # precision
    "x = torch.zeros(1, dtype=torch.float64)": ["1 fp64-use"],
    "x = y.double()\nz = y.double()": ["1 fp64-use"],
    "x = y.to(torch.double)": ["1 fp64-use"],
    "with torch.autocast(d, dtype=torch.float16):\n    pass": ["1 autocast-type"],
    "with torch.amp.autocast(d, dtype=torch.half):\n    pass": ["1 autocast-type"],
    f"s = torch.amp.GradScaler()\n{BF16}": ["1 scaler-with-bf16"],
    "torch.use_deterministic_algorithms(True)": ["1 determinism"],
    "torch.backends.cudnn.deterministic = True": ["1 determinism"],
    "s = x.half().masked_fill(m, -1e9)": ["1 overflow-constant"],
    "with torch.autocast(d):\n    s = s.masked_fill_(m, -1.0e10)": ["2 overflow-constant"],
    "x = x.half()\ny = torch.full_like(x, 1e6)": ["2 overflow-constant"],
    "torch.backends.cuda.matmul.allow_tf32 = True": ["1 tf32-flag"],
    "torch.backends.cudnn.allow_tf32 = False": ["1 tf32-flag"],
    # compiling, random states, slow modes
    "torch._inductor.config.max_autotune = True": ["1 inductor"],
    "m = torch.compile(m, mode='max-autotune')": ["1 compile-mode"],
    "torch.cuda.seed()\nwith torch.random.fork_rng(devices=[0]):\n    pass": ["2 fork-rng"],
    "torch.cuda.seed()\nwith torch.random.fork_rng([0],):\n    pass": ["2 fork-rng"],
    "with torch.autograd.detect_anomaly():\n    pass": ["1 slow-check"],
    "torch.autograd.set_detect_anomaly(True)": ["1 slow-check"],
    "d = torch.utils.data.DataLoader(s, 4)": ["1 loader-in-process"],
    "d = torch.utils.data.DataLoader(s, num_workers=0)": ["1 loader-in-process"],
    "def f(profiler):\n    return profiler.key_averages()": ["2 profiler-table"],
    # operators of the project
    f"{LOAD}y = ext.forward(x)": ["3 custom-operator-call"],
    f"{LOAD}def f(x):\n    return ext.backward(x)": ["4 custom-operator-call"],
    "y = torch.ops.mylib.add(x)": ["1 custom-operator-lookup"],
    "y = torch.ops.mylib.add.default(x)": ["1 custom-operator-lookup"],
    "import triton\n@triton.jit\ndef k(p):\n    pass": ["2 triton-kernel"],
    "import triton\n@triton.jit\ndef k(p):\n    pass\ndef run(x):\n    k[(4,)](x, N=2)": [
        "2 triton-kernel",
        "6 triton-launch",
    ],
    "from .ops import add_kernel as go, add_table\ngo[grid](x)\nadd_table[key](x)": [
        "2 triton-launch"
    ],
    "import triton as t\n@t.jit(do_not_specialize=['n'])\ndef k(p, n):\n    pass": [
        "2 triton-kernel"
    ],
}
SILENT = (
    "o = optim.AdamW(p)",
    "o = my.optim.AdamW(p)",
    "o = torch.optim.Adagrad(p)",
    "class AdamW:\n    pass\no = AdamW()",
    "def f(x, w):\n    return F.softmax(x @ w, dim=-1)",
    "def f(x, w):\n    return F.softmax(x, dim=-1) @ w",
    "a = F.softmax(q @ k, -1) @ v",
    "def f(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)",
    "y = torch.rsqrt(x)",
    "y = x.rsqrt()",
    "y = x * torch.rsqrt(x.var(-1).mean() + e)",
    "y = rotate_half(q)",
    "y = F.silu(x)",
    "y = F.silu(x) * 2",
    "y = F.silu(x) + z",
    "y = my.silu(x) * z",
    "if x.dtype == torch.float64:\n    pass",
    "names = {torch.float64: 'f8'}",
    "ok = x.dtype in (torch.float32, torch.float64)",
    "x = torch.zeros(1, dtype=torch.float32)",
    "double(x)",
    "with torch.autocast(d):\n    pass",
    f"{BF16}",
    f"s = torch.amp.GradScaler(enabled=False)\n{BF16}",
    "s = torch.amp.GradScaler()",
    "torch.use_deterministic_algorithms(False)",
    "torch.backends.cudnn.deterministic = False",
    "s = s.masked_fill(m, -1e9)",
    "s = x.half().masked_fill(m, float('-inf'))",
    "s = x.half().masked_fill(m, -1e4)",
    "s = x.half().masked_fill(m, torch.finfo(x.dtype).min)",
    "x.half()\nn = steps(1e9)",
    "m = torch.compile(m)",
    "m = torch.compile(m, mode='default')",
    "m = re.compile('x', mode='max-autotune')",
    "with torch.random.fork_rng():\n    pass",
    "torch.cuda.seed()\nwith torch.random.fork_rng(device_type=kind):\n    pass",
    "torch.cuda.seed()\nwith torch.random.fork_rng(**options):\n    pass",
    "torch.autograd.set_detect_anomaly(False)",
    "d = torch.utils.data.DataLoader(s, num_workers=4)",
    "d = torch.utils.data.DataLoader(s, **options)",
    "d = mine.DataLoader(s)",
    "x.key_averages()",
    "def f(model, x):\n    return model.forward(x)",
    f"{LOAD}y = model.forward(x)",
    f"{LOAD}ext = model\ny = ext.forward(x)",
    "from mine import load\next = load('e')\next.forward(x)",
    "y = torch.ops.aten.add(x)",
    "y = torch.ops.npu.npu_swiglu(x)",
    "torch.ops.load_library('x.so')",
    "import numba\n@numba.jit\ndef k(p):\n    pass",
    "from mine import triton\n@triton.jit\ndef k(p):\n    pass",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = True",
)


def told(code: str) -> list[str]:
    result = scan_text(HEAD + code + "\n", Path("a.py"))
    return [f"{(f.location.line or 0) - 3} {f.rule}" for f in result.findings if f.rule in RULES]


@pytest.mark.parametrize("code", TOLD)
def test_what_is_told(code: str) -> None:
    assert told(code) == TOLD[code]


@pytest.mark.parametrize("code", SILENT)
def test_look_alikes_stay_untold(code: str) -> None:
    assert told(code) == []


def test_every_rule_is_shown() -> None:
    assert {line.split()[1] for lines in TOLD.values() for line in lines} == RULES


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("torch.backends.cudnn.allow_tf32 = False", "torch.npu.conv.allow_hf32 = False"),
        ("torch.cuda.seed()\nfork = torch.random.fork_rng([0], )", "([0], device_type='npu')"),
        ("torch.cuda.seed()\nfork = torch.random.fork_rng([0])", "([0], device_type='npu')"),
        ("torch.cuda.seed()\nfork = torch.random.fork_rng([0],)", "([0], device_type='npu')"),
        ("import torch as t\nt.backends.cuda.matmul.allow_tf32 = 1", "t.npu.matmul.allow_hf32"),
    ],
)
def test_what_is_rewritten(code: str, new: str) -> None:
    text = HEAD + code + "\n"
    assert new in migrated_text(text, scan_text(text, Path("a.py")).findings)


def test_advice_names_its_fused_operator_and_source() -> None:
    text = f"{HEAD}o = torch.optim.AdamW(p)\n"
    result = scan_text(text, Path("a.py"))
    (finding,) = [f for f in result.findings if f.rule == "fused-optimizer"]
    assert finding.facts["affinity"] == "torch_npu.optim.NpuFusedAdamW"
    assert finding.evidence.startswith("Ascend/op-plugin")
    assert finding.category == "performance"
    assert finding.fix is not None
    assert not finding.fix.safe
