"""Lightweight knowledge of values: is this a tensor, a module, a device, an integer?"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.names import last_name

if TYPE_CHECKING:
    from plugins.migration.core.names import Names
    from plugins.migration.core.scopes import Binding, Scope

_DEEPEST = 6
_CALLS = {
    "torch.device": "device",
    "torch.cuda.current_device": "int",
    "torch.cuda.device_count": "int",
    "torch.npu.current_device": "int",
    "torch.npu.device_count": "int",
    "torch.distributed.get_rank": "int",
    "torch.distributed.get_world_size": "int",
    "torch.distributed.get_node_local_rank": "int",
    "os.getenv": "str",
    "os.environ.get": "str",
    "builtins.int": "int",
    "builtins.len": "int",
    "builtins.round": "int",
    "builtins.str": "str",
    "builtins.bool": "bool",
    "builtins.float": "float",
}
_TENSOR_CALL = re.compile(
    r"torch\.(?:nn\.functional\.\w+|(?:new_|from_)?(?:tensor|zeros|ones|empty|full|rand|randn|randint"
    r"|randperm|arange|linspace|logspace|eye|cat|stack|where|as_tensor|from_numpy|sum|mean|exp|log"
    r"|matmul|mm|bmm|einsum|sigmoid|softmax|relu|abs|clamp|sqrt|normal|bernoulli|multinomial|Tensor)"
    r"(?:_like)?)"
)
_MODULE_CALL = re.compile(r"torch\.nn\.(?:modules\.\w+\.|parallel\.)?[A-Z]\w*")
_ANNOTATIONS = {
    "builtins.int": "int",
    "builtins.str": "str",
    "builtins.bool": "bool",
    "torch.device": "device",
    "torch.Tensor": "tensor",
    "torch.nn.Module": "module",
    "torch.dtype": "dtype",
}
_ATTRIBUTES = {"device": "device", "dtype": "dtype", "shape": "shape"}
_SAME = re.compile(r"cuda|npu|cpu|to|half|float|double|bfloat16|clone|detach|contiguous|eval")
_INT_NAME = re.compile(
    r"(?:local_?|global_?)?rank(?:_?id)?|(?:gpu|dev|device|cuda)(?:_?(?:id|idx|index|num|ids|rank))"
    r"|gpus?|(?:gpu|device|dev)_?ids?",
    re.IGNORECASE,
)


class Kinds:
    """Tells what kind of value an expression has, "" when that is not known."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[tuple[ast.expr, int], str] = {}

    def of(self, node: ast.expr, scope: Scope, depth: int = 0) -> str:
        """One of tensor, module, device, int, str, bool, float, none, dtype, class, or ""."""
        key = (node, depth)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._found(node, scope, depth)
        return known

    def _found(self, node: ast.expr, scope: Scope, depth: int) -> str:
        if depth > _DEEPEST:
            return ""
        if isinstance(node, ast.Constant):
            return "none" if node.value is None else type(node.value).__name__
        if isinstance(node, ast.Name):
            return self._agreed({self._of_binding(b, depth) for b in scope.lookup(node.id)} or {""})
        if isinstance(node, ast.Call):
            return self._of_call(node, scope, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, scope, depth)
        if isinstance(node, ast.IfExp):
            parts = (node.body, node.orelse)
            return self._agreed({self.of(part, scope, depth + 1) for part in parts})
        if isinstance(node, ast.BinOp):
            left = self.of(node.left, scope, depth + 1)
            right = self.of(node.right, scope, depth + 1)
            return "int" if "int" in (left, right) and {left, right} <= {"int", ""} else ""
        return "str" if isinstance(node, ast.JoinedStr) else ""

    def like_int(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression is an integer, or unknown but called like a card's number."""
        kind = self.of(node, scope)
        if kind:
            return kind == "int" and not isinstance(node, ast.Constant)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self.like_int(node.left, scope)
        if isinstance(node, ast.Name):
            node = self._given(node, scope)
        return _INT_NAME.fullmatch(last_name(node)) is not None

    @staticmethod
    def _given(node: ast.Name, scope: Scope) -> ast.expr:
        """The name behind a name: in `device_id = device if … else None` that is `device`."""
        bindings = scope.lookup(node.id)
        value = bindings[0].value if len(bindings) == 1 else None
        if isinstance(value, ast.IfExp):
            value = value.body
        return value if isinstance(value, ast.Name | ast.Attribute) else node

    def local_instance(self, node: ast.expr, scope: Scope, depth: int = 0) -> ast.ClassDef | None:
        """The class of this file that a value is an instance of."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
                return self._names.enclosing_class(scope)
            return self._names.local_class(node.func, scope)
        if not isinstance(node, ast.Name) or depth > _DEEPEST:
            return None
        if node.id in ("self", "cls"):
            return self._names.enclosing_class(scope)
        found = [
            self.local_instance(binding.value, binding.scope, depth + 1)
            for binding in scope.lookup(node.id)
            if binding.kind == "assign" and binding.value is not None
        ]
        return found[0] if len(found) == 1 else None

    def _of_binding(self, binding: Binding, depth: int) -> str:
        if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
            annotation = binding.node.annotation
            outside = binding.scope.parent or binding.scope
            known = self._names.qualified(annotation, outside) if annotation is not None else ""
            return _ANNOTATIONS.get(known, "")
        if binding.kind == "loop" and isinstance(binding.value, ast.Call):
            called = self._names.qualified(binding.value.func, binding.scope)
            return "int" if called == "builtins.range" else ""
        if binding.kind == "assign" and binding.value is not None:
            return self.of(binding.value, binding.scope, depth + 1)
        if binding.kind == "class":
            return "class"
        return ""

    def _of_call(self, node: ast.Call, scope: Scope, depth: int) -> str:
        name = self._names.qualified(node.func, scope)
        if name:
            if name in _CALLS:
                return _CALLS[name]
            if _TENSOR_CALL.fullmatch(name):
                return "tensor"
            if _MODULE_CALL.fullmatch(name):
                return "module"
        elif isinstance(node.func, ast.Attribute) and _SAME.fullmatch(node.func.attr):
            kind = self.of(node.func.value, scope, depth + 1)
            return kind if kind in ("tensor", "module") else ""
        instance = self._names.local_class(node.func, scope)
        if instance is not None:
            bases = self._names.bases(instance)
            return "module" if any(base.startswith("torch.nn.") for base in bases) else ""
        return ""

    def _of_attribute(self, node: ast.Attribute, scope: Scope, depth: int) -> str:
        kind = self.of(node.value, scope, depth + 1)
        if kind == "tensor":
            return _ATTRIBUTES.get(
                node.attr, "tensor" if node.attr in ("data", "grad", "T") else ""
            )
        if kind == "device":
            return {"type": "str", "index": "int"}.get(node.attr, "")
        if node.attr in ("device", "dtype") and not kind:
            return node.attr if not self._names.qualified(node, scope) else ""
        return ""

    @staticmethod
    def _agreed(kinds: set[str]) -> str:
        kinds = kinds - {"none"} or kinds
        return kinds.pop() if len(kinds) == 1 else ""
