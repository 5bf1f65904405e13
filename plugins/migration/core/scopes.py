"""Scopes and what binds names in them: one quick walk over the statements of a file.

Expressions are not entered here; the statements are listed with their lines, so that a later step
enters only those that stand on lines of interest.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

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
        scope: Scope = self
        if how := self.outside.get(binding.name):
            scope = self.module() if how == "global" else self._owner(binding.name)
        scope.bindings.setdefault(binding.name, []).append(binding)

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
    """An import statement; `guarded` when the code goes on without what it imports."""

    node: ast.Import | ast.ImportFrom
    scope: Scope
    guarded: bool


@dataclass(slots=True)
class Statement:
    """A statement (of a compound one the head) with the lines it covers and its scope."""

    node: ast.stmt | ast.excepthandler | ast.match_case
    first: int
    last: int
    scope: Scope


class Collector:
    """Walks the statements of a module and fills `scopes` and `statements`."""

    def __init__(self, tree: ast.Module, *, walrus: bool) -> None:
        self.module = Scope("module", tree)
        self.statements: list[Statement] = []
        self.imports: list[Import] = []
        self.classes: dict[ast.ClassDef, Scope] = {}
        self._walrus = walrus
        self._guards = 0
        self._body(tree.body, self.module)

    def _body(self, body: list[ast.stmt], scope: Scope) -> None:
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.Expr | ast.Return):
            self._note(node, last, scope)
        elif isinstance(node, ast.Assign):
            self._note(node, last, scope)
            for target in node.targets:
                self._target(target, "assign", node, scope, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            self._note(node, last, scope)
            kind: BindingKind = "assign" if isinstance(node, ast.AnnAssign) else "other"
            self._target(node.target, kind, node, scope, node.value)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._note(node, last, scope)
            self._import(node, scope)
        elif isinstance(node, ast.If):
            self._chain(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            how = "global" if isinstance(node, ast.Global) else "nonlocal"
            scope.outside.update(dict.fromkeys(node.names, how))
        else:
            self._compound(node, last, scope)

    def _compound(self, node: ast.stmt, last: int, scope: Scope) -> None:
        if isinstance(node, ast.For | ast.AsyncFor):
            self._head(node, node.body, scope)
            self._target(node.target, "loop", node, scope, node.iter)
            self._body(node.body, scope)
            self._body(node.orelse, scope)
        elif isinstance(node, ast.While):
            self._head(node, node.body, scope)
            self._body(node.body, scope)
            self._body(node.orelse, scope)
        elif isinstance(node, ast.With | ast.AsyncWith):
            self._head(node, node.body, scope)
            for item in node.items:
                if item.optional_vars is not None:
                    self._target(item.optional_vars, "other", node, scope, item.context_expr)
            self._body(node.body, scope)
        elif isinstance(node, ast.Try | ast.TryStar):
            self._try(node, scope)
        elif isinstance(node, ast.Match):
            self._note(node, node.subject.end_lineno or node.lineno, scope)
            for case in node.cases:
                self._case(case, scope)
        else:
            self._note(node, last, scope)

    def _try(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        guard = any(map(_catches_import_error, node.handlers))
        self._guards += guard
        self._body(node.body, scope)
        self._guards -= guard
        for handler in node.handlers:
            self._head(handler, handler.body, scope)
            if handler.name:
                scope.bind(Binding(handler.name, "other", handler, scope))
            self._body(handler.body, scope)
        self._body(node.orelse, scope)
        self._body(node.finalbody, scope)

    def _chain(self, node: ast.If, scope: Scope) -> None:
        """Walk an if/elif chain in a loop, since each elif nests one deeper in the tree."""
        while True:
            self._head(node, node.body, scope)
            self._body(node.body, scope)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        self._body(node.orelse, scope)

    def _case(self, case: ast.match_case, scope: Scope) -> None:
        self.statements.append(Statement(case, case.pattern.lineno, case.body[0].lineno, scope))
        for part in ast.walk(case.pattern):
            if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                scope.bind(Binding(part.name, "other", case, scope))
            elif isinstance(part, ast.MatchMapping) and part.rest:
                scope.bind(Binding(part.rest, "other", case, scope))
        self._body(case.body, scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self._head(node, node.body, scope)
        scope.bind(Binding(node.name, "function", node, scope))
        inner = Scope("function", node, scope)
        bind_parameters(node.args, node, inner)
        self._body(node.body, inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._head(node, node.body, scope)
        scope.bind(Binding(node.name, "class", node, scope))
        self.classes[node] = inner = Scope("class", node, scope)
        self._body(node.body, inner)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        self.imports.append(Import(node, scope, self._guards > 0))
        base = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
            else:
                module = f"{base}.{alias.name}" if base.strip(".") else base + alias.name
            name = alias.asname or alias.name.partition(".")[0]
            scope.bind(Binding(name, "import", node, scope, module=module))

    def _target(
        self,
        target: ast.expr,
        kind: BindingKind,
        node: ast.AST,
        scope: Scope,
        value: ast.expr | None,
    ) -> None:
        if isinstance(target, ast.Name):
            scope.bind(Binding(target.id, kind, node, scope, value))
        elif isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            pairwise = kind == "assign" and len(values) == len(target.elts)
            for index, part in enumerate(target.elts):
                if pairwise:
                    self._target(part, kind, node, scope, values[index])
                else:
                    self._target(part, "other", node, scope, None)
        elif isinstance(target, ast.Starred):
            self._target(target.value, "other", node, scope, None)

    def _head(
        self,
        node: ast.stmt | ast.excepthandler,
        body: list[ast.stmt],
        scope: Scope,
    ) -> None:
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([first, *(part.lineno for part in node.decorator_list)])
        self.statements.append(Statement(node, first, body[0].lineno, scope))
        if self._walrus:
            self._note_walrus(head(node), scope)

    def _note(self, node: ast.stmt, last: int, scope: Scope) -> None:
        self.statements.append(Statement(node, node.lineno, last, scope))
        if self._walrus:
            self._note_walrus([node], scope)

    def _note_walrus(self, roots: list[ast.AST], scope: Scope) -> None:
        for root in roots:
            for node in ast.walk(root):
                if isinstance(node, ast.NamedExpr):
                    self._target(node.target, "assign", node, scope, node.value)


def _catches_import_error(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = {part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)}
    return bool(caught & {"ImportError", "ModuleNotFoundError", "Exception"})


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
    skipped = ("body", "orelse", "finalbody", "handlers", "cases")
    if not hasattr(node, "body") and not hasattr(node, "cases"):
        return [node]
    found: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        values = value if isinstance(value, list) else [value]
        found.extend(part for part in values if isinstance(part, ast.AST))
    return found
