"""RMSNorm as people write it, recognised exactly: the pieces that the fused operator takes."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.formula import (
    Line,
    argument,
    factors,
    is_last_axis,
    method,
    plain,
    same,
    without_casts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Norm:
    """x * rsqrt(mean(x * x) + epsilon) * weight."""

    x: ast.expr
    weight: ast.expr
    epsilon: ast.expr


def norm_of(node: ast.expr, line: Line | None = None, before: int = 0) -> Norm | None:
    """Read a product as an RMSNorm with a weight."""
    known = line or Line(())
    parts = [known.follow(one, place) for one, place in _all_factors(node, known, before)]
    roots = [(one, place, _mean_square(one, place, known)) for one, place in parts]
    found = [(one, mean) for one, _, mean in roots if mean is not None]
    if len(found) != 1 or len(parts) != 3:
        return None
    root, (x, epsilon) = found[0]
    others = [one for one, _ in parts if one is not root]
    weights = [one for one in others if not same(one, x)]
    if len(weights) != 1 or not plain(weights[0]) or not plain(x):
        return None
    return Norm(x, weights[0], epsilon)


def _all_factors(node: ast.expr, line: Line, before: int) -> list[tuple[ast.expr, int]]:
    """The factors of a product, through names that stand for products, and where they stand."""
    found: list[tuple[ast.expr, int]] = []
    for one in factors(node):
        value = line.value(one, before)
        if value is not None and isinstance(without_casts(value[0]), ast.BinOp):
            line.used.add(value[1])
            found += _all_factors(value[0], line, value[1])
        else:
            found.append((one, before))
    return found


def _mean_square(node: ast.expr, before: int, line: Line) -> tuple[ast.expr, ast.expr] | None:
    """Of rsqrt(mean(x * x) + epsilon) the x and the epsilon."""
    rooted = method(node, ("rsqrt",))
    if rooted is None:
        return None
    total, place = line.follow(rooted[0], before)
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return None
    for mean, epsilon in ((total.left, total.right), (total.right, total.left)):
        inner, at = line.follow(mean, place)
        x = _squared_mean(inner, at, line)
        if x is not None and isinstance(epsilon, ast.Name | ast.Attribute | ast.Constant):
            return x, epsilon
    return None


def _squared_mean(node: ast.expr, before: int, line: Line) -> ast.expr | None:
    averaged = method(node, ("mean",))
    if averaged is None or not isinstance(node, ast.Call):
        return None
    subject, first = averaged
    kept = argument(node, first + 1, "keepdim")
    if not is_last_axis(argument(node, first, "dim")) or not _is(kept, True):
        return None
    squared, place = line.follow(subject, before)
    x: ast.expr | None = None
    raised = method(squared, ("pow",))
    if raised is not None and isinstance(squared, ast.Call):
        x = raised[0] if _is(argument(squared, raised[1], "exponent"), 2) else None
    elif (square := method(squared, ("square",))) is not None:
        x = square[0]
    elif isinstance(squared, ast.BinOp) and isinstance(squared.op, ast.Pow):
        x = squared.left if _is(squared.right, 2) else None
    elif isinstance(squared, ast.BinOp) and isinstance(squared.op, ast.Mult):
        x = squared.left if same(squared.left, squared.right) else None
    return line.follow(x, place)[0] if x is not None else None


def norm_of_function(function: ast.FunctionDef, helpers: Sequence[ast.stmt] = ()) -> Norm | None:
    """Read the whole body of a function as an RMSNorm of its parameter.

    `helpers` are methods beside it; one that is a single formula may be called.
    """
    body = statements(function)
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        return None
    if not all(isinstance(one, ast.Assign | ast.Return) for one in body):
        return None
    result = _with_helpers(body, helpers)
    line = Line(result)
    last = result[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    found = norm_of(last.value, line, len(result) - 1)
    names = {one.arg for one in function.args.args[1:]}
    good = found is not None and isinstance(found.x, ast.Name) and found.x.id in names
    if not good or found is None:
        return None
    told = ast.unparse(found.weight).partition(".")[0]
    others = [one for index, one in enumerate(result[:-1]) if index not in line.used]
    return found if told not in names and all(map(_only_type, others)) else None


def _only_type(node: ast.stmt) -> bool:
    """Whether a statement only remembers an element type."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    return ast.unparse(node.value).endswith(".dtype")


def _with_helpers(body: list[ast.stmt], helpers: Sequence[ast.stmt]) -> list[ast.stmt]:
    """A body with the formulas of called helpers in place of the calls."""
    known = {one.name: one for one in helpers if isinstance(one, ast.FunctionDef)}

    class Put(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            func = node.func
            helper = known.get(func.attr) if isinstance(func, ast.Attribute) else None
            own = isinstance(func, ast.Attribute) and ast.unparse(func.value) == "self"
            if helper is None or not own or len(node.args) != 1 or len(helper.args.args) != 2:
                return node
            inner = statements(helper)
            if len(inner) != 1 or not isinstance(inner[0], ast.Return) or inner[0].value is None:
                return node
            return _put(inner[0].value, helper.args.args[1].arg, node.args[0])

    return [Put().visit(copy.deepcopy(one)) for one in body]


def _put(formula: ast.expr, name: str, value: ast.expr) -> ast.expr:
    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return without_casts(value) if node.id == name else node

    changed: ast.expr = Replace().visit(copy.deepcopy(formula))
    return changed


def statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    first = function.body[0]
    doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if doc else function.body


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value
