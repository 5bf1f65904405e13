"""Operators of the project: where extensions are called, operators looked up, kernels written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

CALL = Rule(
    "custom-operator-call",
    "{name} is an operator of an extension",
    "It runs a kernel for CUDA, which cannot be replaced directly: compose it of torch operators, "
    "or write it in Ascend C or for triton-ascend.",
    "custom_op",
    "manual",
    Severity.WARNING,
    "days",
    before="from torch.utils.cpp_extension import load\next = load('a', ['a.cu'])\n"
    "ext.forward(x)\n",
    after="from torch.utils.cpp_extension import load\next = load('a', ['a.cu'])\next.forward(x)\n",
)
REGISTERED = Rule(
    "custom-operator-lookup",
    "{name} is an operator that some library registers",
    "Whether it has a kernel for NPUs depends on that library. Build it with one, or compose the "
    "operator of those of torch.",
    "custom_op",
    "review",
    effort="hours",
    before="import torch\ny = torch.ops.mine.add(a, b)\n",
    after="import torch\ny = torch.ops.mine.add(a, b)\n",
)
TRITON = Rule(
    "triton-kernel",
    "{name} is a Triton kernel",
    "Install triton-ascend instead of triton; then check block sizes and the operators in use, "
    "since NPUs have other limits than GPUs.",
    "custom_op",
    "manual",
    effort="hours",
    before="import triton\n\n@triton.jit\ndef add(a):\n    pass\n",
    after="import triton\n\n@triton.jit\ndef add(a):\n    pass\n",
)
RULES = (CALL, REGISTERED, TRITON)

_LOADERS = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline")
_KNOWN = frozenset(
    ["aten", "prims", "npu", "torchvision", "torchaudio", "c10d", "_c10d_functional", "quantized"]
)
_LOADING = frozenset(["load_library", "load_library_once", "import_module", "loaded_libraries"])


def check_attribute(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge calls of loaded extensions and names under torch.ops; look at decorators."""
    if node.attr == "jit" and file.qualified(node, scope) == "triton.jit":
        _check_decorator(file, node)
        return
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if name.startswith("torch.ops."):
        parts = name.split(".")
        if len(parts) > 3 and parts[2] not in _KNOWN and parts[2] not in _LOADING:
            file.hit(REGISTERED.id, node, "review", name=name)
    elif isinstance(node.value, ast.Name) and file.is_called(node):
        extension = node.value.id
        if loads_extension(file, extension, scope):
            file.hit(CALL.id, node, "manual", name=f"{extension}.{node.attr}")


def loads_extension(file: PythonFile, name: str, scope: Scope) -> bool:
    """Whether a name stands for an extension that cpp_extension loads, and for nothing else."""
    bindings = scope.lookup(name)
    return len(bindings) == 1 and (
        isinstance(bindings[0].value, ast.Call)
        and file.qualified(bindings[0].value.func, bindings[0].scope) in _LOADERS
    )


def _check_decorator(file: PythonFile, node: ast.Attribute) -> None:
    around: ast.AST | None = file.parent(node)
    if isinstance(around, ast.Call):
        around = file.parent(around)
    if isinstance(around, ast.FunctionDef):
        file.hit(TRITON.id, node, "manual", name=around.name)


HANDLERS = {ast.Attribute: (check_attribute,)}
