"""The role that a string plays where it stands: a device, a back end, a key, a text for people."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Literal

from plugins.migration.core.names import last_name

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

Role = Literal["subject", "key", "location key", "text", "option", "other"]
"""subject: it surely is what the pattern of names says (a device, a back end); other: unknown."""

DEVICE = re.compile(r"device|(?:^|_)devs?(?:$|_|\d)|^map_location$|^gpus?$", re.IGNORECASE)
BACKEND = re.compile(r"backend|process_group|^pg", re.IGNORECASE)

_TEXT_CALLS = re.compile(
    r"(?:builtins\.(?:print|input|open)|warnings\.warn|logging\.\w+|re\.\w+|os\.path\.\w+|os\.makedirs"
    r"|pathlib\.\w+|subprocess\.\w+|os\.system)"
)
_TEXT_METHODS = re.compile(
    "debug|info|warning|warn|error|exception|critical|log|write|print|skip|fail|section|title"
)
_TEXT_KEYWORDS = re.compile("help|description|desc|msg|message|label|title|metavar|reason|doc")
_DEVICE_CALLS = re.compile(
    r"torch\.(?:device|set_default_device|autocast|amp\.\w+|Generator|get_device_module|cuda\.[\w.]+"
    r"|(?:is|get|set)_autocast_\w+|distributed\.(?:device_mesh\.)?(?:init_device_mesh|DeviceMesh)"
    r"|(?:distributed\.tensor\.)?DeviceMesh|random\.fork_rng|accelerator\.\w+)"
)
_GETTERS = frozenset(["get", "pop", "setdefault", "getattr", "getenv"])
_ASKING = frozenset(["getattr", "hasattr", "setattr", "delattr"])
_DECLARING = frozenset(["field", "Field", "Option", "Argument", "option", "attrib", "ib"])
_THROUGH = (ast.BoolOp, ast.NamedExpr, ast.Starred, ast.Await, ast.List, ast.Tuple, ast.Set)
_OTHER_DEVICES = frozenset(["cpu", "npu", "mps", "xpu", "hpu", "meta"])


def role(file: PythonFile, node: ast.expr, scope: Scope, names: re.Pattern[str]) -> Role:
    """What an expression is for, judged by where it goes; `names` are words of the subject."""
    child: ast.AST = node
    while True:
        if names is DEVICE and child in file.device_values:
            return "subject"
        parent = file.parent(child)
        if isinstance(parent, ast.IfExp) and child is parent.test:
            return "other"
        if isinstance(parent, (*_THROUGH, ast.IfExp, ast.BinOp, ast.FormattedValue, ast.JoinedStr)):
            child = parent
        elif isinstance(parent, ast.Attribute) and parent.attr == "format":
            call = file.parent(parent)
            child = call if isinstance(call, ast.Call) else parent
        elif isinstance(parent, ast.Dict) and child not in parent.keys:
            if names.search(_key_of(parent, child)):
                return "subject"
            child = parent
        elif isinstance(parent, ast.keyword) and _declares(file, parent):
            child = file.parents[parent]
        else:
            return _role_in(file, parent, child, scope, names)


def _role_in(
    file: PythonFile,
    parent: ast.AST | None,
    child: ast.AST,
    scope: Scope,
    names: re.Pattern[str],
) -> Role:
    if isinstance(parent, ast.Dict):
        located = role(file, parent, scope, re.compile("^map_location$"))
        return "location key" if located == "subject" else "key"
    if isinstance(parent, ast.Subscript):
        return "other" if last_name(parent.value) == "Literal" else "key"
    if isinstance(parent, ast.keyword):
        return _role_of_keyword(file, parent, scope, names)
    if isinstance(parent, ast.Call):
        return _role_of_argument(file, parent, child, scope, names)
    if isinstance(parent, ast.Compare):
        return _role_in_comparison(file, parent, child, scope, names)
    if isinstance(parent, ast.Expr | ast.Raise | ast.Assert):
        return "text"
    if isinstance(parent, ast.arguments):
        return _named(names, _parameter_of(parent, child))
    targets: list[ast.expr] = []
    if isinstance(parent, ast.Assign):
        targets = parent.targets
    elif isinstance(parent, ast.AnnAssign | ast.AugAssign | ast.For | ast.comprehension):
        targets = [parent.target]
    elif isinstance(parent, ast.Return):
        function = scope.enclosing("function")
        return _named(names, getattr(function.node, "name", "") if function else "")
    words = [last_name(target) for target in targets]
    if names is DEVICE and _is_member(targets, scope) and file.device_attributes & set(words):
        return "subject"
    return "text" if "__all__" in words or "__slots__" in words else _named(names, *words)


def _is_member(targets: list[ast.expr], scope: Scope) -> bool:
    """Whether an assignment makes attributes: in the body of a class, or of an object."""
    return scope.kind == "class" or all(isinstance(one, ast.Attribute) for one in targets)


def _named(names: re.Pattern[str], *words: str) -> Role:
    return "subject" if any(word and names.search(word) for word in words) else "other"


def _key_of(node: ast.Dict, child: ast.AST) -> str:
    key = next((k for k, v in zip(node.keys, node.values, strict=True) if v is child), None)
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _parameter_of(arguments: ast.arguments, child: ast.AST) -> str:
    plain = [*arguments.posonlyargs, *arguments.args]
    start = len(plain) - len(arguments.defaults)
    pairs = [*zip(plain[start:], arguments.defaults, strict=True)]
    named = [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    return next((a.arg for a, default in [*pairs, *named] if default is child), "")


def _declares(file: PythonFile, keyword: ast.keyword) -> bool:
    """Whether a keyword gives the default of the field that its call declares."""
    call = file.parent(keyword)
    return (
        keyword.arg in ("default", "default_factory")
        and isinstance(call, ast.Call)
        and last_name(call.func) in _DECLARING
        and not call.args
    )


def _role_of_keyword(
    file: PythonFile, keyword: ast.keyword, scope: Scope, names: re.Pattern[str]
) -> Role:
    call = file.parent(keyword)
    if not isinstance(call, ast.Call) or keyword.arg is None:
        return "other"
    if _TEXT_KEYWORDS.fullmatch(keyword.arg):
        return "text"
    if keyword.arg in ("default", "choices", "const"):
        words = [part.value for part in call.args if isinstance(part, ast.Constant)]
        options = [word for word in words if isinstance(word, str)]
        attributes = {word.lstrip("-").replace("-", "_") for word in options}
        if names is DEVICE and attributes & file.device_attributes:
            return "subject"
        return "option" if _named(names, *options) == "other" else "subject"
    return "text" if _is_text_call(file, call, scope) else _named(names, keyword.arg)


def _role_of_argument(
    file: PythonFile, call: ast.Call, child: ast.AST, scope: Scope, names: re.Pattern[str]
) -> Role:
    if child is call.func:
        return "other"
    index = next((i for i, part in enumerate(call.args) if part is child), -1)
    name = file.qualified(call.func, scope)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if names is DEVICE and (
        _DEVICE_CALLS.fullmatch(name)
        or (method in ("to", "to_empty", "cuda") and index == 0)
        or (name == "torch.load" and index == 1)
    ):
        return "subject"
    if names is BACKEND and name.startswith("torch.distributed."):
        return "subject"
    if _is_text_call(file, call, scope):
        return "text"
    last = method or last_name(call.func)
    if last in _ASKING and index == 1:
        return "text"
    if last == "parametrize" and index == 1:
        first = call.args[0]
        return _named(names, str(first.value) if isinstance(first, ast.Constant) else "")
    if last in _GETTERS:
        key = call.args[-2] if index and len(call.args) > 1 else None
        if index == 0:
            return "key"
        return _named(names, str(key.value) if isinstance(key, ast.Constant) else "")
    if method in ("startswith", "endswith", "split", "replace", "find", "count", "removeprefix"):
        return _subject_or_other(file, call.func, scope, names)
    return "other"


def _subject_or_other(
    file: PythonFile, func: ast.expr, scope: Scope, names: re.Pattern[str]
) -> Role:
    holder = func.value if isinstance(func, ast.Attribute) else func
    return "subject" if _is_subject(file, holder, scope, names) else "other"


def _is_text_call(file: PythonFile, call: ast.Call, scope: Scope) -> bool:
    if isinstance(file.parent(call), ast.Raise):
        return True
    if isinstance(call.func, ast.Attribute) and _TEXT_METHODS.fullmatch(call.func.attr):
        return True
    return _TEXT_CALLS.fullmatch(file.qualified(call.func, scope)) is not None


def _role_in_comparison(
    file: PythonFile, node: ast.Compare, child: ast.AST, scope: Scope, names: re.Pattern[str]
) -> Role:
    others = [part for part in (node.left, *node.comparators) if part is not child]
    if any(_is_subject(file, part, scope, names) for part in others):
        return "subject"
    contains = isinstance(node.ops[0], ast.In | ast.NotIn)
    if (
        contains
        and child is node.left
        and not isinstance(others[0], ast.Tuple | ast.List | ast.Set)
    ):
        return "key"
    return "other"


def _is_subject(file: PythonFile, node: ast.expr, scope: Scope, names: re.Pattern[str]) -> bool:
    if names is DEVICE:
        if file.kinds.of(node, scope) == "device":
            return True
        if isinstance(node, ast.Attribute) and node.attr == "type":
            return _is_subject(file, node.value, scope, names)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            values = {part.value for part in node.elts if isinstance(part, ast.Constant)}
            return bool(values & _OTHER_DEVICES)
    return bool(names.search(last_name(node)))
