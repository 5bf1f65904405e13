"""The profiler of torch, which has a counterpart of its own in torch_npu."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.tables import api_names

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

PROFILER = Rule(
    "profiler",
    "{old} becomes {new}",
    "Only torch_npu.profiler records what happens on an NPU.",
    "api",
    "review",
    effort="minutes",
    before="from torch.profiler import ProfilerActivity, profile\n"
    "p = profile(activities=[ProfilerActivity.CUDA])\n",
    after="from torch_npu.profiler import ProfilerActivity, profile\nimport torch_npu\n"
    "p = profile(activities=[ProfilerActivity.NPU])\n",
)
PROFILER_BY_HAND = Rule(
    "profiler-manual",
    "{old} has no counterpart in torch_npu.profiler",
    "Import it from torch and the rest from torch_npu.profiler, or do without it.",
    "api",
    "manual",
    effort="minutes",
    before="from torch.profiler import profile, supported_kineto_activities\n",
    after="from torch.profiler import profile, supported_kineto_activities\n",
)
SORT_KEY = Rule(
    "profiler-key",
    '"{old}" is a column of the CUDA profiler',
    "torch_npu.profiler has no key_averages; read operator_details.csv of its output instead.",
    "api",
    "review",
    effort="minutes",
    before='key = "cuda_time_total"\n',
    after='key = "cuda_time_total"\n',
)
RULES = (PROFILER, PROFILER_BY_HAND, SORT_KEY)

_COLUMN = re.compile(r"(?:self_)?cuda_(?:time|memory)\w*")


def check_import(file: PythonFile, node: ast.ImportFrom, scope: Scope) -> None:
    """Judge `from torch.profiler import …`: every name must have a counterpart."""
    if node.module != "torch.profiler" or node.level:
        return
    table = api_names()
    known = [alias for alias in node.names if f"torch.profiler.{alias.name}" in table]
    if not known:
        return
    missing = [alias.name for alias in node.names if alias not in known]
    start = file.span(node)[0]
    place = file.text.find("torch.profiler", start)
    if missing or file.text[start:place].split() != ["from"]:
        old = f"torch.profiler.{missing[0] if missing else known[0].name}"
        file.hit(PROFILER_BY_HAND.id, node, "manual", old=old)
        return
    span = (place, place + len("torch"))
    values = {"old": "torch.profiler", "new": "torch_npu.profiler"}
    file.hit(PROFILER.id, node, "review", [(*span, "torch_npu")], **values)


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge `torch.profiler.profile` and `ProfilerActivity.CUDA`."""
    if node.attr == "CUDA" and file.qualified(node.value, scope).endswith(
        "profiler.ProfilerActivity"
    ):
        span = file.attribute_span(node)
        if span is not None:
            old, new = "ProfilerActivity.CUDA", "ProfilerActivity.NPU"
            file.hit(PROFILER.id, span, "review", [(*span, "NPU")], old=old, new=new)
    name = file.qualified(node, scope)
    entry = api_names().get(name) if name.startswith("torch.profiler.") else None
    if entry is None or not entry.npu or not isinstance(node.value, ast.Attribute):
        return
    base = node.value.value
    if isinstance(base, ast.Name) and file.qualified(base, scope) == "torch":
        changes = [(*file.span(base), "torch_npu")]
        file.hit(PROFILER.id, node, "review", changes, old=name, new=entry.npu)


def check_string(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge the names of columns."""
    if isinstance(node.value, str) and _COLUMN.fullmatch(node.value):
        file.hit(SORT_KEY.id, node, "review", old=node.value)


MEMBERS = frozenset(["CUDA"])
HANDLERS = {
    ast.ImportFrom: (check_import,),
    ast.Attribute: (check_name,),
    ast.Constant: (check_string,),
}
