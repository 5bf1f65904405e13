"""Environment variables that Python code reads or sets."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.tables import variables

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

RENAMED = Rule(
    "environment-variable",
    "{old} becomes {new}",
    "The variable has the same meaning for NPUs under this name.",
    "environment",
    "auto",
    before='import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n',
    after='import os\nos.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0"\n',
)
UNSURE = Rule(
    "environment-variable-unsure",
    "{old} becomes {new}, if the environment is meant",
    "The text is the name of a variable whose twin for NPUs has this name.",
    "environment",
    "review",
    effort="minutes",
    before='names = ["CUDA_VISIBLE_DEVICES"]\n',
    after='names = ["ASCEND_RT_VISIBLE_DEVICES"]\n',
)
CHECK = Rule(
    "environment-check",
    "{old} has no twin with the same meaning",
    "The variable steers CUDA or NCCL and does nothing for NPUs.",
    "environment",
    "review",
    effort="minutes",
    before='import os\nos.environ["NCCL_DEBUG"] = "INFO"\n',
    after='import os\nos.environ["NCCL_DEBUG"] = "INFO"\n',
)
RULES = (RENAMED, UNSURE, CHECK)

VARIABLE = re.compile(
    r"(?:TORCH_)?NCCL_[A-Z0-9_]+|(?:PYTORCH_|TORCH_)?(?:NO_)?CUDA_[A-Z_]+|CUBLAS_[A-Z_]+"
    r"|NVIDIA_[A-Z_]+"
)
"""What the environment variables of CUDA, NCCL and their tools are called."""
_READERS = re.compile(r"os\.(?:environ(?:\.\w+)?|getenv|putenv|unsetenv)")


def check_string(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge a string that is the name of a variable of CUDA or NCCL."""
    value = node.value
    if not isinstance(value, str) or not VARIABLE.fullmatch(value):
        return
    known = variables().get(value)
    used = _in_environment(file, node, scope)
    if known is None:
        if used or ("NCCL_" in value and "environ" in file.text):
            file.hit(CHECK.id, node, "review", old=value)
    elif not known.npu:
        file.hit(
            CHECK.id, node, "review", note=known.advice, source=known.source, old=value,
            guess=known.guess,
        )  # fmt: skip
    else:
        span = file.string_span(node)
        rule = RENAMED if used and span else UNSURE
        changes = [(*span, known.npu)] if span else []
        file.hit(rule.id, node, rule.status, changes, source=known.source, old=value, new=known.npu)


def _in_environment(file: PythonFile, node: ast.AST, scope: Scope) -> bool:
    parent = file.parent(node)
    if isinstance(parent, ast.Subscript):
        return file.qualified(parent.value, scope) == "os.environ"
    if isinstance(parent, ast.Call):
        return _READERS.fullmatch(file.qualified(parent.func, scope)) is not None
    if isinstance(parent, ast.Compare):
        return any(file.qualified(part, scope) == "os.environ" for part in parent.comparators)
    return False


HANDLERS = {ast.Constant: (check_string,)}
