"""Every API of torch, judged by the support list for the chosen torch version and chip.

What is supported is not told. Limits of element types are told where the code states the type;
conditions and fall-backs once per file and API; what the list does not name is only counted.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from plugins.migration.core.dtypes import dtype_of
from plugins.migration.core.model import Rule, Use
from plugins.migration.core.names import last_name
from plugins.migration.core.support import Judgement, listing, names_of_methods
from plugins.migration.core.tables import library_of
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

UNSUPPORTED = Rule(
    "torch-api-unsupported",
    "{name} is not supported on {chip} with torch {torch}",
    "The support list of torch_npu says so. Compose it of supported operators, or run this part on "
    "the CPU.",
    "api",
    "unsupported",
    Severity.WARNING,
    "hours",
    before="import torch\nrnn = torch.nn.GRU(4, 4)\n",
    after="import torch\nrnn = torch.nn.GRU(4, 4)\n",
)
DTYPE = Rule(
    "torch-api-dtype",
    "{name} does not take {dtype} on {chip}",
    "The support list of torch_npu names the element types it takes: {allowed}. Convert the tensor "
    "before the call, or run this part on the CPU.",
    "precision",
    "limited",
    Severity.WARNING,
    "minutes",
    before="import torch\na = torch.zeros(2, dtype=torch.float64)\n"
    "b = torch.nn.functional.gelu(a)\n",
    after="import torch\na = torch.zeros(2, dtype=torch.float64)\n"
    "b = torch.nn.functional.gelu(a)\n",
)
CONDITION = Rule(
    "torch-api-condition",
    "{name} has a condition on {chip}",
    "The support list of torch_npu names it for torch {torch}. Told once per file.",
    "api",
    "limited",
    Severity.HINT,
    "minutes",
    before="import torch\nn = torch.norm(a)\n",
    after="import torch\nn = torch.norm(a)\n",
)
FALLBACK = Rule(
    "torch-api-fallback",
    "{name} may run on the CPU",
    "The support list of torch_npu says that it can fall back to the CPU, which copies the tensors "
    "there and back. Keep it out of the training loop. Told once per file.",
    "performance",
    "limited",
    Severity.INFO,
    "minutes",
    before="import torch\ns = torch.slogdet(a)\n",
    after="import torch\ns = torch.slogdet(a)\n",
)
RULES = (UNSUPPORTED, DTYPE, CONDITION, FALLBACK)

CONDITIONS = {
    "numeric result may differ": "The numbers may differ.",
    "torch_npu.npu.use_compatible_impl(True) aligns behaviour": "It behaves differently unless "
    "torch_npu.npu.use_compatible_impl(True) is called.",
    "sparse tensors restricted": "Sparse tensors are restricted.",
    "inference only": "It works for inference only.",
    "HCCL options variant": "The options of HCCL differ.",
    "risky operation": "Its use is risky.",
    "argument proj_size not supported": "The argument proj_size is not supported.",
    "argument dropout not supported": "The argument dropout is not supported.",
    "argument log_target must be False": "The argument log_target must be False.",
    "argument dtype not supported": "The argument dtype is not supported.",
    "argument approximate must be tanh": "The argument approximate must be tanh.",
}
"""The conditions of the list in words (message ids); others are too vague to help."""

_ARGUMENT = re.compile(r"argument (\w+)")
_TOLD_ELSEWHERE = ("torch.cuda.", "torch.backends.", "torch.profiler.", "torch.version.")
_TOLD = frozenset(["unsupported", "fallback", "limited"])
_NOT_MEANT = frozenset(["torch.Tensor.cuda", "torch.Tensor.is_cuda", "torch.nn.Module.cuda"])


def check_name(file: PythonFile, node: ast.Attribute | ast.Name, scope: Scope) -> None:
    """Judge a name of torch where it is used, not where an alias of it is used."""
    if isinstance(file.parent(node), ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    if isinstance(node, ast.Name):
        bindings = scope.lookup(node.id)
        if not bindings or bindings[0].kind != "import":
            return
    name = file.qualified(node, scope)
    if name.startswith("torch."):
        _judge(file, node, name, scope)
    elif isinstance(node, ast.Attribute) and not name and file.is_called(node):
        _check_method(file, node, scope)


def _check_method(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    if node.attr not in names_of_methods():
        return
    kind = file.kinds.of(node.value, scope)
    owner = {"tensor": "torch.Tensor", "module": "torch.nn.Module"}.get(kind, "")
    name = f"{owner}.{node.attr}"
    if owner and name in listing() and file.kinds.local_instance(node.value, scope) is None:
        _judge(file, node, name, scope)


def _judge(file: PythonFile, node: ast.Attribute | ast.Name, name: str, scope: Scope) -> None:
    if name in _NOT_MEANT or f"{name}.".startswith(_TOLD_ELSEWHERE):
        return
    known = file.judged(name)
    listed = known.name in listing()
    if listed or file.is_called(node):
        file.apis[known.name] += 1
        if known.verdict == "unverified" and not listed:
            file.unverified.append(Use(known.name, *file.span(node)))
    limits = bool(known.dtypes or known.without)
    if known.verdict not in _TOLD and not (limits and file.states_dtypes):
        return
    entry = library_of(name)
    if (entry is not None and entry.name.startswith("torch.")) or file.only_asked_for(node):
        return
    values: dict[str, Any] = {"name": known.name, "torch": known.torch, "chip": known.chip}
    if known.verdict == "unsupported":
        file.hit(UNSUPPORTED.id, node, "unsupported", source=known.source, **values)
        return
    if limits:
        _check_dtype(file, node, known, scope)
    first = file.apis[known.name] == 1
    if known.verdict == "fallback" and first and not _is_on_cpu(node):
        file.hit(FALLBACK.id, node, "limited", source=known.source, **values)
    condition = next((n for n in known.notes if _applies(file, node, n)), "")
    if known.verdict == "limited" and condition and first:
        note = CONDITIONS[condition]
        file.hit(CONDITION.id, node, "limited", note=note, source=known.source, **values)


def _is_on_cpu(node: ast.Attribute | ast.Name) -> bool:
    """Whether a method is called on what was moved to the CPU just before: `x.cpu().double()`."""
    value = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(value, ast.Call) and last_name(value.func) == "cpu"


def _applies(file: PythonFile, node: ast.Attribute | ast.Name, note: str) -> bool:
    """Whether a condition matters here; one on an argument does if that is given."""
    if note not in CONDITIONS:
        return False
    argument = _ARGUMENT.match(note)
    call = file.parent(node)
    if argument is None or not isinstance(call, ast.Call):
        return argument is None
    return any(keyword.arg == argument[1] for keyword in call.keywords)


def _check_dtype(
    file: PythonFile, node: ast.Attribute | ast.Name, known: Judgement, scope: Scope
) -> None:
    """Tell an element type that an operator does not take.

    Containers take what they are given. Where the list names a single type, that is the one it was
    tried with: it does so for methods that look at no element, such as numel, and for softmax.
    """
    call = file.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or not file.states_dtypes:
        return
    if len(known.dtypes) == 1 or not known.name.rpartition(".")[2].islower():
        return
    tensors = list(call.args)
    if known.name.startswith("torch.Tensor.") and isinstance(node, ast.Attribute):
        tensors.insert(0, node.value)
    for tensor in tensors:
        dtype = dtype_of(file, tensor, scope)
        if dtype and not known.takes(dtype):
            allowed = " ".join(sorted(known.dtypes)) or f"–{' –'.join(sorted(known.without))}"
            file.hit(
                DTYPE.id, node, "limited", source=known.source, name=known.name, dtype=dtype,
                chip=known.chip, torch=known.torch, allowed=allowed,
            )  # fmt: skip
            return


HANDLERS = {ast.Attribute: (check_name,), ast.Name: (check_name,)}
