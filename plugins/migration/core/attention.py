"""Attention as people write it, recognised exactly: the pieces that the fused operator takes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.formula import (
    Line,
    argument,
    is_last_axis,
    method,
    plain,
    product,
    without_casts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FOUR_AXES = re.compile(
    r"\.(?:view|reshape)\((?:[^,]+,){3}[^,]+\)\.transpose\(1, 2\)|\.permute\(0, 2, 1, 3\)"
    r"|rearrange\(.*, ['\"]b (\w+) \((\w+) \w+\) -> b \2 \1 \w+['\"]"
)
_TRANSPOSED = frozenset([(-2, -1), (-1, -2), (2, 3), (3, 2)])
_INFINITE = re.compile(
    r"float\(['\"]-inf['\"]\)|-(?:torch|math|np)\.inf|-float\(['\"]inf['\"]\)"
    r"|torch\.finfo\([\w.]+\)\.min|-(?:1e\+?|10{3,})\d*(?:\.0)?"
)


@dataclass(frozen=True, slots=True)
class Attention:
    """softmax(q k' * scale, masked) v.

    `whole` is the expression that gives the outcome; `divided` tells that scale divides; `dropout`
    is the call that drops weights; `idle` are the statements that only serve this.
    """

    whole: ast.expr
    q: ast.expr
    k: ast.expr
    v: ast.expr
    scale: ast.expr | None
    divided: bool
    mask: ast.expr | None
    dropout: ast.Call | None
    idle: tuple[ast.stmt, ...]


def attentions(function: ast.FunctionDef) -> Iterator[Attention]:
    """The attentions written out in a function, each in one body without branches."""
    for body in _bodies(function):
        for index, statement in enumerate(body):
            if not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
                continue
            for node in ast.walk(statement):
                sides = product(node) if isinstance(node, ast.expr) else None
                if sides is not None and isinstance(node, ast.expr):
                    found = _read(node, sides, body, index)
                    if found is not None and _is_idle(found, function):
                        yield found


def has_four_axes(node: ast.expr, body: Sequence[ast.stmt], place: ast.AST) -> bool:
    """Whether a value is seen to be made with the axes batch, head, sequence, width."""
    index = next((i for i, one in enumerate(body) if place in ast.walk(one)), 0)
    value = Line(body).value(node, index)
    return value is not None and _FOUR_AXES.search(ast.unparse(value[0])) is not None


def body_of(function: ast.FunctionDef, place: ast.AST) -> Sequence[ast.stmt]:
    """The innermost list of statements that holds a node."""
    found: Sequence[ast.stmt] = function.body
    for body in _bodies(function):
        if any(place is part for one in body for part in ast.walk(one)):
            found = body
    return found


def _read(
    node: ast.expr, sides: tuple[ast.expr, ast.expr], body: Sequence[ast.stmt], index: int
) -> Attention | None:
    line = Line(body)
    weights, place = line.follow(sides[0], index)
    dropout: ast.Call | None = None
    if (dropped := _dropped(weights)) is not None and isinstance(weights, ast.Call):
        dropout = weights
        weights, place = line.follow(dropped, place)
    softened = method(weights, ("softmax",))
    if softened is None or not isinstance(weights, ast.Call):
        return None
    if not is_last_axis(argument(weights, softened[1], "dim")):
        return None
    scores, place = line.follow(softened[0], place)
    mask: ast.expr | None = None
    masked = method(scores, ("masked_fill",))
    if masked is not None and isinstance(scores, ast.Call):
        mask = argument(scores, masked[1], "mask")
        value = argument(scores, masked[1] + 1, "value")
        if mask is None or value is None or not _INFINITE.fullmatch(ast.unparse(value)):
            return None
        scores, place = line.follow(masked[0], place)
    scale, divided = None, False
    if isinstance(scores, ast.BinOp) and isinstance(scores.op, ast.Mult | ast.Div):
        scale, divided = scores.right, isinstance(scores.op, ast.Div)
        scores, place = line.follow(scores.left, place)
    inner = product(scores)
    if inner is None:
        return None
    turned, _ = line.follow(inner[1], place)
    k = _turned(turned)
    pieces = [inner[0], k, sides[1]]
    if k is None or not all(plain(one) for one in pieces if one is not None):
        return None
    first = min(line.used, default=index)
    told = [one for one in (*pieces, scale, mask) if one is not None]
    if not all(line.unchanged(one, first + 1, index) for one in told):
        return None
    idle = tuple(body[one] for one in sorted(line.used))
    return Attention(node, inner[0], k, sides[1], scale, divided, mask, dropout, idle)


def _dropped(node: ast.expr) -> ast.expr | None:
    """The subject of a call that drops weights."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = ast.unparse(node.func)
    own = re.fullmatch(r"self\.\w*drop\w*", name) is not None and len(node.args) == 1
    plain_call = name in ("F.dropout", "nn.functional.dropout", "torch.nn.functional.dropout")
    return node.args[0] if own or plain_call else None


def _turned(node: ast.expr) -> ast.expr | None:
    """Of `k.transpose(-2, -1)` and the like the k."""
    if isinstance(node, ast.Attribute) and node.attr == "mT":
        return node.value
    turned = method(node, ("transpose",))
    if turned is None or not isinstance(node, ast.Call):
        return None
    axes = [ast.unparse(one) for one in node.args[turned[1] :]]
    good = len(axes) == 2 and all(re.fullmatch(r"-?\d", one) for one in axes)
    return turned[0] if good and tuple(map(int, axes)) in _TRANSPOSED else None


def _is_idle(found: Attention, function: ast.FunctionDef) -> bool:
    """Whether the names set on the way serve this attention alone."""
    names = {
        target.id
        for one in found.idle
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    inside = {part for one in (*found.idle, found.whole) for part in ast.walk(one)}
    return not any(
        isinstance(part, ast.Name)
        and part.id in names
        and isinstance(part.ctx, ast.Load)
        and part not in inside
        for part in ast.walk(function)
    )


def _bodies(function: ast.FunctionDef) -> Iterator[Sequence[ast.stmt]]:
    todo: list[ast.AST] = [function]
    while todo:
        node = todo.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                todo.extend(body)
                if isinstance(body[0], ast.stmt):
                    yield body


def scaled_call(node: ast.Call) -> tuple[list[ast.expr], dict[str, ast.expr]] | None:
    """The tensors and the options of a call of scaled_dot_product_attention."""
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    if any(isinstance(one, ast.Starred) for one in node.args):
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    given = dict(zip(names, node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    tensors = [given.pop(name) for name in names[:3] if name in given]
    if len(tensors) != 3 or not all(map(plain, tensors)):
        return None
    return tensors, {name: without_casts(value) for name, value in given.items()}
