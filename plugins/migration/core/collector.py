"""One quick walk over the statements of a file: its scopes, bindings, imports and classes.

Expressions are not entered here; the statements are listed with their lines, so that a later step
enters only those that stand on lines of interest.
"""

from __future__ import annotations

import ast

from plugins.migration.core.scopes import (
    Binding,
    BindingKind,
    Import,
    Scope,
    Statement,
    bind_parameters,
    head,
)

_ANNOTATED = (ast.AnnAssign, ast.AugAssign)
_IMPORTS = (ast.Import, ast.ImportFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SEVERAL = (ast.Tuple, ast.List)


class Collector:
    """Walks the statements of a module and fills `scopes` and `statements`."""

    def __init__(self, tree: ast.Module, walrus: frozenset[int] = frozenset()) -> None:
        """Walk a module; `walrus` are the lines in which names are bound inside expressions."""
        self.scopes: list[Scope] = []
        self.module = self.open("module", tree)
        self.statements: list[Statement] = []
        self.imports: list[Import] = []
        self.classes: dict[ast.ClassDef, Scope] = {}
        self._walrus = walrus
        self._guards = 0
        self._body(tree.body, self.module)

    def open(self, kind: str, node: ast.AST, parent: Scope | None = None) -> Scope:
        """Make a scope."""
        scope = Scope(kind, node, parent)
        self.scopes.append(scope)
        return scope

    def release(self) -> None:
        """Take scopes and bindings apart, so that the tree is freed at once."""
        for scope in self.scopes:
            scope.bindings.clear()

    def _body(self, body: list[ast.stmt], scope: Scope) -> None:
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        # This runs for every statement: the kinds are asked for by how often they occur.
        kind = type(node)
        if kind is ast.Expr or kind is ast.Return:
            self._note(node, scope)
        elif kind is ast.Assign:
            self._note(node, scope)
            for target in node.targets:  # type: ignore[attr-defined]
                self._target(target, "assign", node, scope, node.value)  # type: ignore[attr-defined]
        elif isinstance(node, ast.If):
            self._chain(node, scope)
        elif isinstance(node, _FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, _ANNOTATED):
            self._note(node, scope)
            how: BindingKind = "assign" if isinstance(node, ast.AnnAssign) else "other"
            self._target(node.target, how, node, scope, node.value)
        elif isinstance(node, _IMPORTS):
            self._note(node, scope)
            self._import(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            how_far = "global" if isinstance(node, ast.Global) else "nonlocal"
            scope.outside.update(dict.fromkeys(node.names, how_far))
        else:
            self._compound(node, scope)

    def _compound(self, node: ast.stmt, scope: Scope) -> None:
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
            self._note(node, scope, node.subject.end_lineno)
            for case in node.cases:
                self._case(case, scope)
        else:
            self._note(node, scope)

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
        if self._walrus and case.guard is not None:
            self._note_walrus([case.guard], scope)
        for part in ast.walk(case.pattern):
            if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                scope.bind(Binding(part.name, "other", case, scope))
            elif isinstance(part, ast.MatchMapping) and part.rest:
                scope.bind(Binding(part.rest, "other", case, scope))
        self._body(case.body, scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self._head(node, node.body, scope)
        scope.bind(Binding(node.name, "function", node, scope))
        inner = self.open("function", node, scope)
        bind_parameters(node.args, node, inner)
        self._body(node.body, inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._head(node, node.body, scope)
        scope.bind(Binding(node.name, "class", node, scope))
        self.classes[node] = inner = self.open("class", node, scope)
        self._body(node.body, inner)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        bindings: list[Binding] = []
        self.imports.append(Import(node, scope, self._guards > 0, bindings))
        base = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
            else:
                module = f"{base}.{alias.name}" if base.strip(".") else base + alias.name
            name = alias.asname or alias.name.partition(".")[0]
            bindings.append(Binding(name, "import", node, scope, module=module))
            scope.bind(bindings[-1])

    def _target(
        self,
        target: ast.expr,
        kind: BindingKind,
        node: ast.AST,
        scope: Scope,
        value: ast.expr | None,
    ) -> None:
        if type(target) is ast.Name:
            scope.bind(Binding(target.id, kind, node, scope, value))
        elif isinstance(target, _SEVERAL):
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
        decorated: list[ast.expr] | None = getattr(node, "decorator_list", None)
        if decorated:
            first = min(first, decorated[0].lineno)
        last = body[0].lineno
        self.statements.append(Statement(node, first, last, scope))
        if self._walrus and not self._walrus.isdisjoint(range(first, last + 1)):
            self._note_walrus(head(node), scope)

    def _note(self, node: ast.stmt, scope: Scope, last: int | None = None) -> None:
        last = last or node.end_lineno or node.lineno
        self.statements.append(Statement(node, node.lineno, last, scope))
        if self._walrus and not self._walrus.isdisjoint(range(node.lineno, last + 1)):
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
