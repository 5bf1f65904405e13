"""A script as a whole: what stands around a node, who calls a function, what a name stands for."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from plugins.migration.core import strings
from plugins.migration.core.model import ScanContext
from plugins.migration.core.parsing import Fault, parse
from plugins.migration.core.source import PythonFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.scopes import Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef
Variable = tuple["Scope", str]
"""A name in the scope that binds it."""

_DEEPEST = 8


class Program:
    """One script and the ways through it; raises `ValueError` for a text that is no Python."""

    def __init__(self, text: str) -> None:
        tree = parse(text)
        if isinstance(tree, Fault):
            raise ValueError(tree.message)
        self.text = text
        self.tree = tree
        self.file = PythonFile(text, tree, ScanContext())
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                strings.place_parts(node, text, self.file.positions)
        self.parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._scopes = {one.node: one.scope for one in self.file.collected.statements}

    # -- around a node ------------------------------------------------------------------------
    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the nearest first."""
        inner = self.parents.get(node)
        while inner is not None:
            yield inner
            inner = self.parents.get(inner)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement a node is part of, or is."""
        for part in (node, *self.around(node)):
            if isinstance(part, ast.stmt):
                return part
        raise ValueError("a node outside of all statements")

    def function(self, node: ast.AST) -> Function | None:
        """The function whose body a node stands in."""
        found = (part for part in self.around(node) if isinstance(part, Function))
        return next(found, None)

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which a node is read (lambdas and comprehensions are not looked into)."""
        for part in (node, *self.around(node)):
            if part in self._scopes:
                return self._scopes[part]
        return self.file.names.module

    def inner_scope(self, function: Function) -> Scope:
        """The scope that a function opens."""
        return next(scope for scope in self.file.collected.scopes if scope.node is function)

    def name(self, node: ast.expr) -> str:
        """The canonical dotted name of an expression, or ""."""
        return self.file.qualified(node, self.scope(node))

    def calls(self, under: ast.AST | None = None) -> Iterator[ast.Call]:
        """The calls in a node or the script, in no order that means anything."""
        return (node for node in ast.walk(under or self.tree) if isinstance(node, ast.Call))

    def functions(self) -> Iterator[Function]:
        """The functions of the script."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    # -- who calls whom -----------------------------------------------------------------------
    @cached_property
    def _calls(self) -> dict[Function, list[ast.Call]]:
        found: dict[Function, list[ast.Call]] = {}
        for node in self.calls():
            if (called := self.called(node)) is not None:
                found.setdefault(called, []).append(node)
        return found

    def called(self, call: ast.Call) -> Function | None:
        """The function of this script that a call runs, if it is called by its plain name."""
        if not isinstance(call.func, ast.Name):
            return None
        bindings = self.scope(call).lookup(call.func.id)
        node = bindings[0].node if len(bindings) == 1 else None
        return node if isinstance(node, Function) else None

    def calls_of(self, function: Function) -> list[ast.Call]:
        """The calls of a function in this script."""
        return self._calls.get(function, [])

    def reached(self, start: ast.AST) -> set[Function]:
        """The functions of this script that run when a node runs."""
        found: set[Function] = set()
        todo = [start]
        while todo:
            for call in self.calls(todo.pop()):
                called = self.called(call)
                if called is not None and called not in found:
                    found.add(called)
                    todo.append(called)
        return found

    # -- where values come from ---------------------------------------------------------------
    def variable(self, node: ast.expr) -> Variable | None:
        """The variable that a plain name reads."""
        if not isinstance(node, ast.Name):
            return None
        bindings = self.scope(node).lookup(node.id)
        return (bindings[0].scope, node.id) if bindings else None

    def origin(self, variable: Variable | None, depth: int = 0) -> Variable | None:
        """The variable a parameter was given, followed to the caller that all calls agree on."""
        if variable is None or depth > _DEEPEST:
            return None
        given = self.given(variable)
        if given is None:
            return variable
        found = {self.origin(self.variable(one), depth + 1) for one in given}
        return found.pop() if len(found) == 1 else None

    def given(self, variable: Variable) -> list[ast.expr] | None:
        """What calls give for a variable that is a parameter; None if it is none."""
        scope, name = variable
        bindings = scope.bindings.get(name, [])
        if not isinstance(scope.node, Function) or not any(b.kind == "parameter" for b in bindings):
            return None
        found = [argument(call, scope.node, name) for call in self.calls_of(scope.node)]
        return [one for one in found if one is not None]

    def values(self, node: ast.expr, depth: int = 0) -> list[ast.expr]:
        """The expressions that can make a value: through names, parameters, own functions.

        One that cannot be followed stands for itself.
        """
        if depth > _DEEPEST:
            return [node]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return self._entries(node, node.slice.value, depth)
        if isinstance(node, ast.Call) and (called := self.called(node)) is not None:
            given_back = returned(called)
            inner = [one for one in given_back if one is not None]
            if inner and len(inner) == len(given_back):
                return [v for one in inner for v in self.values(one, depth + 1)]
        variable = self.variable(node)
        if variable is None:
            return [node]
        given = self.given(variable)
        if given is not None:
            return [v for one in given for v in self.values(one, depth + 1)] or [node]
        made = [self._made(b.node, b.value, variable[1]) for b in variable[0].bindings[variable[1]]]
        if not made or any(one is None for one in made):
            return [node]
        return [v for one in made if one is not None for v in self.values(one, depth + 1)]

    def _entries(self, node: ast.Subscript, key: object, depth: int) -> list[ast.expr]:
        found: list[ast.expr] = []
        for table in self.values(node.value, depth + 1):
            if not isinstance(table, ast.Dict):
                continue
            pairs = zip(table.keys, table.values, strict=True)
            found += [v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key]
        return [v for one in found for v in self.values(one, depth + 1)] or [node]

    def _made(self, node: ast.AST, value: ast.expr | None, name: str) -> ast.expr | None:
        """The expression a binding takes its value from; of `a, b = make()` the part returned."""
        if value is not None or not isinstance(node, ast.Assign):
            return value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        target = node.targets[0]
        if not isinstance(target, ast.Tuple) or not isinstance(node.value, ast.Call):
            return None
        called = self.called(node.value)
        parts = returned(called) if called is not None else []
        if len(parts) != 1 or not isinstance(parts[0], ast.Tuple):
            return None
        for index, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id == name and index < len(parts[0].elts):
                return parts[0].elts[index]
        return None


def argument(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """What a call gives for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if name not in names or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    index = names.index(name)
    return call.args[index] if index < len(call.args) else None


def returned(function: Function) -> list[ast.expr | None]:
    """What the return statements of a function give back, inner functions left out."""
    found: list[ast.expr | None] = []
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            found.append(node.value)
        elif not isinstance(node, (*_OPENING, ast.expr)):
            todo.extend(ast.iter_child_nodes(node))
    return found


_OPENING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
