"""The switches of cuDNN, cuBLAS and cuFFT under torch.backends."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule, Status
from plugins.migration.core.rules.names import (
    NAME,
    changes_of,
    nearest,
    new_name,
    report_missing,
)
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

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
RULES = (BACKEND_FLAG,)

_NAMESPACES = ("torch.backends.cuda.", "torch.backends.cudnn.")


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge a switch; few have a counterpart, most have no meaning for NPUs."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if not name.startswith(_NAMESPACES):
        return
    entry = nearest(name)
    if entry is not None and entry.npu:
        changes = changes_of(file, node, scope, entry)
        status: Status = "auto" if changes else "review"
        new = new_name(name, entry)
        file.hit(NAME.id, node, status, changes, source=entry.source, old=name, new=new)
    elif entry is not None and entry.judged(file.context.torch) == "unsupported":
        report_missing(file, node, entry, name)
    else:
        file.hit(BACKEND_FLAG.id, node, "info", source=entry.source if entry else "", old=name)


HANDLERS = {ast.Attribute: (check_name,)}
