"""The namespace torch.cuda, and the few other CUDA names of torch that the table knows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule, Status
from plugins.migration.core.tables import ApiName, api_names
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

NAME = Rule(
    "cuda-name",
    "{old} becomes {new}",
    "torch_npu offers the functions of torch.cuda under torch.npu.",
    "api",
    "auto",
    before="import torch\ntorch.cuda.synchronize()\n",
    after="import torch\nimport torch_npu\ntorch.npu.synchronize()\n",
)
LIMITED = Rule(
    "cuda-name-limited",
    "{old} becomes {new}, with limits",
    "The counterpart exists, but the support list for torch {torch} names a limit.",
    "api",
    "limited",
    effort="minutes",
    before="import torch\ng = torch.cuda.CUDAGraph()\n",
    after="import torch\nimport torch_npu\ng = torch.npu.NPUGraph()\n",
)
UNLISTED = Rule(
    "cuda-name-unlisted",
    "{old} becomes {new}; nobody has verified it",
    "The name is missing in the support list for torch {torch}. It may exist in torch_npu: try it.",
    "api",
    "review",
    effort="minutes",
    before="import torch\ntorch.cuda.something_new()\n",
    after="import torch\nimport torch_npu\ntorch.npu.something_new()\n",
)
MISSING = Rule(
    "cuda-name-missing",
    "{old} has no counterpart on Ascend",
    "The support list for torch {torch} says so, or torch_npu does not have it.",
    "api",
    "unsupported",
    Severity.ERROR,
    "hours",
    before="import torch\ntorch.cuda.memory_usage()\n",
    after="import torch\ntorch.cuda.memory_usage()\n",
)
OTHER = Rule(
    "cuda-name-other",
    "{old} belongs to the CUDA part of torch",
    "It lies outside torch.cuda, and nothing is known about it on NPUs.",
    "api",
    "manual",
    effort="hours",
    before="import torch\nn = torch._C._cuda_getDeviceCount()\n",
    after="import torch\nn = torch._C._cuda_getDeviceCount()\n",
)
RULES = (NAME, LIMITED, UNLISTED, MISSING, OTHER)

GUARDS_VERSION = (
    "What follows reads the version of CUDA, which is None with NPUs: as it is, NPUs pass this by."
)
"""A note (message id) on a test that should perhaps stay."""

_TOLD_ELSEWHERE = (
    "torch.backends.",
    "torch.version.",
    "torch.utils.cpp_extension",
    "torch.profiler",
)


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge a dotted name in torch.cuda, and rewrite it if there is a counterpart."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if not f"{name}.".startswith("torch.cuda."):
        if name.startswith("torch.") and node.attr not in ("cuda", "is_cuda"):
            _report_other(file, node, name)
        return
    if name == "torch.cuda" and not isinstance(node.ctx, ast.Load):
        return
    entry = nearest(name)
    status, rule = verdict(file, name, entry)
    if rule is MISSING:
        report_missing(file, node, entry, name)
        return
    changes = changes_of(file, node, scope, entry)
    if not changes and rule is NAME:
        return  # reached through an alias, which is changed where it is made
    note, source = (entry.note, entry.source) if entry else ("", "")
    if status == "auto" and _guards_version(file, node, name):
        status, note = "review", GUARDS_VERSION
    torch, new = file.context.torch, new_name(name, entry)
    file.hit(
        rule.id, node, status, changes, note=note, source=source, old=name, new=new, torch=torch
    )


def _guards_version(file: PythonFile, node: ast.Attribute, name: str) -> bool:
    """Whether a test for CUDA guards code that reads its version, which is None with NPUs."""
    if name != "torch.cuda.is_available" or "version.cuda" not in file.text:
        return False
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.stmt):
        if isinstance(around, ast.BoolOp | ast.IfExp) and "version.cuda" in file.source(around):
            return True
        around = file.parent(around)
    if not isinstance(around, ast.If):
        return False
    start, end = file.span(around.body[0])[0], file.span(around.body[-1])[1]
    return "version.cuda" in file.text[start:end]


def _report_other(file: PythonFile, node: ast.Attribute, name: str) -> None:
    if "cuda" in node.attr.lower() and not name.startswith(_TOLD_ELSEWHERE):
        file.hit(OTHER.id, node, "manual", old=name)


def report_missing(
    file: PythonFile,
    where: ast.expr | ast.stmt | tuple[int, int],
    entry: ApiName | None,
    name: str,
) -> None:
    """Report a name that has no counterpart."""
    note, source = (entry.note, entry.source) if entry else ("", "")
    known = entry.name if entry else name
    torch = file.context.torch
    file.hit(MISSING.id, where, "unsupported", note=note, source=source, old=known, torch=torch)


def verdict(file: PythonFile, name: str, entry: ApiName | None) -> tuple[Status, Rule]:
    """What is to be done with a name, and the rule that says so."""
    if name == "torch.cuda":
        return "auto", NAME
    support = file.support_of(entry) if entry else "not stated"
    if support in ("unsupported", "absent"):
        return "unsupported", MISSING
    if entry is None or not entry.npu or support == "not stated":
        return "review", UNLISTED
    return ("limited", LIMITED) if support == "limited" else ("auto", NAME)


def nearest(name: str) -> ApiName | None:
    """The table's entry for a name or for the class or module it belongs to."""
    table = api_names()
    prefix = name
    while prefix and prefix != "torch.cuda":
        if entry := table.get(prefix):
            return entry if prefix == name or not entry.is_module else None
        prefix = prefix.rpartition(".")[0]
    return None


def new_name(name: str, entry: ApiName | None) -> str:
    """The name on Ascend, as it is shown and written."""
    if entry is None or not entry.npu:
        return name.replace("torch.cuda", "torch.npu", 1)
    npu = entry.npu.replace("torch_npu.npu", "torch.npu", 1)
    return npu + name[len(entry.name) :]


def changes_of(
    file: PythonFile, node: ast.Attribute, scope: Scope, entry: ApiName | None
) -> list[tuple[int, int, str]]:
    """Change single words where the counterpart has the same shape, else the whole name."""
    chain = _chain(node)
    if entry is None or not entry.npu:
        old, new = "torch.cuda", "torch.npu"
    else:
        old, new = entry.name, entry.npu.replace("torch_npu.npu", "torch.npu", 1)
    if old.count(".") != new.count("."):
        return _whole(file, chain, scope, old, new)
    words = dict(zip(_prefixes(old), new.split("."), strict=True))
    changes = []
    for part in chain:
        word = words.get(file.qualified(part, scope))
        span = file.attribute_span(part)
        if span is not None and word and word != part.attr:
            changes.append((*span, word))
    return changes


def _whole(
    file: PythonFile, chain: list[ast.Attribute], scope: Scope, old: str, new: str
) -> list[tuple[int, int, str]]:
    base = chain[-1].value
    if not isinstance(base, ast.Name) or file.qualified(base, scope) != "torch":
        return []
    last = next((part for part in chain if file.qualified(part, scope) == old), None)
    if last is None:
        return []
    return [(file.span(base)[1], file.span(last)[1], new.removeprefix("torch"))]


def _chain(node: ast.Attribute) -> list[ast.Attribute]:
    """The attributes of a dotted name, the last one first."""
    chain = [node]
    while isinstance(chain[-1].value, ast.Attribute):
        chain.append(chain[-1].value)
    return chain


def _prefixes(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[: count + 1]) for count in range(len(words))]


HANDLERS = {ast.Attribute: (check_name,)}
