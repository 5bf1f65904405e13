"""Operators of the project: where extensions are called, operators looked up, kernels written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.builds import built_name
from plugins.migration.core.extensions import extension_of, operator_of
from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name
from plugins.migration.core.registrations import listed
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.model import Extension
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
USE = Rule(
    "custom-operator-use",
    "{name} is an operator of this project",
    "It cannot be replaced directly: compose it of torch operators, or write it in Ascend C or for "
    "triton-ascend. Built by {built}, from {sources}.",
    "custom_op",
    "manual",
    Severity.WARNING,
    "days",
)
IMPORTED = Rule(
    "custom-operator-import",
    "{name} is an extension of this project",
    "It has to be built for NPUs before this import works. Built by {built}, from {sources}.",
    "custom_op",
    "info",
    Severity.HINT,
)
RULES = (CALL, REGISTERED, TRITON, USE, IMPORTED)

_LOADERS = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline")
_OF_TORCH = frozenset(
    ["aten", "prims", "npu", "torchvision", "torchaudio", "c10d", "_c10d_functional", "quantized"]
)
_OF_OTHERS = frozenset(["hpu", "xpu", "xla", "mps", "mkldnn"])
"""Operators of other devices, which code calls where it found those."""
_LOADING = frozenset(["load_library", "load_library_once", "import_module", "loaded_libraries"])


def check_attribute(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge calls of loaded extensions and names under torch.ops; look at decorators."""
    if node.attr == "jit" and file.qualified(node, scope) == "triton.jit":
        _check_decorator(file, node)
        return
    if node.attr == "load" and (found := _loaded_by_builder(file, node)):
        _tell(file, IMPORTED, node, found, found.builder)
        return
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if _check_use(file, node, name):
        return
    if name.startswith("torch.ops."):
        parts = name.split(".")
        if len(parts) > 3 and parts[2] not in _OF_TORCH | _OF_OTHERS | _LOADING:
            file.hit(REGISTERED.id, node, "review", name=name)
    elif isinstance(node.value, ast.Name) and file.is_called(node):
        _check_loaded(file, node, node.value.id, scope)


def check_name(file: PythonFile, node: ast.Name, scope: Scope) -> None:
    """Judge a plain name that stands for an operator of an extension of the project."""
    if file.context.extensions and not isinstance(file.parent(node), ast.Attribute):
        _check_use(file, node, file.qualified(node, scope))


def check_import(file: PythonFile, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    """Tell where an extension of the project is imported."""
    found = imported_extension(file, node) if file.context.extensions else None
    if found is not None:
        _tell(file, IMPORTED, node, found, found.name)


def imported_extension(file: PythonFile, node: ast.Import | ast.ImportFrom) -> Extension | None:
    """The extension of the project that an import statement loads."""
    base = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
    for alias in node.names:
        name = f"{base}.{alias.name}" if base.strip(".") else base + alias.name
        if found := extension_of(name, file.context.extensions):
            return found[0]
    return None


def _check_use(file: PythonFile, node: ast.Attribute | ast.Name, name: str) -> bool:
    """Judge a call of an operator that the project itself builds; whether it was one."""
    known = file.context.extensions
    if not known or not name:
        return False
    if name.startswith("torch.ops."):
        owner = operator_of(name, known)
        if owner is not None and not file.only_asked_for(node):
            _tell(file, USE, node, owner, ".".join(name.split(".")[:4]))
        return owner is not None
    found = extension_of(name, known)
    if found is None or not found[1] or not file.is_called(node):
        return False
    _tell(file, USE, node, found[0], name.lstrip("."))
    return True


def _tell(
    file: PythonFile, rule: Rule, node: ast.expr | ast.stmt, extension: Extension, name: str
) -> None:
    file.hit(
        rule.id, node, rule.status, name=name, built=extension.place,
        sources=listed(extension.sources), extension=extension.name or extension.place,
    )  # fmt: skip


def uses_extension(file: PythonFile, name: str) -> bool:
    """Whether a dotted name leads into an extension of the project."""
    return bool(name) and extension_of(name, file.context.extensions) is not None


def _check_loaded(file: PythonFile, node: ast.Attribute, name: str, scope: Scope) -> None:
    """Judge a call of an operator of an extension that this file loads."""
    bindings = scope.lookup(name)
    loading = bindings[0].value if len(bindings) == 1 else None
    called = f"{name}.{node.attr}"
    built_here = _loaded_by_builder(file, loading.func) if isinstance(loading, ast.Call) else None
    if built_here is not None:
        _tell(file, USE, node, built_here, called)
        return
    if not loads_extension(file, name, scope):
        return
    built = built_name(loading) if isinstance(loading, ast.Call) else ""
    owner = next((one for one in file.context.extensions if built and one.name == built), None)
    if owner is not None:
        _tell(file, USE, node, owner, called)
    else:
        file.hit(CALL.id, node, "manual", name=called, extension=built)


def _loaded_by_builder(file: PythonFile, node: ast.expr) -> Extension | None:
    """The extension that `SomeBuilder().load` or `create_op_builder("SomeBuilder").load` loads."""
    if not isinstance(node, ast.Attribute) or node.attr != "load":
        return None
    made = node.value
    if not file.context.extensions or not isinstance(made, ast.Call):
        return None
    word = last_name(made.func)
    if word == "create_op_builder" and made.args and isinstance(made.args[0], ast.Constant):
        word = str(made.args[0].value)
    return next((one for one in file.context.extensions if word and one.builder == word), None)


def loaded_by_builders(file: PythonFile) -> set[str]:
    """The names, in whatever scope, of extensions that builders load in a file."""
    if not any(one.builder and one.builder in file.text for one in file.context.extensions):
        return set()
    return {
        name
        for scope in file.collected.scopes
        for name, bindings in scope.bindings.items()
        if isinstance(value := bindings[0].value, ast.Call)
        and _loaded_by_builder(file, value.func) is not None
    }


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


MEMBERS = frozenset(["jit", "load"])
HANDLERS = {
    ast.Attribute: (check_attribute,),
    ast.Name: (check_name,),
    ast.Import: (check_import,),
    ast.ImportFrom: (check_import,),
}
