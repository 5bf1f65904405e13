"""Patterns for which Ascend has one fused operator: advice on performance, never a change."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name
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
    "info",
    Severity.HINT,
    "minutes",
    before="import torch\no = torch.optim.AdamW(p, lr=1e-3)\n",
    after="import torch\no = torch.optim.AdamW(p, lr=1e-3)\n",
)
ATTENTION = Rule(
    "fused-attention",
    "This attention is written out; {affinity} does it in one operator",
    "Matrix product, scaling, mask, softmax and matrix product become one call that never writes "
    "the matrix of scores: torch_npu.npu_fusion_attention(q, k, v, head_num, input_layout), or "
    "torch.nn.functional.scaled_dot_product_attention, which uses it.",
    "performance",
    "info",
    Severity.INFO,
    "hours",
    before="import torch\n\ndef attend(q, k, v):\n"
    "    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v\n",
    after="import torch\n\ndef attend(q, k, v):\n"
    "    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v\n",
)
RMS_NORM = Rule(
    "fused-rms-norm",
    "This RMSNorm is written out; {affinity} does it in one operator",
    "x * rsqrt(mean(x * x) + eps) * weight becomes torch_npu.npu_rms_norm(x, weight, "
    "epsilon=eps)[0].",
    "performance",
    "info",
    Severity.INFO,
    "minutes",
    before="import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n",
    after="import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n",
)
ROTARY = Rule(
    "fused-rotary",
    "This rotary embedding is written out; {affinity} does it in one operator",
    "x * cos + rotate_half(x) * sin becomes torch_npu.npu_rotary_mul(x, cos, sin).",
    "performance",
    "info",
    Severity.INFO,
    "minutes",
    before="import torch\nq = q * cos + rotate_half(q) * sin\n",
    after="import torch\nq = q * cos + rotate_half(q) * sin\n",
)
SWIGLU = Rule(
    "fused-swiglu",
    "This SwiGLU is written out; {affinity} does it in one operator",
    "silu(a) * b becomes torch_npu.npu_swiglu(torch.cat((a, b), dim=-1)); it gains most where one "
    "linear layer makes both halves.",
    "performance",
    "info",
    Severity.INFO,
    "minutes",
    before="import torch\ny = torch.nn.functional.silu(a) * b\n",
    after="import torch\ny = torch.nn.functional.silu(a) * b\n",
)
RULES = (OPTIMIZER, ATTENTION, RMS_NORM, ROTARY, SWIGLU)

_PRODUCTS = frozenset(["matmul", "bmm", "einsum", "baddbmm"])
_ROTATING = frozenset(["rotate_half", "_rotate_half", "rotate_every_two"])


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Look for optimizers and for the calls around which patterns are built."""
    name = file.qualified(node.func, scope)
    word = last_name(node.func)
    if name in affinities():
        _report(file, node.func, OPTIMIZER, name)
    elif word == "softmax" and file.uses_torch:
        _check_attention(file, node, scope)
    elif word == "rsqrt" and file.uses_torch and _is_mean_square(node):
        _report(file, node, RMS_NORM, "rms_norm")
    elif word in _ROTATING and isinstance(file.parent(node), ast.BinOp):
        _report(file, node, ROTARY, "rotary")


def check_product(file: PythonFile, node: ast.BinOp, scope: Scope) -> None:
    """Look for `silu(a) * b`."""
    if not isinstance(node.op, ast.Mult):
        return
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(side, ast.Call) or isinstance(other, ast.Constant):
            continue
        if file.qualified(side.func, scope) == "torch.nn.functional.silu":
            _report(file, node, SWIGLU, "swiglu")


def _check_attention(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """A softmax in a function that multiplies matrices both before and after it."""
    function = scope.enclosing("function")
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return
    place = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    inside = {id(part) for part in ast.walk(node)}
    before = after = False
    for part in ast.walk(function.node):
        if isinstance(part, ast.BinOp):
            product = isinstance(part.op, ast.MatMult)
        else:
            product = isinstance(part, ast.Call) and last_name(part.func) in _PRODUCTS
        if product and isinstance(part, ast.expr):
            within = id(part) in inside or (part.end_lineno or 0, part.end_col_offset or 0) < place
            before, after = before or within, after or not within
    if before and after:
        _report(file, node, ATTENTION, "attention")


def _is_mean_square(node: ast.Call) -> bool:
    """Whether the mean of squares stands in or before a call of rsqrt."""
    words = {last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    if "mean" not in words:
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


def _report(file: PythonFile, where: ast.expr, rule: Rule, name: str) -> None:
    entry = affinities()[name]
    file.hit(
        rule.id, where, "info", source=entry.source, name=name, affinity=entry.npu, kind=entry.kind
    )


HANDLERS = {ast.Call: (check_call,), ast.BinOp: (check_product,)}
