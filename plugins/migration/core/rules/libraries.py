"""Libraries and features of torch whose fate on NPUs the table tells."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.builds import built_name
from plugins.migration.core.model import Rule, Status
from plugins.migration.core.tables import Library, library_of, packages
from studio.model.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.migration.core.scopes import Import, Scope
    from plugins.migration.core.source import PythonFile

READY = Rule(
    "library-ready",
    "{library} runs on NPUs",
    "It supports them itself or through an adapter.",
    "library",
    "info",
    Severity.HINT,
    before="import deepspeed\n",
    after="import deepspeed\n",
)
BY_HAND = Rule(
    "library-manual",
    "{library} needs a change by hand",
    "It was made for CUDA.",
    "library",
    "manual",
    effort="hours",
    before="from flash_attn import flash_attn_func\n",
    after="from flash_attn import flash_attn_func\n",
)
UNSUPPORTED = Rule(
    "library-unsupported",
    "{library} does not run on NPUs",
    "It was made for CUDA.",
    "library",
    "unsupported",
    Severity.ERROR,
    "days",
    before="import cupy\n",
    after="import cupy\n",
)
UNKNOWN = Rule(
    "library-unknown",
    "Nobody has stated whether {library} runs on NPUs",
    "It was made for CUDA.",
    "library",
    "review",
    effort="hours",
    before="import causal_conv1d\n",
    after="import causal_conv1d\n",
)
FEATURE = Rule(
    "torch-feature",
    "{library} has limits on NPUs",
    "Not all of torch behaves alike on NPUs.",
    "api",
    "limited",
    effort="minutes",
    before="import torch\nf = torch.jit.script\n",
    after="import torch\nf = torch.jit.script\n",
)
CUSTOM = Rule(
    "custom-operator",
    "{library} builds operators of its own",
    "Kernels written for CUDA cannot be replaced directly.",
    "custom_op",
    "manual",
    Severity.ERROR,
    "days",
    before="from torch.utils.cpp_extension import load\nop = load('a', ['a.cu'])\n",
    after="from torch.utils.cpp_extension import load\nop = load('a', ['a.cu'])\n",
)
RULES = (READY, BY_HAND, UNSUPPORTED, UNKNOWN, FEATURE, CUSTOM)

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@(].*)?")
_BY_VERDICT: Mapping[str, Rule] = {
    "native": READY,
    "adapted": READY,
    "partial": BY_HAND,
    "replace": BY_HAND,
    "manual": BY_HAND,
    "remove": BY_HAND,
    "unsupported": UNSUPPORTED,
    "unknown": UNKNOWN,
    "limited": FEATURE,
}


def rule_for(entry: Library) -> Rule:
    """The rule that tells the verdict of an entry."""
    if entry.name.startswith("torch.utils.cpp_extension") and not entry.title.isupper():
        return CUSTOM
    rule = _BY_VERDICT[entry.verdict]
    return FEATURE if entry.name.startswith("torch.") and rule is not UNSUPPORTED else rule


def check_feature(file: PythonFile, node: ast.Attribute | ast.Name, scope: Scope) -> None:
    """Judge the use of a feature of torch, and of single names out of libraries."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    entry = library_of(name) if "." in name else None
    if entry is None or "." not in entry.name or _is_own(file, name) or file.only_asked_for(node):
        return
    if not isinstance(node.ctx, ast.Load):
        return  # a name of the file's own from here on
    if entry.name.startswith("torch.") or (isinstance(node, ast.Name) and name == entry.name):
        report(file, node, entry, extension=_extension(file, node))


def check_imports(file: PythonFile) -> None:
    """Judge every import of a library; features of torch are judged where they are used."""
    ready: set[str] = set()
    for one in file.collected.imports:
        reported = set(ready)  # what needs nothing is told once per file
        for alias in one.node.names:
            name = _imported(one, alias)
            entry = library_of(name)
            if entry is None or entry.name.startswith("torch.") or entry.name in reported:
                continue
            if _is_own(file, f"{name}."):
                continue
            reported.add(entry.name)
            if rule_for(entry) is READY:
                ready.add(entry.name)
            report(file, one.node, entry, guarded=one.guarded)


def report(
    file: PythonFile,
    where: ast.stmt | ast.expr,
    entry: Library,
    *,
    guarded: bool = False,
    extension: str = "",
) -> None:
    """Report a use of a library with the verdict of its entry."""
    rule = rule_for(entry)
    status: Status = "review" if rule is FEATURE and entry.verdict == "manual" else rule.status
    file.hit(
        rule.id, where, status, note=entry.advice, source=entry.source, library=entry.title,
        name=entry.name, verdict=entry.verdict, guess=entry.guess, guarded=guarded,
        extension=extension,
    )  # fmt: skip


def _is_own(file: PythonFile, name: str) -> bool:
    """Whether a module belongs to a package of the project: that is judged where it stands."""
    words = name.split(".")
    own = file.context.own
    return bool(own) and any(".".join(words[:count]) in own for count in range(1, len(words)))


def _imported(one: Import, alias: ast.alias) -> str:
    node = one.node
    if isinstance(node, ast.Import):
        return alias.name
    return "" if node.level else f"{node.module}.{alias.name}"


def _extension(file: PythonFile, node: ast.expr) -> str:
    """The name of the extension that a call builds."""
    call = file.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return ""
    return built_name(call)


def check_requirement(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge a package that a setup file says it needs."""
    if not file.states_needs or not isinstance(node.value, str):
        return
    match = _REQUIREMENT.fullmatch(node.value)
    entry = packages().get(re.sub(r"[-_.]+", "-", match[1]).lower()) if match else None
    if entry is not None and _is_required(file, node):
        report(file, node, entry)


def _is_required(file: PythonFile, node: ast.expr) -> bool:
    """Whether a text stands in a list that a setup file gives as what it needs."""
    around: ast.AST | None = file.parent(node)
    while isinstance(around, ast.List | ast.Tuple | ast.Dict | ast.BinOp):
        around = file.parent(around)
    if isinstance(around, ast.keyword):
        return around.arg is not None and around.arg.endswith(("_requires", "_require"))
    targets = around.targets if isinstance(around, ast.Assign) else []
    return any(isinstance(one, ast.Name) and "require" in one.id.lower() for one in targets)


HANDLERS = {
    ast.Attribute: (check_feature,),
    ast.Name: (check_feature,),
    ast.Constant: (check_requirement,),
}
