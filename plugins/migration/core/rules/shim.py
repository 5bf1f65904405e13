"""The strategy of torch_npu's transfer_to_npu: what it replaces at run time is left as it is."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.rules import insertion

if TYPE_CHECKING:
    from plugins.migration.core.model import Hit
    from plugins.migration.core.source import PythonFile

IMPORT = Rule(
    "shim-import",
    "Import transfer_to_npu, which replaces {count} CUDA names here at run time",
    "It must come before anything of torch.cuda is used. Without a change to the code the variable "
    "TORCH_TRANSFER_TO_NPU=1 does the same, with torch_npu of 2026 or later.",
    "import",
    "auto",
)
COVERED = Rule(
    "shim-covered",
    "transfer_to_npu replaces {count} CUDA names here at run time",
    "Nothing has to be changed as long as the program that runs this file imports it first.",
    "import",
    "info",
)
RULES = (IMPORT, COVERED)

_REPLACED = frozenset(
    [
        "cuda-name", "cuda-import", "cuda-import-all", "cuda-method", "cuda-method-unsure",
        "is-cuda", "device-string", "device-string-unsure", "integer-device",
        "integer-device-unsure", "nccl-backend", "nccl-available", "profiler", "dotted-text",
        "integer-device-variable", "process-group-device", "tensor-type",
    ]
)  # fmt: skip
_COMPARED = frozenset(["device-string", "device-string-unsure", "nccl-backend"])
_SAME_NAME = frozenset(["cuda-name-limited", "cuda-name-unlisted"])
_OWN_TESTS = re.compile(r"==|!=|\bin\b")
_MAIN = re.compile(r"__name__\s*==")
_LINE = "from torch_npu.contrib import transfer_to_npu"
_SOURCE = "torch_npu contrib/transfer_to_npu.py 2.14.0"


def apply_shim(file: PythonFile) -> None:
    """Drop the hits that transfer_to_npu takes care of, and propose its import where one starts."""
    compared = _comparisons(file)
    kept: list[Hit] = []
    dropped: list[Hit] = []
    for hit in file.hits:
        inside = hit.rule in _COMPARED and any(a <= hit.start < b for a, b in compared)
        if hit.rule in _REPLACED and not inside:
            dropped.append(hit)
        else:
            kept.append(replace(hit, changes=()) if hit.rule in _SAME_NAME else hit)
    file.hits = kept
    if not dropped:
        insertion.insert_import(file)
        return
    starts = "transfer_to_npu" not in file.text and _MAIN.search(file.text)
    changes = insertion.insert_shim(file, _LINE) if starts else []
    if changes:
        place = (changes[0][0], changes[0][0])
        file.hit(IMPORT.id, place, "auto", changes, source=_SOURCE, count=len(dropped))
        return
    insertion.insert_import(file)
    place = (dropped[0].start, dropped[0].end)
    file.hit(COVERED.id, place, "info", source=_SOURCE, count=len(dropped))


def _comparisons(file: PythonFile) -> list[tuple[int, int]]:
    """Where values are compared, which no replacement at run time reaches."""
    if not any(hit.rule in _COMPARED for hit in file.hits) or not _OWN_TESTS.search(file.text):
        return []
    return [file.span(node) for node in file.parents if isinstance(node, ast.Compare)]
