"""Element types of tensors, where the code states them: `dtype=torch.float64`, `.double()`."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.support import CODES

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

_DEEPEST = 5
_CASTS = {name: code for name, code in CODES.items() if name not in ("bool",)}
_KEEPING = re.compile(
    "cuda|npu|cpu|clone|detach|contiguous|view|reshape|flatten|squeeze|unsqueeze|transpose|permute"
    "|requires_grad_|t|expand|repeat"
)
_CONVERTING = ("to", "type", "new_zeros", "new_ones", "new_empty", "new_full", "new_tensor")


def dtype_of(file: PythonFile, node: ast.expr, scope: Scope, depth: int = 0) -> str:
    """The element type of a tensor as the support list writes it, "" if the code does not say."""
    if depth > _DEEPEST:
        return ""
    if isinstance(node, ast.Name):
        bindings = scope.lookup(node.id)
        found = {
            dtype_of(file, b.value, b.scope, depth + 1) if b.value and b.kind == "assign" else ""
            for b in bindings
        }
        return found.pop() if len(found) == 1 else ""
    if not isinstance(node, ast.Call):
        return ""
    for keyword in node.keywords:
        if keyword.arg == "dtype":
            return dtype_named(file, keyword.value, scope)
    if not isinstance(node.func, ast.Attribute):
        return ""
    method = node.func.attr
    if method in _CONVERTING:
        named = [code for part in node.args if (code := dtype_named(file, part, scope))]
        if named:
            return named[0]
    elif method in _CASTS and not node.args and not file.qualified(node.func, scope):
        return _CASTS[method]
    if _KEEPING.fullmatch(method) or method == "to":
        return dtype_of(file, node.func.value, scope, depth + 1)
    return ""


def dtype_named(file: PythonFile, node: ast.expr, scope: Scope) -> str:
    """The element type that an expression such as `torch.float64` names."""
    name = file.qualified(node, scope)
    return CODES.get(name.removeprefix("torch."), "") if name.startswith("torch.") else ""
