"""The walk over the statements of interest in a file, which asks the rules at each node."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from plugins.migration.core import registry, strings
from plugins.migration.core.gates import Gates
from plugins.migration.core.rules import libraries
from plugins.migration.core.scopes import Binding, Scope, Statement, bind_parameters, head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plugins.migration.core.source import PythonFile

_LEFT_OUT = frozenset(
    ["ctx", "op", "ops", "id", "attr", "kind", "conversion", "type_comment", "level", "simple"]
)
_PLAIN = {ast.arg: ("arg",), ast.keyword: ("arg",), ast.ImportFrom: ("module",)}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def visit(file: PythonFile, statements: Iterable[Statement]) -> None:
    """Ask the rules at each node of the statements that may matter to one of them."""
    early, late = registry.handlers()
    waiting: list[tuple[Callable[..., None], ast.AST, Scope]] = []
    parents, parts = file.parents, _parts()
    gates = Gates(file)
    attributes, calls = early[ast.Attribute], early[ast.Call]
    for statement in statements:
        stack: list[tuple[ast.AST, Scope]] = [
            (node, statement.scope) for node in reversed(head(statement.node))
        ]
        for node, _ in stack:
            if node is not statement.node:
                parents[node] = statement.node
        while stack:
            node, scope = stack.pop()
            kind = type(node)
            if kind is ast.Attribute:  # the most frequent of all
                value = node.value  # type: ignore[attr-defined]
                parents[value] = node
                if gates.opens_for_attribute(node, scope):  # type: ignore[arg-type]
                    for handler in attributes:
                        handler(file, node, scope)
                if type(value) is not ast.Name:  # nobody asks for a name before a dot
                    stack.append((value, scope))
                continue
            if kind is ast.Name:
                if not _says_something(file, node, scope):
                    continue
            elif kind is ast.Constant:
                if not gates.opens_for_constant(node):  # type: ignore[arg-type]
                    continue
            elif kind is ast.JoinedStr:
                strings.place_parts(node, file.text, file.positions)  # type: ignore[arg-type]
            elif kind is ast.Lambda or kind in _COMPREHENSIONS:
                scope = _inner(file, node, scope)
            for name in parts[kind]:
                part = getattr(node, name, None)
                if part.__class__ is list:
                    for child in part:
                        if isinstance(child, ast.AST):
                            parents[child] = node
                            stack.append((child, scope))
                elif isinstance(part, ast.AST):
                    parents[part] = node
                    stack.append((part, scope))
            if kind is ast.Call:
                if gates.opens_for_call(node, scope):  # type: ignore[arg-type]
                    for handler in calls:
                        handler(file, node, scope)
                continue
            for handler in early.get(kind, ()):
                handler(file, node, scope)
            for handler in late.get(kind, ()):
                waiting.append((handler, node, scope))
    for handler, node, scope in waiting:
        handler(file, node, scope)
    libraries.check_imports(file)


@cache
def _parts() -> Mapping[type[ast.AST], tuple[str, ...]]:
    """The fields of each kind of node that hold nodes that matter."""
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type)]
    return {
        kind: tuple(
            name
            for name in kind._fields
            if name not in _LEFT_OUT and name not in _PLAIN.get(kind, ())
        )
        for kind in kinds
        if issubclass(kind, ast.AST)
    }


def _says_something(file: PythonFile, node: ast.AST, scope: Scope) -> bool:
    """Whether a name stands alone for something imported; others say nothing to any rule."""
    if not isinstance(node, ast.Name) or type(file.parents.get(node)) is ast.Attribute:
        return False
    name = file.names.of_name(node.id, scope)
    return "." in name and not name.startswith("builtins.")


def _inner(file: PythonFile, node: ast.AST, scope: Scope) -> Scope:
    """The scope that a lambda or comprehension opens."""
    inner = file.collected.open("lambda", node, scope)
    if isinstance(node, ast.Lambda):
        bind_parameters(node.args, node, inner)
    else:
        for part in ast.walk(node):
            if isinstance(part, ast.comprehension):
                _bind_loop(part, inner)
    return inner


def _bind_loop(part: ast.comprehension, scope: Scope) -> None:
    plain = isinstance(part.target, ast.Name)
    for name in ast.walk(part.target):
        if isinstance(name, ast.Name):
            value = part.iter if plain else None
            scope.bind(Binding(name.id, "loop" if plain else "other", part, scope, value))
