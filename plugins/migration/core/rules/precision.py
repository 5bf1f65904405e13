"""What changes numbers: TF32, fp64, autocast types, loss scaling, determinism, large constants."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.dtypes import dtype_named
from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

FP64 = Rule(
    "fp64-use",
    "This code computes in float64",
    "The matrix unit of an NPU has no float64: such operators are slow, run on the CPU or are "
    "missing. Use float32 where the numbers allow it. Told once per file.",
    "precision",
    "info",
    Severity.INFO,
    "minutes",
    before="import torch\na = torch.zeros(2, dtype=torch.float64)\n",
    after="import torch\na = torch.zeros(2, dtype=torch.float64)\n",
)
AUTOCAST = Rule(
    "autocast-type",
    "This autocast computes in float16",
    "float16 ends at 65504 and needs loss scaling. bfloat16 has the range of float32: with "
    "dtype=torch.bfloat16 there are fewer overflows on {chip}.",
    "precision",
    "info",
    Severity.HINT,
    "minutes",
    before="import torch\nwith torch.autocast(device, dtype=torch.float16):\n    pass\n",
    after="import torch\nwith torch.autocast(device, dtype=torch.float16):\n    pass\n",
)
SCALER = Rule(
    "scaler-with-bf16",
    "Loss scaling is of no use with bfloat16",
    "bfloat16 has the range of float32. Here autocast computes in bfloat16; make the scaler with "
    "enabled=False or do without it.",
    "precision",
    "info",
    Severity.HINT,
    "minutes",
    before="import torch\nscaler = torch.amp.GradScaler()\n"
    "with torch.autocast(device, dtype=torch.bfloat16):\n    pass\n",
    after="import torch\nscaler = torch.amp.GradScaler()\n"
    "with torch.autocast(device, dtype=torch.bfloat16):\n    pass\n",
)
DETERMINISM = Rule(
    "determinism",
    "This asks for results that repeat",
    "On NPUs torch.use_deterministic_algorithms(True) does it for operators, and the variable "
    "HCCL_DETERMINISTIC=true for communication; both cost speed.",
    "precision",
    "info",
    Severity.HINT,
    "minutes",
    before="import torch\ntorch.backends.cudnn.deterministic = True\n",
    after="import torch\ntorch.backends.cudnn.deterministic = True\n",
)
LARGE = Rule(
    "overflow-constant",
    "{old} does not fit into float16",
    "In float16, which this file uses, it becomes infinite, and NaN as soon as a row holds nothing "
    "else. Take torch.finfo(x.dtype).min.",
    "precision",
    "review",
    Severity.WARNING,
    "minutes",
    before="import torch\ns = x.half().masked_fill(m, -1e9)\n",
    after="import torch\ns = x.half().masked_fill(m, -1e9)\n",
)
RULES = (FP64, AUTOCAST, SCALER, DETERMINISM, LARGE)

_HALF = re.compile(r"\.half\(\)|torch\.float16\b|torch\.half\b|\bautocast\b|\bfp16\b")
_BF16_AUTOCAST = re.compile(r"autocast\([^)\n]*bfloat16")
_AUTOCASTS = frozenset(
    ["torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.npu.amp.autocast"]
)
_SCALERS = frozenset(
    ["torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.npu.amp.GradScaler"]
)
_FILLS = frozenset(["masked_fill", "masked_fill_", "full", "full_like", "fill_", "where"])
_LARGEST_HALF = 65504.0


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge a call by what it does to numbers."""
    name = file.qualified(node.func, scope)
    if name in _AUTOCASTS:
        _check_autocast(file, node, scope)
    elif name in _SCALERS:
        if _BF16_AUTOCAST.search(file.text) and not _given(node, "enabled"):
            file.hit(SCALER.id, node.func, "info", name=name)
    elif name == "torch.use_deterministic_algorithms":
        if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value is True:
            file.hit(DETERMINISM.id, node.func, "info", name=name)
    elif file.uses_torch and last_name(node.func) == "double" and not node.args:
        if isinstance(node.func, ast.Attribute) and not name:
            _note_fp64(file, node)
    elif file.uses_torch and last_name(node.func) in _FILLS:
        _check_fill(file, node)


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge `torch.float64` and the switches that ask for results that repeat."""
    if node.attr in ("float64", "double") and isinstance(node.ctx, ast.Load):
        if dtype_named(file, node, scope) == "fp64" and not _is_test(file, node):
            _note_fp64(file, node)
    elif node.attr == "deterministic" and isinstance(node.ctx, ast.Store):
        value = getattr(file.parent(node), "value", None)
        if file.qualified(node, scope) == "torch.backends.cudnn.deterministic" and (
            isinstance(value, ast.Constant) and value.value is True
        ):
            file.hit(DETERMINISM.id, node, "info", name="torch.backends.cudnn.deterministic")


def _check_autocast(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    types = [k.value for k in node.keywords if k.arg == "dtype"]
    if not types:
        return
    if dtype_named(file, types[0], scope) == "fp16":
        name = file.qualified(node.func, scope)
        file.hit(AUTOCAST.id, node, "info", name=name, chip=file.context.chip)


def _check_fill(file: PythonFile, node: ast.Call) -> None:
    """A constant beyond float16, given to a filling operator in a file that uses float16."""
    for argument in node.args:
        number = argument.operand if isinstance(argument, ast.UnaryOp) else argument
        if not isinstance(number, ast.Constant) or type(number.value) is not float:
            continue
        if _LARGEST_HALF < abs(number.value) < float("inf") and _HALF.search(file.text):
            file.hit(LARGE.id, argument, "review", old=file.source(argument))


def _note_fp64(file: PythonFile, node: ast.expr) -> None:
    if not any(hit.rule == FP64.id for hit in file.hits):
        file.hit(FP64.id, node, "info", name="float64")


def _given(node: ast.Call, name: str) -> bool:
    return any(keyword.arg == name for keyword in node.keywords)


def _is_test(file: PythonFile, node: ast.expr) -> bool:
    """Whether a type is only compared, returned, one of several to choose from, or asked about."""
    around = file.parent(node)
    if isinstance(around, ast.Tuple | ast.List | ast.Set):
        return True
    if isinstance(around, ast.Call) and last_name(around.func) == "finfo":
        return True
    if isinstance(around, ast.Call):  # something of the project's own that asks about a type
        return isinstance(around.func, ast.Name) and node in around.args
    return isinstance(around, ast.Compare | ast.Dict | ast.Return)


MEMBERS = frozenset(["float64", "double"])
CALLED = _FILLS | {"double"}
HANDLERS = {ast.Call: (check_call,), ast.Attribute: (check_name,)}
