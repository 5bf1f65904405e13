"""Every API of torch that the support list has something to say of, noted where it is used.

What it says for a torch version and chip is told by `judging`. What the list does not name is only
counted.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from plugins.migration.core.dtypes import dtype_of
from plugins.migration.core.model import Rule, Site, Use
from plugins.migration.core.names import last_name
from plugins.migration.core.support import canonical, listing, names_of_methods, telling
from plugins.migration.core.tables import library_of
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile
    from plugins.migration.core.support import Telling, Verdict

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

ARGUMENTS = frozenset(m[1] for text in CONDITIONS if (m := re.match(r"argument (\w+)", text)))
"""The keywords that conditions speak of."""

TOLD: frozenset[Verdict] = frozenset(["unsupported", "fallback", "limited"])

_TOLD_ELSEWHERE = ("torch.cuda.", "torch.backends.", "torch.profiler.", "torch.version.")
_NOT_MEANT = frozenset(["torch.Tensor.cuda", "torch.Tensor.is_cuda", "torch.nn.Module.cuda"])


class _Known(NamedTuple):
    """What is known of a name, whatever is chosen."""

    name: str
    listed: bool
    unverified: bool
    matters: bool
    told_elsewhere: bool
    said: Telling


@lru_cache(maxsize=20_000)
def _known(name: str) -> _Known | None:
    """What is known of a name; None for what other rules speak of."""
    if name in _NOT_MEANT or f"{name}.".startswith(_TOLD_ELSEWHERE):
        return None
    known, said, entry = canonical(name), telling(name), library_of(name)
    listed = known in listing()
    feature = entry is not None and entry.name.startswith("torch.")
    unverified = not listed and "supported" not in said.verdicts
    return _Known(known, listed, unverified, bool(said.verdicts & TOLD), feature, said)


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
        _note(file, node, name, scope)
    elif isinstance(node, ast.Attribute) and not name and file.is_called(node):
        _check_method(file, node, scope)


def _check_method(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    if node.attr not in names_of_methods():
        return
    kind = file.kinds.of(node.value, scope)
    owner = {"tensor": "torch.Tensor", "module": "torch.nn.Module"}.get(kind, "")
    name = f"{owner}.{node.attr}"
    if owner and name in listing() and file.kinds.local_instance(node.value, scope) is None:
        _note(file, node, name, scope)


def _note(file: PythonFile, node: ast.Attribute | ast.Name, name: str, scope: Scope) -> None:
    """Note a use of an API with what decides whether something is said of it, for any choice."""
    known = _known(name)
    if known is None:
        return
    if known.listed or file.is_called(node):
        file.apis[known.name] += 1
        if known.unverified:
            file.unverified.append(Use(known.name, *file.span(node)))
    limited = known.said.limits and file.states_dtypes
    if not (known.matters or limited or {name, known.name} & file.judged_by_user):
        return
    if known.told_elsewhere or file.only_asked_for(node):
        return
    call = file.parent(node)
    keywords = call.keywords if isinstance(call, ast.Call) else []
    site = Site(
        *file.span(node),
        _dtypes(file, node, known.name, scope) if limited else (),
        tuple(k.arg for k in keywords if k.arg and k.arg in ARGUMENTS),
        file.apis[known.name] == 1,
        _is_on_cpu(node),
    )
    file.sites.setdefault(name, []).append(site)


def _is_on_cpu(node: ast.Attribute | ast.Name) -> bool:
    """Whether a method is called on what was moved to the CPU just before: `x.cpu().double()`."""
    value = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(value, ast.Call) and last_name(value.func) == "cpu"


def _dtypes(
    file: PythonFile, node: ast.Attribute | ast.Name, known: str, scope: Scope
) -> tuple[str, ...]:
    """The element types that the code states for the tensors a call is given.

    Containers take what they are given.
    """
    call = file.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return ()
    if not known.rpartition(".")[2].islower():
        return ()
    tensors = list(call.args)
    if known.startswith("torch.Tensor.") and isinstance(node, ast.Attribute):
        tensors.insert(0, node.value)
    return tuple(dtype for tensor in tensors if (dtype := dtype_of(file, tensor, scope)))


HANDLERS = {ast.Attribute: (check_name,), ast.Name: (check_name,)}
