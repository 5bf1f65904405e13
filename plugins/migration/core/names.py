"""What names mean: canonical dotted names through imports and aliases; classes of a file."""

from __future__ import annotations

import ast
import builtins
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.migration.core.collector import Collector
    from plugins.migration.core.scopes import Binding, Scope

_BUILTINS = frozenset(dir(builtins))
_DEEPEST = 8


class Names:
    """Answers what the expressions of one file stand for."""

    def __init__(
        self, collected: Collector, text: str, exports: Mapping[str, str] | None = None
    ) -> None:
        self.module = collected.module
        self.classes = collected.classes
        self._text = text
        self.exports = exports or {}
        self._known: dict[tuple[str, Scope], str] = {}

    @cached_property
    def set_on_self(self) -> frozenset[str]:
        """Which of `cuda` and `is_cuda` some method sets on its object."""
        found = re.findall(r"\bself\.(cuda|is_cuda)\b[ \t]*(?::[^=\n]*)?=(?!=)", self._text)
        return frozenset(found)

    def qualified(self, node: ast.expr, scope: Scope, depth: int = 0) -> str:
        """The canonical dotted name of an expression ("torch.cuda.Event"), "" if it has none."""
        attributes: list[str] = []
        while True:
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Call) and (name := got_attribute(node)):
                attributes.append(name)
                node = node.args[0]
            else:
                break
        if not isinstance(node, ast.Name):
            return ""
        base = self.of_name(node.id, scope, depth)
        return ".".join((base, *reversed(attributes))) if base else ""

    def of_name(self, name: str, scope: Scope, depth: int = 0) -> str:
        """The canonical dotted name of what a plain name stands for, "" if that is not certain."""
        key = (name, scope)
        if key not in self._known:
            self._known[key] = ""  # a name that stands for itself stands for nothing
            self._known[key] = self._of_name(name, scope, depth)
        return self._known[key]

    def _of_name(self, name: str, scope: Scope, depth: int) -> str:
        bindings = scope.lookup(name)
        if not bindings:
            return f"builtins.{name}" if name in _BUILTINS else ""
        if depth > _DEEPEST:
            return ""
        meanings = {self._of_binding(binding, depth) for binding in bindings} - {"None"}
        return meanings.pop() if len(meanings) == 1 else ""

    def _of_binding(self, binding: Binding, depth: int) -> str:
        if binding.kind == "import":
            return self.exports.get(binding.module, binding.module)
        if binding.kind != "assign" or binding.value is None:
            return ""
        if isinstance(binding.value, ast.Constant):
            return "None" if binding.value.value in (None, False) else ""
        return self.qualified(binding.value, binding.scope, depth + 1)

    def local_class(self, node: ast.expr, scope: Scope) -> ast.ClassDef | None:
        """The class of this file that an expression names."""
        if not isinstance(node, ast.Name):
            return None
        bindings = scope.lookup(node.id)
        found = [b.node for b in bindings if isinstance(b.node, ast.ClassDef)]
        return found[0] if len(found) == 1 == len(bindings) else None

    def enclosing_class(self, scope: Scope) -> ast.ClassDef | None:
        """The class whose method a scope is in."""
        inner: Scope | None = scope
        while inner is not None:
            if isinstance(inner.node, ast.ClassDef):
                return inner.node
            inner = inner.parent
        return None

    def defines(self, node: ast.ClassDef, attribute: str) -> bool:
        """Whether a class, or one of this file it inherits from, has an attribute of its own."""
        return any(
            attribute in self.classes[part].bindings or self._sets(part, attribute)
            for part in self.lineage(node)
        )

    def lineage(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and those it inherits from, as far as they stand in this file."""
        found: list[ast.ClassDef] = []
        todo = [node]
        while todo:
            part = todo.pop()
            if part not in found:
                found.append(part)
                scope = self._outside(part)
                bases = (self.local_class(base, scope) for base in part.bases)
                todo.extend(base for base in bases if base is not None)
        return found

    def bases(self, node: ast.ClassDef) -> list[str]:
        """The canonical names of the bases outside this file; "" for those that are unknown."""
        found = []
        for part in self.lineage(node):
            scope = self._outside(part)
            for base in part.bases:
                if self.local_class(base, scope) is None:
                    found.append(self.qualified(base, scope))
        return [name for name in found if name != "builtins.object"]

    def _sets(self, node: ast.ClassDef, attribute: str) -> bool:
        if attribute not in self.set_on_self:
            return False
        return any(
            isinstance(part, ast.Attribute)
            and part.attr == attribute
            and isinstance(part.ctx, ast.Store)
            for part in ast.walk(node)
        )

    def _outside(self, node: ast.ClassDef) -> Scope:
        return self.classes[node].parent or self.module


def got_attribute(node: ast.Call) -> str:
    """The name in `getattr(x, "name")`, else ""."""
    if (
        isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) in (2, 3)
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    ):
        return node.args[1].value
    return ""


def last_name(node: ast.AST) -> str:
    """The word by which an expression is called: of `args.device` it is "device"."""
    while True:
        if isinstance(node, ast.Attribute):
            return node.attr
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.arg):
            return node.arg
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return node.slice.value
            node = node.value
        elif isinstance(node, ast.Call):
            if (name := got_attribute(node)) or (name := _got_item(node)):
                return name
            if not isinstance(node.func, ast.Attribute | ast.Name):
                return ""
            wrapper = isinstance(node.func, ast.Name) and node.func.id in ("str", "int")
            node = node.args[0] if wrapper and node.args else node.func
        elif isinstance(node, ast.Starred | ast.Await):
            node = node.value
        else:
            return ""


def _got_item(node: ast.Call) -> str:
    """The name in `options.get("name")`."""
    if (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get", "pop", "setdefault")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ):
        return node.args[0].value
    return ""
