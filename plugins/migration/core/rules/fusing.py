"""The calls of fused operators that stand for patterns, where all their pieces are seen."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.attention import attentions, body_of, has_four_axes, scaled_call
from plugins.migration.core.formula import argument, is_last_axis, method, plain, same
from plugins.migration.core.norms import norm_of, norm_of_function, statements
from plugins.migration.core.tables import affinities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.attention import Attention
    from plugins.migration.core.norms import Norm
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

Changes = list[tuple[int, int, str]]

_OPTIONS = {
    "torch.optim.AdamW": frozenset(["lr", "betas", "eps", "weight_decay", "amsgrad"]),
    "torch.optim.Adam": frozenset(["lr", "betas", "eps", "weight_decay", "amsgrad"]),
    "torch.optim.SGD": frozenset(["lr", "momentum", "dampening", "weight_decay", "nesterov"]),
    "torch.optim.RMSprop": frozenset(
        ["lr", "alpha", "eps", "weight_decay", "momentum", "centered"]
    ),
    "torch.optim.Adadelta": frozenset(["lr", "rho", "eps", "weight_decay"]),
}
"""The options that an optimizer and its fused counterpart share, in the same order."""
_DROPPED = frozenset(["fused", "foreach"])


def optimizer(file: PythonFile, node: ast.Call, name: str) -> Changes:
    """The fused optimizer in place of the usual one, where it takes the same options."""
    known = _OPTIONS.get(name)
    given = [keyword.arg for keyword in node.keywords]
    if known is None or any(one not in known | _DROPPED | {"params"} for one in given):
        return []
    if len(node.args) > len(known) + 1 or any(isinstance(one, ast.Starred) for one in node.args):
        return []
    changes: Changes = [(*file.span(node.func), affinities()[name].npu)]
    parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    for keyword in node.keywords:
        if keyword.arg in _DROPPED:
            before = [file.span(one)[1] for one in parts if one is not keyword.value]
            end = file.span(keyword.value)[1]
            starts = [one for one in before if one < file.span(keyword)[0]]
            if not starts:
                return []
            changes.append((max(starts), end, ""))
    return changes


def swiglu(
    file: PythonFile, node: ast.BinOp, gate: ast.Call, other: ast.expr, scope: Scope
) -> Changes:
    """npu_swiglu, where both sides are made from one tensor and so have one shape."""
    torch = _torch(file)
    if len(gate.args) != 1 or gate.keywords or not torch:
        return []
    inner = gate.args[0]
    halves = _halves(file, node, inner, other, scope)
    if halves:
        return [(*file.span(node), f"torch_npu.npu_swiglu({halves}, dim=-1)")]
    alike = (
        isinstance(inner, ast.Call)
        and isinstance(other, ast.Call)
        and plain(inner.func)
        and plain(other.func)
        and len(inner.args) == len(other.args) == 1
        and not (inner.keywords or other.keywords)
        and same(inner.args[0], other.args[0])
    )
    if not alike:
        return []
    both = f"{torch}.cat(({file.source(inner)}, {file.source(other)}), dim=-1)"
    return [(*file.span(node), f"torch_npu.npu_swiglu({both})")]


def _halves(
    file: PythonFile, node: ast.BinOp, first: ast.expr, second: ast.expr, scope: Scope
) -> str:
    """The tensor whose halves are taken: of `a, b = x.chunk(2, dim=-1)` the x."""
    function = scope.node
    if not isinstance(first, ast.Name) or not isinstance(second, ast.Name):
        return ""
    if not isinstance(function, ast.FunctionDef) or first.id == second.id:
        return ""
    body = body_of(function, node)
    for statement in body:
        if statement.lineno >= node.lineno or not isinstance(statement, ast.Assign):
            continue
        target = statement.targets[0]
        names = [getattr(one, "id", "") for one in getattr(target, "elts", ())]
        halved = method(statement.value, ("chunk",))
        if names != [first.id, second.id] or halved is None:
            continue
        if not isinstance(statement.value, ast.Call) or not plain(halved[0]):
            continue
        axis = argument(statement.value, halved[1] + 1, "dim")
        count = argument(statement.value, halved[1], "chunks")
        if is_last_axis(axis) and isinstance(count, ast.Constant) and count.value == 2:
            return file.source(halved[0])
    return ""


def rotary(file: PythonFile, node: ast.Call, scope: Scope) -> Changes:
    """npu_rotary_mul for `x * cos + rotate_half(x) * sin`, if rotate_half is seen to be that."""
    rotated = file.parent(node)
    total = file.parent(rotated) if rotated is not None else None
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return []
    if not isinstance(rotated, ast.BinOp) or not isinstance(rotated.op, ast.Mult):
        return []
    sin = rotated.right if rotated.left is node else rotated.left
    other = total.left if total.right is rotated else total.right
    if len(node.args) != 1 or node.keywords or not plain(node.args[0]):
        return []
    if not isinstance(other, ast.BinOp) or not isinstance(other.op, ast.Mult):
        return []
    x = node.args[0]
    cos = next((b for a, b in _both_ways(other) if same(a, x)), None)
    if cos is None or not _rotates_half(node.func, scope):
        return []
    pieces = ", ".join(file.source(one) for one in (x, cos, sin))
    return [(*file.span(total), f"torch_npu.npu_rotary_mul({pieces})")]


def _both_ways(node: ast.BinOp) -> Iterator[tuple[ast.expr, ast.expr]]:
    yield node.left, node.right
    yield node.right, node.left


_HALF_ROTATION = re.compile(
    r"(\w+), (\w+) = (?:\w+\.chunk\(|torch\.chunk\(\w+, )2, (?:dim=)?-1\)\n"
    r"|(\w+) = (\w+)\[\.\.\., :\4\.shape\[-1\] // 2\]\n"
    r"(\w+) = \4\[\.\.\., \4\.shape\[-1\] // 2:\]\n"
)


def _rotates_half(func: ast.expr, scope: Scope) -> bool:
    """Whether a function of this file turns (a, b), the halves of the last axis, into (-b, a)."""
    bindings = scope.lookup(func.id) if isinstance(func, ast.Name) else []
    node = bindings[0].node if len(bindings) == 1 else None
    if not isinstance(node, ast.FunctionDef):
        return False
    text = "\n".join(ast.unparse(one) for one in statements(node))
    match = _HALF_ROTATION.match(text)
    if match is None:
        return False
    first, second = (match[1], match[2]) if match[1] else (match[3], match[5])
    rest = text[match.end() :]
    return re.fullmatch(rf"return torch\.cat\(\(-{second}, {first}\), dim=-1\)", rest) is not None


def norm(file: PythonFile, node: ast.Call, scope: Scope) -> Changes:
    """npu_rms_norm for a product with a weight, or for the whole body of a method."""
    outer: ast.expr = node
    around = file.parent(outer)
    while isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mult):
        outer, around = around, file.parent(around)
    if outer is not node and (found := norm_of(outer)) is not None:
        return [(*file.span(outer), _norm_call(file, found))]
    function = scope.enclosing("function")
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return []
    owner = function.parent.node if function.parent is not None else None
    members = owner.body if isinstance(owner, ast.ClassDef) else [function.node]
    helpers = [one for one in members if one is function.node]
    for one in members:
        if isinstance(one, ast.FunctionDef) and (one is function.node or one.name == "forward"):
            read = norm_of_function(one, helpers)
            if read is not None:
                body = statements(one)
                start, end = file.span(body[0])[0], file.span(body[-1])[1]
                return [(start, end, f"return {_norm_call(file, read)}")]
    return []


def _norm_call(file: PythonFile, found: Norm) -> str:
    pieces = [file.source(one) for one in (found.x, found.weight, found.epsilon)]
    return "torch_npu.npu_rms_norm({}, {}, epsilon={})[0]".format(*pieces)


def attention(file: PythonFile, node: ast.Call, function: ast.FunctionDef) -> Changes:
    """npu_fusion_attention for an attention written out, if its four axes are seen."""
    for found in attentions(function):
        place = file.span(node)
        parts: list[ast.expr | ast.stmt] = [*found.idle, found.whole]
        if not any(a <= place[0] and place[1] <= b for a, b in map(file.span, parts)):
            continue
        if not has_four_axes(found.q, body_of(function, found.whole), found.whole):
            return []
        dropped = _keep_probability(file, found)
        if dropped is None:
            return []
        call = _attention_call(file, found, dropped)
        lines = [_whole_lines(file, one) for one in found.idle]
        if None in lines:
            return []
        return [(*one, "") for one in lines if one] + [(*file.span(found.whole), call)]
    return []


def _attention_call(file: PythonFile, found: Attention, dropped: str) -> str:
    q, k, v = (file.source(one) for one in (found.q, found.k, found.v))
    options = ""
    if found.scale is not None:
        text = file.source(found.scale)
        options += f", scale=1.0 / ({text})" if found.divided else f", scale={text}"
    if found.mask is not None:
        options += f", atten_mask={file.source(found.mask)}"
    return (
        f'torch_npu.npu_fusion_attention({q}, {k}, {v}, {q}.shape[1], "BNSD"{options}{dropped})[0]'
    )


def _keep_probability(file: PythonFile, found: Attention) -> str | None:
    """The option for dropped weights; None if what drops them is not seen."""
    call = found.dropout
    if call is None:
        return ""
    name = file.source(call.func)
    if name.startswith("self."):
        made = re.search(rf"{re.escape(name)}\s*=\s*(?:torch\.)?nn\.Dropout\(", file.text)
        return f", keep_prob=1.0 - {name}.p if self.training else 1.0" if made else None
    share = argument(call, 1, "p")
    training = argument(call, 2, "training")
    if share is None or training is None:
        return None
    told = f"1.0 - {file.source(share)} if {file.source(training)} else 1.0"
    return f", keep_prob={told}"


def _whole_lines(file: PythonFile, node: ast.stmt) -> tuple[int, int] | None:
    """The lines of a statement with their ends; None if it shares them."""
    starts = file.positions.starts
    last = node.end_lineno or node.lineno
    start, stop = starts[node.lineno - 1], file.positions.end_of_line(last)
    first, end = file.span(node)
    rest = file.text[end:stop].strip()
    if file.text[start:first].strip() or (rest and not rest.startswith("#")):
        return None
    return (start, starts[last]) if last < len(starts) else None


def scaled(file: PythonFile, node: ast.Call, scope: Scope) -> Changes:
    """npu_fusion_attention for scaled_dot_product_attention without a mask."""
    function = scope.node
    read = scaled_call(node)
    if read is None or not isinstance(function, ast.FunctionDef):
        return []
    tensors, options = read
    if not has_four_axes(tensors[0], body_of(function, node), node):
        return []
    q, k, v = map(file.source, tensors)
    text = f'torch_npu.npu_fusion_attention({q}, {k}, {v}, {q}.shape[1], "BNSD"'
    scale = options.pop("scale", None)
    dropped = options.pop("dropout_p", None)
    causal = options.pop("is_causal", None)
    mask = options.pop("attn_mask", None)
    if options or not _is_off(mask) or not (_is_off(causal) or _is_true(causal)):
        return []
    told = f"{q}.shape[-1] ** -0.5" if _is_off(scale) else file.source(scale) if scale else ""
    text += f", scale={told}"
    if not _is_off(dropped) and dropped is not None:
        text += f", keep_prob=1.0 - ({file.source(dropped)})"
    if _is_true(causal):
        torch = _torch(file)
        if not torch:
            return []
        triangle = f"{torch}.ones(2048, 2048, dtype={torch}.bool, device={q}.device).triu(1)"
        text += f", atten_mask={triangle}, sparse_mode=2"
    return [(*file.span(node), f"{text})[0]")]


def _is_off(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and not node.value)


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _torch(file: PythonFile) -> str:
    """The name under which the file knows torch, "" if it does not."""
    for name, bindings in file.names.module.bindings.items():
        if all(one.kind == "import" and one.module == "torch" for one in bindings):
            return name
    return ""
