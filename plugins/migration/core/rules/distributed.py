"""Communication back ends: nccl in every spelling becomes hccl."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.roles import BACKEND, role
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

BACKEND_NAME = Rule(
    "nccl-backend",
    'The back end "{old}" becomes "{new}"',
    "NPUs communicate through HCCL. Defaults, choices and comparisons change together, else a test "
    "against the old name fails silently.",
    "distributed",
    "auto",
    before='import torch.distributed as dist\ndist.init_process_group("cpu:gloo,cuda:nccl")\n',
    after="import torch.distributed as dist\nimport torch_npu\n"
    'dist.init_process_group("cpu:gloo,npu:hccl")\n',
)
BACKEND_KEY = Rule(
    "nccl-key",
    'The key "{old}" was left alone',
    "If it is looked up by the name of a back end, change it where it is read as well.",
    "distributed",
    "info",
    Severity.HINT,
    before='ports = {"nccl": 1}\n',
    after='ports = {"nccl": 1}\n',
)
AVAILABLE = Rule(
    "nccl-available",
    "is_nccl_available() becomes is_hccl_available()",
    "Without NCCL the old test answers False, and the program falls back to gloo without a word.",
    "distributed",
    "auto",
    before="import torch.distributed as dist\nok = dist.is_nccl_available()\n",
    after="import torch.distributed as dist\nimport torch_npu\nok = dist.is_hccl_available()\n",
)
BACKEND_CONSTANT = Rule(
    "nccl-constant",
    "Backend.NCCL becomes Backend.HCCL",
    "torch_npu registers its back end under this name when it is imported.",
    "distributed",
    "review",
    effort="minutes",
    before="import torch.distributed as dist\nb = dist.Backend.NCCL\n",
    after="import torch.distributed as dist\nimport torch_npu\nb = dist.Backend.HCCL\n",
)
NCCL_CLASS = Rule(
    "nccl-class",
    "{old} exists for NCCL only",
    "Options of a process group differ between NCCL and HCCL: see torch_npu's ProcessGroupHCCL.",
    "distributed",
    "manual",
    Severity.ERROR,
    "hours",
    before="import torch.distributed as dist\no = dist.ProcessGroupNCCL.Options()\n",
    after="import torch.distributed as dist\no = dist.ProcessGroupNCCL.Options()\n",
)
AMONG_OTHERS = Rule(
    "nccl-among-others",
    'NCCL is one of several in "{old}"',
    "It was left alone: whether HCCL can stand there depends on the library that reads it.",
    "distributed",
    "review",
    Severity.HINT,
    "minutes",
    before='import os\nos.environ["UCC_CL_BASIC_TLS"] = "^sharp,nccl"\n',
    after='import os\nos.environ["UCC_CL_BASIC_TLS"] = "^sharp,nccl"\n',
)
RULES = (AMONG_OTHERS, BACKEND_NAME, BACKEND_KEY, AVAILABLE, BACKEND_CONSTANT, NCCL_CLASS)

_COMPOSITE = re.compile(r"\w+:\w+(?:,\w+:\w+)*")
_AMONG_OTHERS = re.compile(r"[\w^,;+-]*[\^,;+]nccl(?:[,;+][\w,;+-]*)?|nccl[,;+][\w,;+-]*")
"""NCCL in a list of words, such as the transports that a communication library may use."""
_WORDS = {"nccl": "hccl", "NCCL": "HCCL", "cuda": "npu"}
_WORD = re.compile("|".join(_WORDS))


def check_attribute(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge names of torch.distributed that stand for NCCL."""
    if "nccl" not in node.attr.lower():
        return
    name = file.qualified(node, scope)
    span = file.attribute_span(node)
    if not name.startswith("torch.distributed.") or span is None:
        return
    if node.attr == "is_nccl_available":
        file.hit(AVAILABLE.id, node, "auto", [(*span, "is_hccl_available")])
    elif name.endswith("Backend.NCCL"):
        file.hit(BACKEND_CONSTANT.id, node, "review", [(*span, "HCCL")])
    elif node.attr.startswith(("ProcessGroupNCCL", "_ProcessGroupNCCL")):
        file.hit(NCCL_CLASS.id, node, "manual", old=node.attr)


def check_import(file: PythonFile, node: ast.ImportFrom, scope: Scope) -> None:
    """Judge `from torch.distributed import is_nccl_available`."""
    if node.module not in ("torch.distributed", "torch.distributed.distributed_c10d"):
        return
    for alias in node.names:
        start = file.positions.offset(alias.lineno, alias.col_offset)
        span = (start, start + len(alias.name))
        if alias.name == "is_nccl_available":
            kept = "" if alias.asname else " as is_nccl_available"
            file.hit(AVAILABLE.id, span, "auto", [(*span, "is_hccl_available" + kept)])
        elif alias.name.startswith("ProcessGroupNCCL"):
            file.hit(NCCL_CLASS.id, span, "manual", old=alias.name)


def check_string(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge a string that names a back end."""
    value = node.value
    if not isinstance(value, str) or "nccl" not in value.lower():
        return
    composite = "nccl" in value and _COMPOSITE.fullmatch(value)
    if value not in ("nccl", "NCCL") and not composite:
        if _AMONG_OTHERS.fullmatch(value) and role(file, node, scope, BACKEND) != "text":
            file.hit(AMONG_OTHERS.id, node, "review", old=value)
        return
    if isinstance(file.parent(node), ast.JoinedStr) or _has_hccl_beside(file, node):
        return
    purpose = role(file, node, scope, BACKEND)
    if purpose == "text":
        return
    if purpose in ("key", "location key"):
        file.hit(BACKEND_KEY.id, node, "info", old=value)
        return
    span = file.string_span(node)
    changes = []
    if span is not None:
        for match in _WORD.finditer(value):
            place = (span[0] + match.start(), span[0] + match.end())
            changes.append((*place, _WORDS[match[0]]))
    new = _WORD.sub(lambda match: _WORDS[match[0]], value)
    sure = bool(changes) and value != "NCCL"
    file.hit(BACKEND_NAME.id, node, "auto" if sure else "review", changes, old=value, new=new)


def _has_hccl_beside(file: PythonFile, node: ast.AST) -> bool:
    around = file.parent(node)
    while isinstance(around, ast.List | ast.Tuple | ast.Set | ast.Compare | ast.BoolOp | ast.IfExp):
        if any(isinstance(p, ast.Constant) and p.value == "hccl" for p in ast.walk(around)):
            return True
        around = file.parent(around)
    return False


HANDLERS = {ast.Attribute: (check_attribute,), ast.ImportFrom: (check_import,)}
LATE_HANDLERS = {ast.Constant: (check_string,)}
