"""Devices given as integers, in which no word says CUDA."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

LITERAL = Rule(
    "integer-device",
    'The device {old} becomes "npu:{old}"',
    "A bare number means a CUDA card before torch 2.5.1; the string means an NPU everywhere.",
    "device",
    "auto",
    before="import torch\nw = torch.ones(2).to(0)\n",
    after='import torch\nimport torch_npu\nw = torch.ones(2).to("npu:0")\n',
)
UNSURE = Rule(
    "integer-device-unsure",
    'The device {old} becomes "npu:{old}", if it means a card of torch',
    "The function is not torch's own; with torch a bare number means a CUDA card before 2.5.1.",
    "device",
    "review",
    effort="minutes",
    before="import torch\n\ndef make(build):\n    return build(device=1)\n",
    after='import torch\nimport torch_npu\n\ndef make(build):\n    return build(device="npu:1")\n',
)
VARIABLE = Rule(
    "integer-device-variable",
    "{old} looks like the number of a card",
    "A bare number means a CUDA card before torch 2.5.1. If it is a number, name the device type.",
    "device",
    "review",
    effort="minutes",
    before="import torch\n\ndef move(net, local_rank):\n    return net.to(local_rank)\n",
    after="import torch\nimport torch_npu\n\ndef move(net, local_rank):\n"
    '    return net.to(f"npu:{local_rank}")\n',
)
PROCESS_GROUP = Rule(
    "process-group-device",
    "device_id takes a device",
    "init_process_group expects a torch.device, and a bare number would mean a CUDA card.",
    "distributed",
    "review",
    effort="minutes",
    before="import torch\nimport torch.distributed as dist\n\n"
    'def start(rank):\n    dist.init_process_group("gloo", device_id=rank)\n',
    after="import torch\nimport torch_npu\nimport torch.distributed as dist\n\ndef start(rank):\n"
    '    dist.init_process_group("gloo", device_id=torch.device("npu", rank))\n',
)
RULES = (LITERAL, UNSURE, VARIABLE, PROCESS_GROUP)

_KEYWORDS = ("device", "map_location")
_METHODS = ("to", "to_empty")
_MOVING = (*_METHODS, "cuda")
TAKING = (*_KEYWORDS, "device_type")
"""The keywords by which a call is given a device."""
_FIRST = ("torch.device", "torch.set_default_device", "torch.Generator")


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge the arguments of a call that take a device."""
    if not file.uses_torch:
        return
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = file.qualified(node.func, scope)
    if not (name or method in _MOVING or any(k.arg in TAKING for k in node.keywords)):
        return
    for argument in _device_arguments(node, name, method):
        _note_use(file, argument, scope)
    if method in _METHODS and node.args and isinstance(node.func, ast.Attribute):
        receiver = file.receiver(node.func.value, method, scope)
        if receiver in ("torch", "unknown"):
            _judge(file, node.args[0], scope, sure=True)
    elif name in _FIRST and len(node.args) == 1:
        _judge(file, node.args[0], scope, sure=True)
    elif name == "torch.load" and len(node.args) > 1:
        _judge(file, node.args[1], scope, sure=True)
    for keyword in node.keywords:
        if keyword.arg in _KEYWORDS:
            _check_keyword(file, node, keyword.value, scope, name)
        elif keyword.arg == "device_id" and name == "torch.distributed.init_process_group":
            _check_process_group(file, keyword.value, scope)


def _check_keyword(
    file: PythonFile, call: ast.Call, value: ast.expr, scope: Scope, name: str
) -> None:
    if name.startswith(("torch.cuda", "torch.npu", "torch_npu.")):
        return  # torch.npu takes numbers just as torch.cuda does
    foreign = bool(name) and not name.startswith("torch.")
    if isinstance(call.func, ast.Attribute) and not name:
        foreign = file.receiver(call.func.value, call.func.attr, scope) in ("own", "foreign")
    if not foreign:
        _judge(file, value, scope, sure=name.startswith("torch."))


def _check_process_group(file: PythonFile, value: ast.expr, scope: Scope) -> None:
    plain = isinstance(value, ast.Constant) and type(value.value) is int
    if not plain and not file.kinds.like_int(value, scope):
        return
    start, end = file.span(value)
    torch = _name_of_torch(file)
    quote = _quote(file, value)
    changes = [(start, start, f"{torch}.device({quote}npu{quote}, "), (end, end, ")")]
    file.hit(PROCESS_GROUP.id, value, "review", changes if torch else ())


def _judge(file: PythonFile, value: ast.expr, scope: Scope, *, sure: bool) -> None:
    start, end = file.span(value)
    old = file.text[start:end]
    if isinstance(value, ast.Constant) and type(value.value) is int and old.isdigit():
        rule = LITERAL if sure else UNSURE
        quote = _quote(file, value)
        new = f"{quote}npu:{value.value}{quote}"
        file.hit(rule.id, value, rule.status, [(start, end, new)], old=old)
    elif _is_current_device(file, value, scope):
        return  # every torch that torch_npu fits takes the number of the current card as it is
    elif not isinstance(value, ast.Constant | ast.Starred) and file.kinds.like_int(value, scope):
        shown = " ".join(old.split())
        before, after = _around(old, _quote(file, value))
        file.hit(
            VARIABLE.id, value, "review", [(start, start, before), (end, end, after)], old=shown
        )


def _is_current_device(file: PythonFile, value: ast.expr, scope: Scope) -> bool:
    if isinstance(value, ast.Name):
        bound = [b.value for b in scope.lookup(value.id)]
        if len(bound) == 1 and isinstance(bound[0], ast.Call):
            value = bound[0]
    return isinstance(value, ast.Call) and file.qualified(value.func, scope).endswith(
        (".cuda.current_device", ".npu.current_device")
    )


def _around(expression: str, quote: str) -> tuple[str, str]:
    """What makes a device string of a number: evaluated once, and any Python 3 reads it."""
    if any(character in expression for character in "\"'{}\\\n\r#!:"):
        return f"{quote}npu:{{}}{quote}.format(", ")"
    return f"f{quote}npu:{{", f"}}{quote}"


def _quote(file: PythonFile, node: ast.AST) -> str:
    """The quotation mark this file prefers; inside an f-string the one that it does not use."""
    around = file.parent(node)
    while around is not None:
        if isinstance(around, ast.JoinedStr):
            return "'" if '"' in file.source(around)[:3] else '"'
        around = file.parent(around)
    return "'" if file.text.count("'") > file.text.count('"') else '"'


def _device_arguments(node: ast.Call, name: str, method: str) -> list[ast.expr]:
    found = [k.value for k in node.keywords if k.arg in TAKING]
    if node.args and (method in _MOVING or name in _FIRST):
        found.append(node.args[0])
    if name.startswith(("torch.cuda.", "torch.autocast", "torch.amp.")):
        found.extend(node.args[:1])
    return found


def _note_use(file: PythonFile, argument: ast.expr, scope: Scope) -> None:
    """Remember what flows into a device, so that strings are known where they are defined."""
    for part in ast.walk(argument):
        if isinstance(part, ast.Name):
            values = (binding.value for binding in scope.lookup(part.id))
            file.device_values.update(value for value in values if value is not None)
        elif isinstance(part, ast.Attribute):
            file.device_attributes.add(last_name(part))


def _name_of_torch(file: PythonFile) -> str:
    """A name under which the module torch is known to the whole file, or ""."""
    for name, bindings in file.names.module.bindings.items():
        if all(binding.module == "torch" for binding in bindings):
            return name
    return ""


CALLED = frozenset(_MOVING)
HANDLERS = {ast.Call: (check_call,)}
