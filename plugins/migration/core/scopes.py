"""Scopes, what binds names in them, and the statements of a file with the lines they cover."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

_INSIDE = frozenset(["body", "orelse", "finalbody", "handlers", "cases"])

BindingKind = Literal["import", "assign", "parameter", "function", "class", "loop", "other"]


@dataclass(eq=False, slots=True)
class Scope:
    """A module, class, function, lambda or comprehension and the names bound in it."""

    kind: str
    node: ast.AST
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)

    def lookup(self, name: str) -> list[Binding]:
        """The bindings that a name read in this scope can mean (none: builtin or unknown)."""
        scope: Scope | None = self
        while scope is not None:
            if scope.kind != "class" or scope is self:
                if scope.outside.get(name) == "global":
                    return scope.module().bindings.get(name, [])
                if found := scope.bindings.get(name):
                    return found
            scope = scope.parent
        return []

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def enclosing(self, kind: str) -> Scope | None:
        """The nearest scope of a kind, this one included."""
        scope: Scope | None = self
        while scope is not None and scope.kind != kind:
            scope = scope.parent
        return scope

    def bind(self, binding: Binding) -> None:
        """Note a binding where it belongs: here, or in the scope named by global or nonlocal."""
        name = binding.name
        scope: Scope = self
        if self.outside and (how := self.outside.get(name)):
            scope = self.module() if how == "global" else self._owner(name)
        known = scope.bindings.get(name)
        if known is None:
            scope.bindings[name] = [binding]
        else:
            known.append(binding)

    def _owner(self, name: str) -> Scope:
        scope = self.parent
        while scope is not None:
            if scope.kind != "class" and name in scope.bindings:
                return scope
            scope = scope.parent
        return self


@dataclass(eq=False, slots=True)
class Binding:
    """One way in which a name gets a value.

    `value` is the expression assigned, looped over or defaulted to; `module` the dotted name of
    what an import binds ("torch.cuda" for `from torch import cuda`; relative ones keep their dots).
    """

    name: str
    kind: BindingKind
    node: ast.AST
    scope: Scope
    value: ast.expr | None = None
    module: str = ""


@dataclass(slots=True)
class Import:
    """An import statement with what it binds; `guarded` when the code goes on without that."""

    node: ast.Import | ast.ImportFrom
    scope: Scope
    guarded: bool
    bindings: list[Binding]


@dataclass(slots=True)
class Statement:
    """A statement (of a compound one the head) with the lines it covers and its scope."""

    node: ast.stmt | ast.excepthandler | ast.match_case
    first: int
    last: int
    scope: Scope


def bind_parameters(arguments: ast.arguments, node: ast.AST, scope: Scope) -> None:
    """Bind the parameters of a function or lambda, with their defaults as values."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = list(zip(plain, defaults + list(arguments.defaults), strict=True))
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    pairs += [(extra, None) for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    for argument, default in pairs:
        scope.bind(Binding(argument.arg, "parameter", argument, scope, default))


def head(node: ast.AST) -> list[ast.AST]:
    """What belongs to a statement itself and not to the statements inside it."""
    if not hasattr(node, "body") and not hasattr(node, "cases"):
        return [node]
    found: list[ast.AST] = []
    for name in node._fields:
        if name in _INSIDE:
            continue
        value = getattr(node, name, None)
        values = value if isinstance(value, list) else [value]
        found.extend(part for part in values if isinstance(part, ast.AST))
    return found
