"""Where the processes join and part: before anything is made, and at the end of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.program import Function
from plugins.migration.core.guide.training import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.guide.program import Program
    from plugins.migration.core.guide.training import Training

_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOVES = frozenset(["to", "cuda", "npu"])


def body_that_runs(program: Program, found: Training) -> list[ast.stmt]:
    """The statements of the program that makes model and data: a function or the module.

    Raises Refusal if things are made both in a function and while the module is imported.
    """
    functions = [node for node in found.way if isinstance(node, Function)]
    main = functions[-1] if functions else None
    made = [found.loader, *_makers(found)]
    outside = [node for node in made if _outermost(program, node) is None]
    guard = _guard(program)
    if main is not None and not outside:
        for node in _moves_at_import(program, guard):
            raise Refusal(rules.AT_IMPORT, node)
        return main.body[_has_docstring(main.body) :]
    within = all(any(part is guard for part in program.around(node)) for node in outside)
    if guard is not None and guard in found.way and within:
        for node in _moves_at_import(program, guard):
            raise Refusal(rules.AT_IMPORT, node)
        return guard.body
    body = program.tree.body
    working = (index for index, node in enumerate(body) if not _only_defines(node))
    return body[next(working, len(body) - 1) :]


def _makers(found: Training) -> Iterator[ast.AST]:
    scope, name = found.model
    for binding in scope.bindings.get(name, []):
        if binding.kind == "assign":
            yield binding.node


def _outermost(program: Program, node: ast.AST) -> Function | None:
    functions = [part for part in program.around(node) if isinstance(part, Function)]
    return functions[-1] if functions else None


def _guard(program: Program) -> ast.If | None:
    """The `if __name__ == "__main__":` of the module."""
    for node in program.tree.body:
        test = node.test if isinstance(node, ast.If) else None
        left = test.left if isinstance(test, ast.Compare) else None
        if isinstance(node, ast.If) and isinstance(left, ast.Name) and left.id == "__name__":
            return node
    return None


def _moves_at_import(program: Program, guard: ast.If | None) -> Iterator[ast.AST]:
    """Moves to a device by statements of the module itself."""
    for statement in program.tree.body:
        if statement is guard or isinstance(statement, _DEFINING):
            continue
        for node in ast.walk(statement):
            method = node.func if isinstance(node, ast.Call) else None
            moves = isinstance(method, ast.Attribute) and method.attr in _MOVES
            if moves and _outermost(program, node) is None:
                yield node


def _only_defines(node: ast.stmt) -> bool:
    """Whether a statement of the module does nothing but give names."""
    if isinstance(node, _DEFINING):
        return True
    if isinstance(node, ast.Try):
        return all(isinstance(part, ast.Import | ast.ImportFrom) for part in node.body)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        return not any(isinstance(part, ast.Call) for part in ast.walk(node.value))
    return isinstance(node, ast.If) and not any(
        isinstance(part, ast.Call) for part in ast.walk(node)
    )


def _has_docstring(body: list[ast.stmt]) -> int:
    first = body[0]
    doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return int(doc and len(body) > 1)
