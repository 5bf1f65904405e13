"""Places that launch Triton kernels: `kernel[grid](…)`, where the kernel is known by its decorator.

A kernel that another module of the project defines is known by its name.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Binding, Scope
    from plugins.migration.core.source import PythonFile

LAUNCH = Rule(
    "triton-launch",
    "The Triton kernel {name} ({place}) is launched here",
    "With triton-ascend the call stays as it is, once block sizes and grid fit the NPU; without, "
    "it needs a composition of torch operators.",
    "custom_op",
    "info",
    Severity.HINT,
    before="import triton\n\n@triton.jit\ndef add(a):\n    pass\n\nadd[(1,)](x)\n",
    after="import triton\n\n@triton.jit\ndef add(a):\n    pass\n\nadd[(1,)](x)\n",
)
RULES = (LAUNCH,)

_DECORATORS = frozenset(["triton.jit", "triton.runtime.jit.jit"])


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge a call of what is looked up in a kernel by a grid."""
    if not isinstance(node.func, ast.Subscript) or not isinstance(node.func.value, ast.Name):
        return
    name = node.func.value
    bindings = scope.lookup(name.id)
    place = _kernel(file, bindings[-1]) if bindings else ""
    if place:
        file.hit(LAUNCH.id, name, "info", name=name.id, place=place)


def launched_names(file: PythonFile) -> set[str]:
    """The names of kernels that the file itself defines, or takes from a module by that name."""
    if "kernel" not in file.text and "triton" not in file.imported:
        return set()
    bound = file.names.module.bindings.items()
    return {name for name, bindings in bound if _kernel(file, bindings[-1])}


def _kernel(file: PythonFile, binding: Binding) -> str:
    """Line (`:12`) or module of the Triton kernel that a name is bound to, "" if it is none."""
    node = binding.node
    if isinstance(node, ast.FunctionDef):
        outer = binding.scope
        marks = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if any(file.qualified(mark, outer) in _DECORATORS for mark in marks):
            return f":{node.lineno}"
    elif binding.kind == "import" and binding.module.endswith("_kernel"):
        return binding.module.rpartition(".")[0] or binding.module
    return ""


HANDLERS = {ast.Call: (check_call,)}
