"""Conditions that say when a command can run, and why it cannot.

A condition is an expression over a few named values, such as `project and view == 'timeline.view'`.
It is parsed, never evaluated as code.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.schema import CheckError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAMES = ("project", "item", "view", "findings", "selection", "gui")
"""The values a condition may use."""

_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, many: value in many,
    ast.NotIn: lambda value, many: value not in many,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed condition; the empty one always holds."""

    text: str = ""
    tree: ast.expr | None = None

    def holds(self, values: Mapping[str, object]) -> bool:
        """Whether the condition is met by these values."""
        return self.tree is None or bool(_value(self.tree, values))

    def reason(self, values: Mapping[str, object]) -> str:
        """Say what is missing, "" when the condition holds."""
        if self.tree is None or self.holds(values):
            return ""
        tree = self.tree
        both = isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And)
        parts = tree.values if isinstance(tree, ast.BoolOp) and both else [tree]
        unmet = next(part for part in parts if not _value(part, values))
        return _explain(unmet)

    def __bool__(self) -> bool:
        return self.tree is not None


def condition(value: object) -> Condition:
    """Parse a condition; raises CheckError that names what is not allowed in it."""
    if not isinstance(value, str):
        raise CheckError(tr("expected a condition as text"))
    if not value.strip():
        return Condition()
    try:
        tree = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise CheckError(tr("{text} is not a condition", text=repr(value))) from None
    _validate(tree, value)
    return Condition(value.strip(), tree)


def _validate(node: ast.expr, whole: str) -> None:
    match node:
        case ast.BoolOp(values=parts):
            for part in parts:
                _validate(part, whole)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _validate(operand, whole)
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(type(op) not in _COMPARE for op in ops):
                raise CheckError(_not_allowed(node, whole))
            for part in (left, *others):
                _validate(part, whole)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                _validate(part, whole)
        case ast.Name(id=name):
            if name not in NAMES:
                raise CheckError(
                    tr(
                        "unknown name {name} in the condition; known are {names}",
                        name=name,
                        names=", ".join(NAMES),
                    )
                )
        case ast.Constant(value=str() | int()):
            pass
        case _:
            raise CheckError(_not_allowed(node, whole))


def _not_allowed(node: ast.expr, whole: str) -> str:
    part = ast.get_source_segment(whole.strip(), node) or whole
    return tr("{part} is not allowed in a condition", part=repr(part))


def _value(node: ast.expr, values: Mapping[str, object]) -> Any:  # noqa: ANN401 - text, number, bool
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, values) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, values) for part in parts)
        case ast.UnaryOp(operand=operand):
            return not _value(operand, values)
        case ast.Compare(left=left, ops=ops, comparators=others):
            terms = [_value(part, values) for part in (left, *others)]
            return all(_compare(op, a, b) for op, a, b in zip(ops, terms, terms[1:], strict=False))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [_value(part, values) for part in parts]
        case ast.Name(id=name):
            return values.get(name, "")
        case ast.Constant(value=value):
            return value
    raise AssertionError(ast.dump(node))


def _compare(op: ast.cmpop, left: object, right: object) -> bool:
    try:
        return bool(_COMPARE[type(op)](left, right))
    except TypeError:
        return False


def _explain(node: ast.expr) -> str:
    match node:
        case ast.Name(id="project"):
            return tr("Open a project first.")
        case ast.Name(id="item"):
            return tr("Select an item of the project first.")
        case ast.Name(id="selection"):
            return tr("Select a time range first.")
        case ast.Name(id="view"):
            return tr("Open a view first.")
        case ast.Name(id="findings"):
            return tr("There are no findings.")
        case ast.Name(id="gui"):
            return tr("Needs the window.")
        case ast.Compare(left=ast.Name(id="findings")):
            return tr("There are no findings.")
        case ast.Compare(
            left=ast.Name(id="view" | "item" as name),
            ops=[ast.NotEq()],
            comparators=[ast.Constant(value="")],
        ):
            return _explain(ast.Name(name))
        case ast.Compare(left=ast.Name(id="view"), ops=[ast.Eq() | ast.In()]):
            return tr("Not for the view in front.")
        case ast.Compare(left=ast.Name(id="item"), ops=[ast.Eq() | ast.In()]):
            return tr("Not for the selected item.")
    return tr("Not possible now: needs {condition}.", condition=ast.unparse(node))
