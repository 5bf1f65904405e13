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
BACKEND_FLAG = Rule(
    "cuda-backend-flag",
    "{old} steers a library of CUDA",
    "NPUs do not use cuDNN or cuBLAS. The line does no harm; look for the NPU setting you need "
    "(torch.npu.config, torch.npu.matmul.allow_hf32).",
    "api",
    "info",
    Severity.HINT,
    before="import torch\ntorch.backends.cudnn.benchmark = True\n",
    after="import torch\ntorch.backends.cudnn.benchmark = True\n",
)
RULES = (NAME, LIMITED, UNLISTED, MISSING, BACKEND_FLAG)

_NAMESPACES = ("torch.cuda", "torch.backends.cuda", "torch.backends.cudnn")


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge the longest dotted name that starts at a node."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if name == "torch.cuda" and not isinstance(node.ctx, ast.Load):
        return
    if name.startswith(_NAMESPACES) and not name.startswith("torch.cuda_"):
        judge(file, node, scope, name)


def judge(file: PythonFile, node: ast.Attribute, scope: Scope, name: str) -> None:
    """Report a CUDA name and rewrite it if there is a counterpart."""
    entry = nearest(name)
    if name.startswith("torch.backends."):
        _judge_backend(file, node, scope, name, entry)
        return
    status, rule = verdict(name, entry, file.context.torch)
    note, source = (entry.note, entry.source) if entry else ("", "")
    if rule is MISSING:
        known = entry.name if entry else name
        file.hit(rule.id, node, status, note=note, source=source, old=known, torch=_torch(file))
        return
    changes = _changes(file, node, scope, entry)
    spelled_otherwise = not changes
    if spelled_otherwise and rule is NAME:
        return
    new = new_name(name, entry)
    file.hit(
        rule.id,
        node,
        status,
        changes,
        note=note,
        source=source,
        old=name,
        new=new,
        torch=_torch(file),
    )


def verdict(name: str, entry: ApiName | None, torch: str) -> tuple[Status, Rule]:
    """What is to be done with a name, and the rule that says so."""
    if name == "torch.cuda":
        return "auto", NAME
    support = entry.judged(torch) if entry else "not stated"
    if support in ("unsupported", "absent"):
        return "unsupported", MISSING
    if entry is None or not entry.npu or support == "not stated":
        return "review", UNLISTED
    if support == "unlisted" and entry.name != name and not name.startswith(entry.name + "."):
        return "review", UNLISTED
    return ("limited", LIMITED) if support == "limited" else ("auto", NAME)


def nearest(name: str) -> ApiName | None:
    """The table's entry for a name or for the class or module it belongs to."""
    table = api_names()
    prefix = name
    while prefix and prefix != "torch.cuda":
        if entry := table.get(prefix):
            module = prefix != name and prefix.rpartition(".")[2].islower()
            return None if module and entry.judged("2.8") == "unlisted" else entry
        prefix = prefix.rpartition(".")[0]
    return None


def new_name(name: str, entry: ApiName | None) -> str:
    """The name on Ascend, as it is shown and written."""
    if entry is None or not entry.npu:
        return name.replace("torch.cuda", "torch.npu", 1)
    npu = entry.npu.replace("torch_npu.npu", "torch.npu", 1)
    return npu + name[len(entry.name) :]


def _judge_backend(
    file: PythonFile, node: ast.Attribute, scope: Scope, name: str, entry: ApiName | None
) -> None:
    if entry is None:
        if name.count(".") > 2:
            file.hit(BACKEND_FLAG.id, node, "info", old=name)
        return
    if entry.npu:
        changes = _changes(file, node, scope, entry)
        new = new_name(name, entry)
        status: Status = "auto" if changes else "review"
        file.hit(NAME.id, node, status, changes, source=entry.source, old=name, new=new)
    elif entry.judged(file.context.torch) == "unsupported":
        torch = _torch(file)
        file.hit(MISSING.id, node, "unsupported", source=entry.source, old=name, torch=torch)
    else:
        file.hit(BACKEND_FLAG.id, node, "info", source=entry.source, old=name)


def _changes(
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


def _torch(file: PythonFile) -> str:
    return file.context.torch


HANDLERS = {ast.Attribute: (check_name,)}
