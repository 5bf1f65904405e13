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
from plugins.migration.core.tables import ApiName
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
TF32 = Rule(
    "tf32-flag",
    "{old} becomes {new}",
    "TF32 of GPUs and HF32 of NPUs both shorten the mantissa of float32 in matrix products; their "
    "results differ a little, and convolutions use HF32 unless told otherwise. Compare the losses.",
    "precision",
    "review",
    effort="minutes",
    before="import torch\ntorch.backends.cuda.matmul.allow_tf32 = False\n",
    after="import torch\nimport torch_npu\ntorch.npu.matmul.allow_hf32 = False\n",
)
RULES = (BACKEND_FLAG, TF32)

_HF32_SOURCE = "Ascend/op-plugin docs/zh/custom_APIs/torch_npu-npu 517f2e7 2026-08-21"
_HF32 = {
    "torch.backends.cuda.matmul.allow_tf32": "torch.npu.matmul.allow_hf32",
    "torch.backends.cudnn.allow_tf32": "torch.npu.conv.allow_hf32",
}

_NAMESPACES = ("torch.backends.cuda.", "torch.backends.cudnn.")


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge a switch; few have a counterpart, most have no meaning for NPUs."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if not name.startswith(_NAMESPACES):
        return
    entry = nearest(name)
    if name in _HF32:
        twin = ApiName(name, _HF32[name], {}, "", _HF32_SOURCE)
        changes = changes_of(file, node, scope, twin)
        file.hit(TF32.id, node, "review", changes, source=twin.source, old=name, new=twin.npu)
    elif entry is not None and entry.npu:
        changes = changes_of(file, node, scope, entry)
        status: Status = "auto" if changes else "review"
        new = new_name(name, entry)
        file.hit(NAME.id, node, status, changes, source=entry.source, old=name, new=new)
    elif entry is not None and file.support_of(entry) == "unsupported":
        report_missing(file, node, entry, name)
    else:
        file.hit(BACKEND_FLAG.id, node, "info", source=entry.source if entry else "", old=name)


HANDLERS = {ast.Attribute: (check_name,)}
