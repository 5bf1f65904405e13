"""Formulas in code: what an expression computes, through the assignments before it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CASTS = frozenset(["float", "to", "type", "type_as", "half", "bfloat16", "contiguous"])


def same(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are written alike."""
    return ast.dump(one) == ast.dump(other)


def plain(node: ast.expr) -> bool:
    """Whether an expression may be written several times: names and attributes of them."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def without_casts(node: ast.expr) -> ast.expr:
    """What is left of `x.float()`, `x.to(torch.float32)` and the like: x."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CASTS
        and not isinstance(node.func.value, ast.Constant)
    ):
        node = node.func.value
    return node


def argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    """What a call gives as an argument, by place or by name."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == name]
    if named:
        return named[0]
    return call.args[index] if 0 <= index < len(call.args) else None


def method(node: ast.expr, names: Sequence[str], module: str = "") -> tuple[ast.expr, int] | None:
    """The subject of `x.name(…)` or `torch.name(x, …)`, and the place of the first option."""
    if not isinstance(node, ast.Call):
        return None
    func = node.func
    word = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if word not in names:
        return None
    owner = func.value if isinstance(func, ast.Attribute) else None
    if owner is None or (isinstance(owner, ast.Name) and owner.id in ("torch", "F", "nn", "math")):
        return (node.args[0], 1) if node.args else None
    if ast.unparse(owner) in ("nn.functional", "torch.nn.functional"):
        return (node.args[0], 1) if node.args else None
    return owner, 0


def is_last_axis(node: ast.expr | None) -> bool:
    """Whether an axis is the last one."""
    return isinstance(node, ast.UnaryOp) and ast.unparse(node) == "-1"


def factors(node: ast.expr) -> list[ast.expr]:
    """The factors of a product, casts left out."""
    node = without_casts(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*factors(node.left), *factors(node.right)]
    return [node]


def product(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The sides of a product of matrices."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        word = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if word == "matmul":
            return node.args[0], node.args[1]
    return None


@dataclass
class Line:
    """The statements of one body, read as formulas; `used` notes those that were followed."""

    body: Sequence[ast.stmt]
    used: set[int] = field(default_factory=set)

    def value(self, node: ast.expr, before: int) -> tuple[ast.expr, int] | None:
        """What a name was set to before a statement, and where; None if that is not certain."""
        if not isinstance(node, ast.Name):
            return None
        for index in range(before - 1, -1, -1):
            statement = self.body[index]
            if _sets(statement, node.id):
                if isinstance(statement, ast.Assign) and _one_target(statement):
                    return statement.value, index
                return None
        return None

    def follow(self, node: ast.expr, before: int) -> tuple[ast.expr, int]:
        """An expression without casts; a name is followed to what it was set to, as part of it."""
        node = without_casts(node)
        while (found := self.value(node, before)) is not None:
            self.used.add(found[1])
            node, before = without_casts(found[0]), found[1]
        return node, before

    def unchanged(self, node: ast.expr, start: int, stop: int) -> bool:
        """Whether no name of an expression is set from one statement up to another."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return not any(_sets(one, name) for one in self.body[start:stop] for name in names)


def _one_target(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def _sets(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
        for part in ast.walk(statement)
    )
