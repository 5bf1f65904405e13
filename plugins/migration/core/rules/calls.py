"""Methods and flags of tensors and modules: `.cuda()`, `.is_cuda`, stream handles, getattr."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule, Status
from plugins.migration.core.names import got_attribute, last_name
from plugins.migration.core.rules.names import NAME
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

CUDA_METHOD = Rule(
    "cuda-method",
    "{old} becomes {new}",
    "Tensors and modules move to an NPU by .npu(), which takes the same arguments as .cuda().",
    "device",
    "auto",
    before="import torch\nmodel = torch.nn.Linear(1, 1).cuda()\n",
    after="import torch\nimport torch_npu\nmodel = torch.nn.Linear(1, 1).npu()\n",
)
CUDA_METHOD_UNSURE = Rule(
    "cuda-method-unsure",
    "{old} becomes {new}, if it belongs to a tensor or module",
    "It is not certain what this object is: a class here has a member of this name, or the file "
    "does not import torch.",
    "device",
    "review",
    effort="minutes",
    before="def move(model):\n    return model.cuda()\n",
    after="def move(model):\n    return model.npu()\n",
)
IS_CUDA = Rule(
    "is-cuda",
    ".is_cuda becomes .is_npu",
    "A tensor on an NPU answers False to is_cuda and True to is_npu.",
    "device",
    "auto",
    before="import torch\nprint(torch.zeros(1).is_cuda)\n",
    after="import torch\nimport torch_npu\nprint(torch.zeros(1).is_npu)\n",
)
OWN_MEMBER = Rule(
    "own-cuda",
    "{old} belongs to a class of this project",
    "Its name only looks like CUDA, so it was left alone. Look at what the class does with it.",
    "device",
    "info",
    Severity.HINT,
    before="import torch\n\nclass Options:\n    is_cuda = True\n\nprint(Options().is_cuda)\n",
    after="import torch\n\nclass Options:\n    is_cuda = True\n\nprint(Options().is_cuda)\n",
)
FOREIGN_MEMBER = Rule(
    "foreign-cuda",
    "{old} belongs to the module {module}",
    "It has nothing to do with torch, so it was left alone.",
    "device",
    "info",
    Severity.HINT,
    before="import torch\nimport fish\nfish.cuda(3)\n",
    after="import torch\nimport fish\nfish.cuda(3)\n",
)
RAW_HANDLE = Rule(
    "stream-handle",
    "{old} becomes {new}",
    "Streams and events of torch_npu keep their raw handles under these names.",
    "api",
    "review",
    effort="minutes",
    before="import torch\nhandle = torch.cuda.current_stream().cuda_stream\n",
    after="import torch\nimport torch_npu\nhandle = torch.npu.current_stream().npu_stream\n",
)
RULES = (CUDA_METHOD, CUDA_METHOD_UNSURE, IS_CUDA, OWN_MEMBER, FOREIGN_MEMBER, RAW_HANDLE)

_HANDLES = {"cuda_stream": "npu_stream", "cuda_event": "npu_event"}
_TAKEN = ("device", "non_blocking", "memory_format")
_NEW = {"cuda": "npu", "is_cuda": "is_npu"}


def check_member(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge an attribute called cuda, is_cuda or like a handle."""
    if node.attr in _HANDLES and isinstance(node.ctx, ast.Load) and file.uses_torch:
        _rename(file, node, RAW_HANDLE, _HANDLES[node.attr])
    elif node.attr not in _NEW or not isinstance(node.ctx, ast.Load):
        return
    elif not file.qualified(node, scope).startswith("torch.cuda"):
        _check(file, node, scope)


def _check(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    receiver = file.receiver(node.value, node.attr, scope)
    called = file.is_called(node)
    method = node.attr == "cuda"
    if receiver == "own":
        if called or not method:
            _report_own(file, node)
    elif receiver == "foreign" and called:
        if module := file.qualified(node.value, scope):
            file.hit(FOREIGN_MEMBER.id, node, "info", old=_shown(file, node), module=module)
    elif receiver == "foreign" or (method and not called and receiver != "torch"):
        if method and not called and _called_later(file, node, scope):
            _rename(file, node, CUDA_METHOD_UNSURE, "npu")
    elif receiver == "unknown" and (
        _shadowed(file, node.attr) or not file.near_torch or _takes_more(file, node)
    ):
        _rename(file, node, CUDA_METHOD_UNSURE, _NEW[node.attr])
    else:
        _rename(file, node, CUDA_METHOD if method else IS_CUDA, _NEW[node.attr])


def _takes_more(file: PythonFile, node: ast.Attribute) -> bool:
    """Whether a call hands over what the methods of tensors and modules do not take."""
    call = file.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    return len(call.args) > 2 or any(k.arg and k.arg not in _TAKEN for k in call.keywords)


def _report_own(file: PythonFile, node: ast.Attribute) -> None:
    """Report a member of the project's own; one that is inherited may be torch's after all."""
    inherited = isinstance(node.value, ast.Call) and last_name(node.value.func) == "super"
    note = "If it reaches torch's own method in the end, change it by hand." if inherited else ""
    status: Status = "review" if inherited else "info"
    file.hit(OWN_MEMBER.id, node, status, note=note, old=_shown(file, node))


def _called_later(file: PythonFile, node: ast.Attribute, scope: Scope) -> bool:
    """Whether a bound method is kept under a name that is called: `move = model.cuda; move()`."""
    parent = file.parent(node)
    if not isinstance(parent, ast.Assign) or file.receiver(node.value, "cuda", scope) != "unknown":
        return False
    names = {target.id for target in parent.targets if isinstance(target, ast.Name)}
    return any(f"{name}(" in file.text for name in names)


def _shadowed(file: PythonFile, attribute: str) -> bool:
    """Whether some class of this file has such a member, so that an unknown object may be of it."""
    if attribute in file.names.set_on_self:
        return True
    return any(attribute in scope.bindings for scope in file.names.classes.values())


def check_getattr(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge `getattr(x, "cuda")` and `hasattr(x, "is_cuda")`."""
    got = isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")
    if not got or len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
        return
    name = node.args[1].value
    span = file.string_span(node.args[1])
    if name not in _NEW or span is None:
        return
    if name == "cuda" and file.qualified(node.args[0], scope) == "torch":
        changes = [(*span, "npu")]
        file.hit(NAME.id, node.args[1], "auto", changes, old="torch.cuda", new="torch.npu")
        return
    receiver = file.receiver(node.args[0], name, scope)
    if receiver not in ("torch", "unknown"):
        return
    rule = CUDA_METHOD if receiver == "torch" and got_attribute(node) else CUDA_METHOD_UNSURE
    new = _NEW[name]
    changes = [(*span, new)]
    file.hit(rule.id, node.args[1], rule.status, changes, old=f'"{name}"', new=f'"{new}"')


def _rename(file: PythonFile, node: ast.Attribute, rule: Rule, new: str) -> None:
    span = file.attribute_span(node)
    if span is not None:
        old = f".{node.attr}" + ("()" if file.is_called(node) else "")
        shown = f".{new}" + ("()" if file.is_called(node) else "")
        file.hit(rule.id, span, rule.status, [(*span, new)], old=old, new=shown)


def _shown(file: PythonFile, node: ast.Attribute) -> str:
    text = " ".join(file.source(node).split())
    return text if len(text) <= 40 else f"….{node.attr}"


MEMBERS = frozenset([*_HANDLES, *_NEW])
CALLED = frozenset(["getattr", "hasattr"])
HANDLERS = {ast.Attribute: (check_member,), ast.Call: (check_getattr,)}
