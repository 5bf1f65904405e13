"""Patterns for which Ascend has one fused operator.

Where all pieces of a pattern are seen, the call of the operator is offered as a change to review;
else the pattern is told for information. Nothing needs these changes to run.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name
from plugins.migration.core.rules import fusing
from plugins.migration.core.tables import affinities
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

OPTIMIZER = Rule(
    "fused-optimizer",
    "{name} has a fused counterpart: {affinity}",
    "It updates all parameters with a few operators instead of some for each parameter. It takes "
    "the usual arguments, but neither fused nor foreach; compare the losses after the change.",
    "performance",
    "review",
    Severity.HINT,
    "minutes",
    before="import torch\no = torch.optim.AdamW(p, lr=1e-3)\n",
    after="import torch\nimport torch_npu\no = torch_npu.optim.NpuFusedAdamW(p, lr=1e-3)\n",
)
ATTENTION = Rule(
    "fused-attention",
    "This attention is written out; {affinity} does it in one operator",
    "Matrix product, scaling, mask, softmax and matrix product become one call that never writes "
    "the matrix of scores: torch_npu.npu_fusion_attention(q, k, v, head_num, input_layout), or "
    "torch.nn.functional.scaled_dot_product_attention, which uses it. It takes float16, bfloat16 "
    "and float32; compare the outcome.",
    "performance",
    "review",
    Severity.INFO,
    "hours",
    before="import torch\n\ndef attend(x, k, v):\n"
    "    q = x.view(2, 8, 4, 16).transpose(1, 2)\n"
    "    a = q @ k.transpose(-2, -1) / 4\n    a = torch.softmax(a, dim=-1)\n    return a @ v\n",
    after="import torch\nimport torch_npu\n\ndef attend(x, k, v):\n"
    "    q = x.view(2, 8, 4, 16).transpose(1, 2)\n"
    '    return torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", '
    "scale=1.0 / (4))[0]\n",
)
SCALED = Rule(
    "fused-scaled-attention",
    "This call may be {affinity} itself",
    "scaled_dot_product_attention chooses an operator at run time; the call names it. The scale it "
    "used by itself is written out.",
    "performance",
    "review",
    Severity.HINT,
    "minutes",
    before="import torch\nimport torch.nn.functional as F\n\ndef attend(x, k, v):\n"
    "    q = x.view(2, 8, 4, 16).transpose(1, 2)\n"
    "    return F.scaled_dot_product_attention(q, k, v)\n",
    after="import torch\nimport torch_npu\nimport torch.nn.functional as F\n\n"
    "def attend(x, k, v):\n    q = x.view(2, 8, 4, 16).transpose(1, 2)\n"
    '    return torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", '
    "scale=q.shape[-1] ** -0.5)[0]\n",
)
RMS_NORM = Rule(
    "fused-rms-norm",
    "This RMSNorm is written out; {affinity} does it in one operator",
    "x * rsqrt(mean(x * x) + eps) * weight becomes torch_npu.npu_rms_norm(x, weight, "
    "epsilon=eps)[0], which computes in float32 inside.",
    "performance",
    "review",
    Severity.INFO,
    "minutes",
    before="import torch\ny = w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))\n",
    after="import torch\nimport torch_npu\ny = torch_npu.npu_rms_norm(x, w, epsilon=1e-6)[0]\n",
)
ROTARY = Rule(
    "fused-rotary",
    "This rotary embedding is written out; {affinity} does it in one operator",
    "x * cos + rotate_half(x) * sin becomes torch_npu.npu_rotary_mul(x, cos, sin), for tensors of "
    "four axes.",
    "performance",
    "review",
    Severity.INFO,
    "minutes",
    before="import torch\n\ndef rotate_half(x):\n    a, b = x.chunk(2, dim=-1)\n"
    "    return torch.cat((-b, a), dim=-1)\n\n\nq = q * cos + rotate_half(q) * sin\n",
    after="import torch\nimport torch_npu\n\ndef rotate_half(x):\n    a, b = x.chunk(2, dim=-1)\n"
    "    return torch.cat((-b, a), dim=-1)\n\n\nq = torch_npu.npu_rotary_mul(q, cos, sin)\n",
)
SWIGLU = Rule(
    "fused-swiglu",
    "This SwiGLU is written out; {affinity} does it in one operator",
    "silu(a) * b becomes torch_npu.npu_swiglu(torch.cat((a, b), dim=-1)); it gains most where one "
    "linear layer makes both halves.",
    "performance",
    "review",
    Severity.INFO,
    "minutes",
    before="import torch\nimport torch.nn.functional as F\ny = F.silu(w1(x)) * w3(x)\n",
    after="import torch\nimport torch_npu\nimport torch.nn.functional as F\n"
    "y = torch_npu.npu_swiglu(torch.cat((w1(x), w3(x)), dim=-1))\n",
)
RULES = (OPTIMIZER, ATTENTION, SCALED, RMS_NORM, ROTARY, SWIGLU)

_PRODUCTS = frozenset(["matmul", "bmm", "einsum", "baddbmm"])
_ROTATING = frozenset(["rotate_half", "_rotate_half", "rotate_every_two"])
_GRADIENT = re.compile(r"back(?:ward)?(?:_|$)|grad")
_SCALED_CALL = "torch.nn.functional.scaled_dot_product_attention"


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Look for optimizers and for the calls around which patterns are built."""
    name = file.qualified(node.func, scope)
    word = last_name(node.func)
    if name in affinities():
        _report(file, node.func, OPTIMIZER, name, fusing.optimizer(file, node, name))
    elif word == "softmax" and file.uses_torch:
        _check_attention(file, node, scope)
    elif name == _SCALED_CALL and (changes := fusing.scaled(file, node, scope)):
        _report(file, node, SCALED, "attention", changes)
    elif word == "rsqrt" and file.uses_torch:
        changes = fusing.norm(file, node, scope)
        if changes or _is_mean_square(node):
            _report(file, node, RMS_NORM, "rms_norm", changes)
    elif word in _ROTATING and isinstance(file.parent(node), ast.BinOp):
        _report(file, node, ROTARY, "rotary", fusing.rotary(file, node, scope))


def check_product(file: PythonFile, node: ast.BinOp, scope: Scope) -> None:
    """Look for `silu(a) * b`."""
    if not isinstance(node.op, ast.Mult):
        return
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(side, ast.Call) or isinstance(other, ast.Constant):
            continue
        if file.qualified(side.func, scope) == "torch.nn.functional.silu" and not _is_backward(
            scope
        ):
            _report(file, node, SWIGLU, "swiglu", fusing.swiglu(file, node, side, other, scope))


def _check_attention(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """A softmax in a function that multiplies matrices both before and after it."""
    function = scope.enclosing("function")
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return
    place = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    inside = {id(part) for part in ast.walk(node)}
    before = after = exact = False
    for part in ast.walk(function.node):
        if isinstance(part, ast.BinOp):
            product = isinstance(part.op, ast.MatMult)
        else:
            product = isinstance(part, ast.Call) and last_name(part.func) in _PRODUCTS
        if product and isinstance(part, ast.expr):
            within = id(part) in inside or (part.end_lineno or 0, part.end_col_offset or 0) < place
            before, after = before or within, after or not within
            exact = exact or not isinstance(part, ast.Call) or last_name(part.func) == "matmul"
    if before and after:
        changes = fusing.attention(file, node, function.node) if exact else []
        _report(file, node, ATTENTION, "attention", changes)


def _is_mean_square(node: ast.Call) -> bool:
    """Whether the mean of squares stands in or before a call of rsqrt."""
    words = {last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    if "mean" not in words or any(map(_over_several_axes, ast.walk(node))):
        return False
    squares = words & {"pow", "square"}
    return bool(squares) or any(
        isinstance(part, ast.BinOp)
        and (
            isinstance(part.op, ast.Pow)
            or (isinstance(part.op, ast.Mult) and ast.dump(part.left) == ast.dump(part.right))
        )
        for part in ast.walk(node)
    )


def _over_several_axes(node: ast.AST) -> bool:
    """Whether a mean goes over several axes: of a whole image, say, not of the last axis."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "mean":
        return False
    axes = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(isinstance(part, ast.Tuple | ast.List) and len(part.elts) > 1 for part in axes)


def _is_backward(scope: Scope) -> bool:
    """Whether this is written for gradients, where the same product means something else."""
    function = scope.enclosing("function")
    return _GRADIENT.search(getattr(function.node, "name", "")) is not None if function else False


def _report(
    file: PythonFile, where: ast.expr, rule: Rule, name: str, changes: list[tuple[int, int, str]]
) -> None:
    entry = affinities()[name]
    file.hit(
        rule.id, where, "review" if changes else "info", changes, source=entry.source, name=name,
        affinity=entry.npu, kind=entry.kind,
    )  # fmt: skip


CALLED = _ROTATING | {"softmax", "rsqrt"}
HANDLERS = {ast.Call: (check_call,), ast.BinOp: (check_product,)}
