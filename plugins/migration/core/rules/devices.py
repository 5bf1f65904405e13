"""Devices given as strings: plain ones, f-strings and formatted ones, wherever they are defined."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core import strings
from plugins.migration.core.model import Rule
from plugins.migration.core.roles import DEVICE, role
from plugins.migration.core.tables import api_names
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

DEVICE_STRING = Rule(
    "device-string",
    'The device "{old}" becomes "{new}"',
    "torch knows an Ascend card as the device type npu.",
    "device",
    "auto",
    before='import torch\nd = torch.device("cuda:0")\n',
    after='import torch\nimport torch_npu\nd = torch.device("npu:0")\n',
)
DEVICE_MAYBE = Rule(
    "device-string-unsure",
    '"{old}" becomes "{new}", if it is a device',
    "The text is the name of a device, but it is not certain that it is used as one.",
    "device",
    "review",
    effort="minutes",
    before='import torch\nmode = "cuda"\n',
    after='import torch\nimport torch_npu\nmode = "npu"\n',
)
DEVICE_KEY = Rule(
    "device-key",
    'The key "{old}" was left alone',
    "If it is looked up by the type of a device, change it together with the places that read it.",
    "device",
    "info",
    Severity.HINT,
    before='import torch\nspeed = {"cuda": 2}\n',
    after='import torch\nspeed = {"cuda": 2}\n',
)
LOCATION_KEY = Rule(
    "location-key",
    'The key "{old}" names where a checkpoint was saved',
    "A checkpoint written on a GPU keeps its device names, so the key stays; for checkpoints "
    "written on an NPU add a key with npu.",
    "device",
    "info",
    Severity.HINT,
    before='import torch\ns = torch.load("a.pt", map_location={"cuda:0": "cpu"})\n',
    after='import torch\ns = torch.load("a.pt", map_location={"cuda:0": "cpu"})\n',
)
DEVICE_TEXT = Rule(
    "device-text",
    "A text speaks of CUDA",
    "Texts are never changed. Check whether people or code rely on this one.",
    "device",
    "review",
    Severity.HINT,
    "minutes",
    before='hint = "use cuda:0 by default"\n',
    after='hint = "use cuda:0 by default"\n',
)
TENSOR_TYPE = Rule(
    "tensor-type",
    'The tensor type "{old}" becomes "{new}"',
    "torch_npu has tensor types of the same names under torch.npu.",
    "device",
    "auto",
    before='import torch\ntorch.set_default_tensor_type("torch.cuda.FloatTensor")\n',
    after="import torch\nimport torch_npu\n"
    'torch.set_default_tensor_type("torch.npu.FloatTensor")\n',
)
DOTTED_TEXT = Rule(
    "dotted-text",
    '"{old}" becomes "{new}", if it is looked up by name',
    "The text is the dotted name of something in torch.cuda.",
    "api",
    "review",
    effort="minutes",
    before='import torch\nname = "torch.cuda.is_available"\n',
    after='import torch\nimport torch_npu\nname = "torch.npu.is_available"\n',
)
RULES = (
    DEVICE_STRING,
    DEVICE_MAYBE,
    DEVICE_KEY,
    LOCATION_KEY,
    DEVICE_TEXT,
    TENSOR_TYPE,
    DOTTED_TEXT,
)

_DEVICE = re.compile(r"cuda(?::\d+)?(?:, ?cuda:\d+)*|cuda:(?:%[ds]|\{[\w.]*\})?")
_NUMBERED = re.compile(r"cuda:.*")
_DOTTED = re.compile(r"torch\.cuda(?:\.\w+)+")
_TENSOR_TYPE = re.compile(r"torch\.cuda\.\w+(?:Tensor|Storage)")
_SPEAKS_OF_DEVICE = re.compile(r"\bcuda:\d|\btorch\.cuda\b|\bCUDA (?:out of memory|error)")
_COMMAND = re.compile(r"\bnvidia-smi\b|\bCUDA_VISIBLE_DEVICES=|#[ \t]*include[ \t]*<(?:cuda|nccl)")
_CUDA = re.compile(r"\bcuda\b")


def check_string(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge a string that names a device, a tensor type or something in torch.cuda."""
    value = node.value
    if not isinstance(value, str) or isinstance(file.parent(node), ast.Expr):
        return
    if _COMMAND.search(value):
        file.hit(DEVICE_TEXT.id, node, "review")
    if isinstance(file.parent(node), ast.JoinedStr) or "uda" not in value.lower():
        return
    if _DEVICE.fullmatch(value):
        judge_device(file, node, scope, value, file.string_span(node))
    elif _DOTTED.fullmatch(value):
        _judge_dotted(file, node, scope, value)
    elif _SPEAKS_OF_DEVICE.search(value) and role(file, node, scope, DEVICE) != "text":
        file.hit(DEVICE_TEXT.id, node, "review")


def check_fstring(file: PythonFile, node: ast.JoinedStr, scope: Scope) -> None:
    """Judge an f-string that makes a device of a number."""
    start, end = file.span(node)
    try:
        parts = strings.pieces(file.text, start, end)
    except (strings.BrokenStringError, IndexError):
        return
    if len(parts) != 2 or not parts[0].literal or parts[1].literal:
        return
    first = file.text[parts[0].start : parts[0].end]
    if first == "cuda:":
        judge_device(file, node, scope, first, (parts[0].start, parts[0].end))


def judge_device(
    file: PythonFile,
    node: ast.Constant | ast.JoinedStr,
    scope: Scope,
    value: str,
    span: tuple[int, int] | None,
) -> None:
    """Report a device string according to what it is for."""
    purpose = role(file, node, scope, DEVICE)
    if purpose == "text":
        return
    if _has_npu_beside(file, node):
        file.beside_npu.append(node)
        return
    if purpose in ("key", "location key"):
        rule = LOCATION_KEY if purpose == "location key" else DEVICE_KEY
        file.hit(rule.id, node, "info", old=value)
        return
    sure = purpose == "subject" or bool(_NUMBERED.fullmatch(value))
    rule = DEVICE_STRING if sure else DEVICE_MAYBE
    changes = _changes(value, span)
    shown = value + ("{…}" if isinstance(node, ast.JoinedStr) else "")
    status = rule.status if changes else "review"
    file.hit(rule.id, node, status, changes, old=shown, new=_CUDA.sub("npu", shown))


def _judge_dotted(file: PythonFile, node: ast.Constant, scope: Scope, value: str) -> None:
    entry = api_names().get(value)
    new = _CUDA.sub("npu", value)
    changes = _changes(value, file.string_span(node))
    if entry is not None and not entry.npu:
        file.hit(DEVICE_TEXT.id, node, "review")
    elif _TENSOR_TYPE.fullmatch(value):
        file.hit(TENSOR_TYPE.id, node, "auto" if changes else "review", changes, old=value, new=new)
    elif role(file, node, scope, DEVICE) != "text":
        file.hit(DOTTED_TEXT.id, node, "review", changes, old=value, new=new)


def _changes(value: str, span: tuple[int, int] | None) -> list[tuple[int, int, str]]:
    if span is None:
        return []
    return [(span[0] + m.start(), span[0] + m.end(), "npu") for m in _CUDA.finditer(value)]


def _has_npu_beside(file: PythonFile, node: ast.AST) -> bool:
    """Whether the string stands in a list, table or comparison beside "npu": then it is meant."""
    around = file.parent(node)
    if isinstance(around, ast.Dict):
        return any(key is not None and _is_npu(key) for key in around.keys)
    while isinstance(around, ast.List | ast.Tuple | ast.Set | ast.Compare | ast.BoolOp | ast.IfExp):
        if any(_is_npu(part) for part in ast.walk(around)):
            return True
        around = file.parent(around)
    return False


def _is_npu(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (node.value == "npu" or node.value.startswith("npu:"))
    )


LATE_HANDLERS = {ast.Constant: (check_string,), ast.JoinedStr: (check_fstring,)}
