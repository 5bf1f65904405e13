"""Import statements of torch.cuda in all their shapes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.rules.names import MISSING, nearest, new_name, report_missing, verdict
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

IMPORT = Rule(
    "cuda-import",
    "The import of {old} becomes {new}",
    "torch_npu offers the functions of torch.cuda in torch_npu.npu. The name it is imported under "
    "stays, so that its uses need no change.",
    "api",
    "auto",
    before="import torch\nfrom torch.cuda.amp import autocast\n",
    after="import torch\nimport torch_npu\nfrom torch_npu.npu.amp import autocast\n",
)
IMPORT_ALL = Rule(
    "cuda-import-all",
    "The import of everything in {old} becomes {new}",
    "Which names such an import brings is not visible here; name them.",
    "api",
    "review",
    effort="minutes",
    before="from torch.cuda import *\n",
    after="from torch_npu.npu import *\nimport torch_npu\n",
)
IMPORT_BY_HAND = Rule(
    "cuda-import-manual",
    "The import of {old} has to be changed by hand",
    "One of the names it brings has no counterpart in torch_npu.npu.",
    "api",
    "manual",
    Severity.ERROR,
    "minutes",
    before="from torch.cuda import nvtx, synchronize\n",
    after="from torch.cuda import nvtx, synchronize\n",
)
RULES = (IMPORT, IMPORT_ALL, IMPORT_BY_HAND)

_FROM = re.compile(r"from[ \t]+(torch(?:\.\w+)*)(?=[ \t\\(])")


def check_import(file: PythonFile, node: ast.Import, scope: Scope) -> None:
    """Judge `import torch.cuda…`, with and without another name."""
    for alias in node.names:
        if alias.name != "torch.cuda" and not alias.name.startswith("torch.cuda."):
            continue
        start = file.positions.offset(alias.lineno, alias.col_offset)
        span = (start, start + len(alias.name))
        if file.text[span[0] : span[1]] != alias.name:
            file.hit(IMPORT_BY_HAND.id, node, "manual", old=alias.name)
            continue
        entry = nearest(alias.name)
        if verdict(file, alias.name, entry)[1] is MISSING:
            report_missing(file, span, entry, alias.name)
            continue
        new = "torch_npu.npu" + alias.name.removeprefix("torch.cuda") if alias.asname else "torch"
        file.hit(IMPORT.id, span, "auto", [(*span, new)], old=alias.name, new=new)


def check_import_from(file: PythonFile, node: ast.ImportFrom, scope: Scope) -> None:
    """Judge `from torch import cuda` and `from torch.cuda… import …`."""
    module = node.module or ""
    if node.level or not (module == "torch" or (module + ".").startswith("torch.cuda.")):
        return
    if module == "torch":
        for alias in node.names:
            if alias.name == "cuda":
                span = _name_span(file, alias)
                new = "npu" if alias.asname else "npu as cuda"
                values = {"old": "torch.cuda", "new": "torch.npu"}
                file.hit(IMPORT.id, span, "auto", [(*span, new)], **values)
        return
    match = _FROM.match(file.text, file.span(node)[0])
    judged = [_judge_name(file, f"{module}.{alias.name}") for alias in node.names]
    if match is None or match[1] != module or None in judged:
        missing = [a.name for a, name in zip(node.names, judged, strict=True) if name is None]
        entry = nearest(f"{module}.{missing[0]}") if missing else None
        file.hit(IMPORT_BY_HAND.id, node, "manual", note=entry.note if entry else "", old=module)
        return
    new = module.replace("torch.cuda", "torch_npu.npu", 1)
    changes = [(match.start(1), match.end(1), new)]
    for alias, name in zip(node.names, judged, strict=True):
        if name and name != alias.name:
            changes.append(
                (*_name_span(file, alias), name + ("" if alias.asname else f" as {alias.name}"))
            )
    rule = IMPORT_ALL if node.names[0].name == "*" else IMPORT
    file.hit(rule.id, node, rule.status, changes, old=module, new=new)


def _judge_name(file: PythonFile, name: str) -> str | None:
    """The name of the counterpart, None if there is none in the same module."""
    short = name.rpartition(".")[2]
    if short == "*":
        return short
    entry = nearest(name)
    if verdict(file, name, entry)[1] is MISSING:
        return None
    new = new_name(name, entry)
    same_place = new.rpartition(".")[0] == name.rpartition(".")[0].replace(
        "torch.cuda", "torch.npu"
    )
    return new.rpartition(".")[2] if same_place else None


def _name_span(file: PythonFile, alias: ast.alias) -> tuple[int, int]:
    start = file.positions.offset(alias.lineno, alias.col_offset)
    return start, start + len(alias.name)


HANDLERS = {ast.Import: (check_import,), ast.ImportFrom: (check_import_from,)}
