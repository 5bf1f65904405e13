"""Fused operators: the calls offered in place of patterns, and what only looks like one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
LOADED = HEAD.replace("torch\n", "torch\nimport torch_npu\n", 1)


def fused(text: str) -> str:
    """The text with all fused operators."""
    result = scan_text(HEAD + text, Path("a.py"))
    chosen = [f for f in result.findings if f.rule.startswith("fused-")]
    made = migrated_text(HEAD + text, chosen, result.findings)
    ast.parse(made)
    return made.removeprefix(LOADED if made != HEAD + text else HEAD)


ATTENTION = """
def attend(self, x, k, v, mask):
    q = x.view(2, 8, 4, 16).transpose(1, 2)
    {scores}
    return {out}
"""
CALL = 'torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD"{})[0]'


def attention(scores: str, out: str) -> str:
    return ATTENTION.format(scores=scores, out=out).replace("\n    \n", "\n")


@pytest.mark.parametrize(
    ("scores", "out", "options"),
    [
        ("", "torch.softmax(q @ k.transpose(-2, -1), -1) @ v", ""),
        ("", "(q @ k.mT).softmax(dim=-1) @ v", ""),
        ("a = torch.matmul(q, k.transpose(2, 3)) * self.scale\n    a = F.softmax(a, dim=-1)",
         "torch.matmul(a, v)", ", scale=self.scale"),
        ("a = (q @ k.transpose(-1, -2)) / math.sqrt(d)\n"
         "    a = a.masked_fill(mask == 0, float('-inf'))\n"
         "    p = F.softmax(a, dim=-1, dtype=torch.float32).to(q.dtype)",
         "(p @ v).transpose(1, 2)", ", scale=1.0 / (math.sqrt(d)), atten_mask=mask == 0"),
        ("kt = k.transpose(-2, -1)\n    a = torch.softmax(q @ kt * 0.125, dim=-1)\n"
         "    a = F.dropout(a, p=self.p, training=self.training)", "a @ v",
         ", scale=0.125, keep_prob=1.0 - self.p if self.training else 1.0"),
    ],
)  # fmt: skip
def test_an_attention_written_out(scores: str, out: str, options: str) -> None:
    made = fused(attention(scores, out))
    wanted = CALL.format(options) + (".transpose(1, 2)" if out.endswith("(1, 2)") else "")
    wanted = wanted.replace(")[0].trans", ")[0]).trans") if out.startswith("(p") else wanted
    wanted = f"({wanted}" if out.startswith("(p") else wanted
    assert made == attention("", wanted)


def test_dropped_weights_by_a_layer_of_the_class() -> None:
    text = "class A(nn.Module):\n    def __init__(self):\n        self.drop = nn.Dropout(0.1)\n"
    lines = "a = self.drop(torch.softmax(q @ k.transpose(-2, -1), dim=-1))"
    body = attention(lines, "a @ v").replace("\n", "\n    ").rstrip(" ")
    kept = ", keep_prob=1.0 - self.drop.p if self.training else 1.0"
    assert CALL.format(kept) in fused(text + body)
    assert "npu_fusion_attention" not in fused(body.replace("\n    ", "\n"))


@pytest.mark.parametrize(
    ("scores", "out"),
    [
        # the weights are needed, the axis is another one, a bias is added, the value is no product
        ("a = torch.softmax(q @ k.transpose(-2, -1), -1)", "a @ v, a"),
        ("", "torch.softmax(q @ k.transpose(-2, -1), 1) @ v"),
        ("", "torch.softmax(q @ k.transpose(-2, -1) + mask, -1) @ v"),
        ("", "torch.softmax(q @ k, -1) @ v"),
        ("a = torch.softmax(q @ k.mT, -1)\n    k = 3", "a @ v + k"),
        ("a = q @ k.mT\n    if mask is not None:\n        a = a + mask\n    a = a.softmax(-1)",
         "a @ v"),
        ("a = (q @ k.mT).masked_fill(mask, 0.5).softmax(-1)", "a @ v"),
        ("a = torch.softmax(q @ k.mT, -1); b = 1", "a @ v"),
        ("a = self.gate(torch.softmax(q @ k.mT, -1))", "a @ v"),
    ],
)  # fmt: skip
def test_what_only_looks_like_attention_stays(scores: str, out: str) -> None:
    text = attention(scores, out)
    assert fused(text) == text


def test_an_attention_without_visible_axes_is_only_advised() -> None:
    text = attention("", "torch.softmax(q @ k.mT, -1) @ v").replace(
        ".view(2, 8, 4, 16).transpose(1, 2)", ""
    )
    assert fused(text) == text
    (found,) = scan_text(HEAD + text, Path("a.py")).findings
    assert (found.rule, found.facts["status"]) == ("fused-attention", "info")


TRIANGLE = "torch.ones(2048, 2048, dtype=torch.bool, device=q.device).triu(1)"


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("", ", scale=q.shape[-1] ** -0.5"),
        (", attn_mask=None, scale=0.5", ", scale=0.5"),
        (", dropout_p=self.p if self.training else 0.0",
         ", scale=q.shape[-1] ** -0.5, keep_prob=1.0 - (self.p if self.training else 0.0)"),
        (", is_causal=True",
         f", scale=q.shape[-1] ** -0.5, atten_mask={TRIANGLE}, sparse_mode=2"),
        (", None, 0.0, False", ", scale=q.shape[-1] ** -0.5"),
        (", mask", None), (", is_causal=causal", None), (", enable_gqa=True", None),
        (", **options", None),
    ],
)  # fmt: skip
def test_scaled_dot_product_attention(given: str, options: str | None) -> None:
    out = f"F.scaled_dot_product_attention(q, k, v{given})"
    made = fused(attention("", out))
    assert made == attention("", out if options is None else CALL.format(options))


NORM = "torch_npu.npu_rms_norm({})[0]"
LLAMA = '''
class RMSNorm(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        """Norm."""
        output = self._norm(x.float()).type_as(x)
        return output * self.weight
'''
HUGGING = """
class RMSNorm(nn.Module):
    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)
"""


def test_the_norms_of_known_models() -> None:
    call = f"return {NORM.format('x, self.weight, epsilon=self.eps')}\n"
    head, _, _ = LLAMA.partition("        output =")
    assert fused(LLAMA) == f"{head}        {call}"
    pieces = "hidden_states, self.weight, epsilon=self.variance_epsilon"
    head, _, _ = HUGGING.partition("        input_dtype")
    assert fused(HUGGING) == f"{head}        return {NORM.format(pieces)}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = w * x * torch.rsqrt((x ** 2).mean(dim=-1, keepdim=True) + 1e-5)\n",
         f"y = {NORM.format('x, w, epsilon=1e-5')}\n"),
        ("y = x * torch.rsqrt(e + torch.mean(x * x, -1, keepdim=True)) * self.g + 1\n",
         f"y = {NORM.format('x, self.g, epsilon=e')} + 1\n"),
        # no weight, another axis, no keepdim, another power, two tensors, a weight made by a call
        ("y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n", None),
        ("y = w * x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + e)\n", None),
        ("y = w * x * torch.rsqrt(x.pow(2).mean(-1) + e)\n", None),
        ("y = w * x * torch.rsqrt(x.pow(4).mean(-1, keepdim=True) + e)\n", None),
        ("y = w * z * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + e)\n", None),
        ("y = f() * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + e)\n", None),
        (LLAMA.replace("x.float()", "x, 1"), None),
        (HUGGING.replace("input_dtype = ", "self.last = "), None),
        (HUGGING.replace("        return", "        print(1)\n        return"), None),
    ],
)  # fmt: skip
def test_norms_and_their_like(old: str, new: str | None) -> None:
    assert fused(old) == (old if new is None else new)


ROTATE = """
def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)

"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q = (q * cos) + (rotate_half(q) * sin)", "q = torch_npu.npu_rotary_mul(q, cos, sin)"),
        ("return_ = sin[:2] * rotate_half(a.k) + cos[:2] * a.k",
         "return_ = torch_npu.npu_rotary_mul(a.k, cos[:2], sin[:2])"),
        ("q = q * cos - rotate_half(q) * sin", None),
        ("q = k * cos + rotate_half(q) * sin", None),
        ("q = f() * cos + rotate_half(f()) * sin", None),
    ],
)  # fmt: skip
def test_rotary_embeddings(old: str, new: str | None) -> None:
    assert fused(f"{ROTATE}{old}\n") == f"{ROTATE}{old if new is None else new}\n"


def test_another_rotation_stays() -> None:
    text = ROTATE.replace("(-x2, x1)", "(x2, -x1)") + "q = q * cos + rotate_half(q) * sin\n"
    assert fused(text) == text
    text = "from ours import rotate_half\nq = q * cos + rotate_half(q) * sin\n"
    assert fused(text) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = self.w3(x) * F.silu(self.w1(x))",
         "y = torch_npu.npu_swiglu(torch.cat((self.w1(x), self.w3(x)), dim=-1))"),
        ("def f(x):\n    a, b = x.chunk(2, dim=-1)\n    return F.silu(a) * b",
         "def f(x):\n    a, b = x.chunk(2, dim=-1)\n"
         "    return torch_npu.npu_swiglu(x, dim=-1)"),
        ("def f(x):\n    a, b = torch.chunk(x, 2, -1)\n    return F.silu(a) * b",
         "def f(x):\n    a, b = torch.chunk(x, 2, -1)\n"
         "    return torch_npu.npu_swiglu(x, dim=-1)"),
        # other halves, other axis, other input, broadcast, in place
        ("def f(x):\n    a, b = x.chunk(2, dim=-1)\n    return F.silu(b) * a", None),
        ("def f(x):\n    a, b = x.chunk(2, dim=1)\n    return F.silu(a) * b", None),
        ("y = F.silu(self.w1(x)) * self.w3(z)", None),
        ("y = F.silu(gate) * up", None),
        ("y = F.silu(self.w1(x), True) * self.w3(x)", None),
        ("y = F.gelu(self.w1(x)) * self.w3(x)", None),
    ],
)  # fmt: skip
def test_swiglu(old: str, new: str | None) -> None:
    assert fused(old) == (old if new is None else new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("o = torch.optim.AdamW(p, lr=1, betas=b, fused=True)",
         "o = torch_npu.optim.NpuFusedAdamW(p, lr=1, betas=b)"),
        ("o = torch.optim.Adam(params=p, foreach=False, eps=1)",
         "o = torch_npu.optim.NpuFusedAdam(params=p, eps=1)"),
        ("o = torch.optim.SGD(p, 0.1, 0.9)", "o = torch_npu.optim.NpuFusedSGD(p, 0.1, 0.9)"),
        ("o = torch.optim.AdamW(p, maximize=True)", None),
        ("o = torch.optim.AdamW(p, **kw)", None),
        ("o = torch.optim.AdamW(*p)", None),
        ("o = partial(torch.optim.AdamW, lr=1)", None),
        ("class A(torch.optim.AdamW): pass", None),
    ],
)  # fmt: skip
def test_optimizers(old: str, new: str | None) -> None:
    assert fused(f"{old}\n") == f"{old if new is None else new}\n"


def test_what_is_needed_comes_before_what_is_offered() -> None:
    text = "y = F.silu(w1(x.cuda())) * w3(x.cuda())\n"
    result = scan_text(HEAD + text, Path("a.py"))
    made = migrated_text(HEAD + text, [f for f in result.findings if f.fix], result.findings)
    assert made == LOADED + text.replace("cuda", "npu")
    (advice,) = [f for f in result.findings if f.rule == "fused-swiglu"]
    assert advice.facts["status"] == "info"


def test_fused_operators_are_called_when_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "a.py"
    text = HEAD + "o = torch.optim.AdamW(p)\nx = y.cuda()\n"
    needed = LOADED + "o = torch.optim.AdamW(p)\nx = y.npu()\n"
    wanted = needed.replace("torch.optim.AdamW", "torch_npu.optim.NpuFusedAdamW")
    for options, expected in (
        ({}, needed), ({"fused": True}, wanted), ({"safe_only": True, "fused": True}, needed),
        ({"only": ["cuda-method", "fused-optimizer"]}, wanted),
    ):  # fmt: skip
        script.write_text(text, encoding="utf-8")
        apply_command(script, in_place=True, **options)  # type: ignore[arg-type]
        assert script.read_text(encoding="utf-8") == expected, options


def test_a_file_with_offers_alone_is_no_migration() -> None:
    result = scan_text(HEAD + "o = torch.optim.AdamW(p)\n", Path("a.py"))
    assert (result.status, result.changes, result.offers) == ("clean", 0, 1)
    imports = [f.facts["status"] for f in result.findings if f.rule == "import-torch-npu"]
    assert imports == ["info"]
