"""A quick look at a node that tells whether any rule can have something to say about it.

Most attributes, calls and texts say nothing to any rule. The words that rules look for wherever
they stand are declared beside them (`MEMBERS`, `CALLED`); all else is told by the dotted name.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from plugins.migration.core import registry
from plugins.migration.core.extensions import extension_of
from plugins.migration.core.rules.integers import TAKING
from plugins.migration.core.support import names_of_methods
from plugins.migration.core.tables import library_of

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

_INNER = ("torch.distributed.", "torch.profiler.")
"""Where rules speak of what stands inside a longer dotted name, too."""

_TELLING = re.compile("cuda|nccl|cublas_|nvidia|executionprovider")


class Gates:
    """Decides for the nodes of one file."""

    def __init__(self, file: PythonFile) -> None:
        self._file = file
        self._members = registry.words("MEMBERS")
        self._called = registry.words("CALLED")
        self._methods = names_of_methods()
        self._users = bool(file.context.rules)
        self._named: dict[str, bool] = {}

    @cached_property
    def _builds(self) -> bool:
        known = (one.builder for one in self._file.context.extensions)
        return any(word in self._file.text for word in ("cpp_extension", *filter(None, known)))

    def opens_for_attribute(self, node: ast.Attribute, scope: Scope) -> bool:
        """Whether a rule may speak of an attribute, or of the dotted name that ends with it."""
        word = node.attr
        if word in self._members or self._users:
            return True
        file = self._file
        around = file.parents.get(node)
        name = file.qualified(node, scope)
        if type(around) is ast.Attribute:
            return name.startswith(_INNER)
        if name:
            known = self._named.get(name)
            if known is None:
                known = self._named[name] = self._matters(name)
            return known
        called = type(around) is ast.Call and around.func is node
        return called and (self._builds or word in self._methods)

    def _matters(self, name: str) -> bool:
        """Whether a dotted name leads to torch, a library's feature or an own extension."""
        if name.startswith("torch."):
            return True
        entry = library_of(name)
        if entry is not None and "." in entry.name:
            return True
        return extension_of(name, self._file.context.extensions) is not None

    def opens_for_call(self, node: ast.Call, scope: Scope) -> bool:
        """Whether a rule may speak of a call or of what it is given."""
        func = node.func
        if isinstance(func, ast.Attribute):
            word = func.attr
        elif isinstance(func, ast.Name):
            word = func.id
        else:
            return True
        if word in self._called or self._file.qualified(func, scope).startswith("torch."):
            return True
        return any(keyword.arg in TAKING for keyword in node.keywords)

    def opens_for_constant(self, node: ast.Constant) -> bool:
        """Whether a rule may speak of a constant: of a text with a telling word in it."""
        value = node.value
        if type(value) is not str:
            return False
        return self._file.states_needs or _TELLING.search(value.lower()) is not None
