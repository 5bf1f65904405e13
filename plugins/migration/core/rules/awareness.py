"""Code that knows NPUs already, beside CUDA: it is left alone."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from studio.model.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugins.migration.core.model import Hit, Site, Span
    from plugins.migration.core.source import PythonFile

AWARE = Rule(
    "npu-aware",
    "This code knows NPUs already and was left alone",
    "It chooses between NPUs and GPUs itself; changing its branches for GPUs would break that. "
    "Places left alone: {count}.",
    "file",
    "info",
    Severity.HINT,
    before="import torch\nimport torch_npu\nif torch.npu.is_available():\n    torch.npu.init()\n"
    "else:\n    torch.cuda.init()\n",
    after="import torch\nimport torch_npu\nif torch.npu.is_available():\n    torch.npu.init()\n"
    "else:\n    torch.cuda.init()\n",
)
RULES = (AWARE,)

_PROBE = re.compile(
    r"\b(?:is|has|_is|_has)_(?:torch_)?npu(?:_is)?_?(?:available|supported|enabled)?\b"
)
_NPU = re.compile(r"(?<![a-z])npu(?![a-z])", re.IGNORECASE)
_PLAIN_FLAG = re.compile(r"\.is_npu\b")
_ALWAYS_TOLD = frozenset(["library", "custom_op", "environment"])
_CHOOSING = (ast.IfExp, ast.Dict)
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def keep_aware_code(file: PythonFile, categories: Mapping[str, str]) -> None:
    """Drop the hits in code that is meant for GPUs beside code for NPUs, and note their places."""
    lowered = file.lowered
    beside = [file.span(node) for node in file.beside_npu if isinstance(node, ast.expr)]
    if lowered.count("npu") == lowered.count("inpu") or not (file.hits or file.sites or beside):
        return
    if not _NPU.search(file.text):
        return
    asking = _Asking(file)
    branches = [span for node in _deciding(file) for span in _branches(asking, node)]
    everything = [(0, len(file.text))] if knows_npus(file) else []
    left = [
        hit
        for hit in file.hits
        if (categories[hit.rule] not in _ALWAYS_TOLD and _inside(hit, everything or branches))
        or (categories[hit.rule] == "environment" and _inside(hit, branches))
    ]
    file.left = list(dict.fromkeys([*((hit.start, hit.end) for hit in left), *sorted(beside)]))
    file.hits = [hit for hit in file.hits if hit not in left]
    for sites in file.sites.values():
        sites[:] = (one._replace(aware=_inside(one, everything or branches)) for one in sites)


def knows_npus(file: PythonFile) -> bool:
    """Whether the file asks a library for NPUs, which our own rewriting never makes it do."""
    if not _PROBE.search(_PLAIN_FLAG.sub("", file.text)):
        return False
    for node in ast.walk(file.tree):
        name = node.id if isinstance(node, ast.Name) else ""
        if isinstance(node, ast.Attribute) and node.attr != "is_npu":
            name = node.attr
        if isinstance(node, ast.alias):
            name = node.name
        if name and _PROBE.fullmatch(name):
            return True
    return False


def _inside(hit: Hit | Site, spans: list[Span]) -> bool:
    return any(start <= hit.start and hit.end <= end for start, end in spans)


def _deciding(file: PythonFile) -> Iterator[ast.AST]:
    """The statements of a file, and the expressions in those looked at that can choose a device."""
    todo: list[ast.AST] = [file.tree]
    while todo:
        node = todo.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                todo.extend(inner)
    yield from (node for node in file.parents if isinstance(node, _CHOOSING))


class _Asking:
    """Tells which tests ask for NPUs; those on lines without the word do not."""

    def __init__(self, file: PythonFile) -> None:
        self.file = file
        words = re.finditer("npu", file.text, re.IGNORECASE)
        self._lines = {file.positions.place(word.start())[0] for word in words}

    def side(self, test: ast.expr) -> int:
        """1 if a test is true on NPUs, -1 if it is false there, 0 if it does not ask."""
        lines = range(test.lineno, (test.end_lineno or test.lineno) + 1)
        return 0 if self._lines.isdisjoint(lines) else _asks_for_npu(test)


def _branches(asking: _Asking, node: ast.AST) -> Iterator[Span]:
    """The spans that run only where there is no NPU."""
    file = asking.file
    if isinstance(node, ast.IfExp):
        if side := asking.side(node.test):
            yield file.span(node.orelse if side > 0 else node.body)
    elif isinstance(node, ast.If):
        side = asking.side(node.test)
        if side > 0 and node.orelse:
            yield _extent(file, node.orelse)
        elif side < 0:
            yield _extent(file, node.body)
        elif _chain_asks(asking, node):
            yield file.span(node.test)
            yield _extent(file, node.body)
    elif isinstance(node, ast.Dict):
        yield from _entries_for_gpus(file, node)
    for body in _bodies(node):
        for index, statement in enumerate(body[:-1]):
            if isinstance(statement, ast.If) and _leaves_with_npu(asking, statement):
                yield _extent(file, body[index + 1 :])


def _entries_for_gpus(file: PythonFile, node: ast.Dict) -> Iterator[Span]:
    """The entries for GPUs of a table that has one for NPUs."""
    keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
    if "npu" in keys:
        for key, value in zip(keys, node.values, strict=True):
            if key == "cuda":
                yield file.span(value)


def _asks_for_npu(test: ast.expr) -> int:
    """As above, by what stands in the test."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return -_asks_for_npu(test.operand)
    for part in ast.walk(test):
        if isinstance(part, ast.Constant) and part.value == "npu":
            compare = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq)
            return -1 if compare else 1
        name = part.id if isinstance(part, ast.Name) else getattr(part, "attr", "")
        if "npu" in re.split(r"[_\d]+", name.lower()):
            return 1
    return 0


def _chain_asks(asking: _Asking, node: ast.If) -> bool:
    """Whether a later branch of an if/elif chain asks for an NPU."""
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        if asking.side(node.test) > 0:
            return True
    return False


def _leaves_with_npu(asking: _Asking, statement: ast.If) -> bool:
    leaves = not statement.orelse and isinstance(statement.body[-1], _LEAVING)
    return leaves and asking.side(statement.test) > 0


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield body


def _extent(file: PythonFile, body: list[ast.stmt]) -> Span:
    return file.span(body[0])[0], file.span(body[-1])[1]
