"""The line `import torch_npu`, once, right after the first import of torch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.migration.core.scopes import Import
    from plugins.migration.core.source import PythonFile

IMPORT_NPU = Rule(
    "import-torch-npu",
    "Import torch_npu",
    "Importing torch_npu makes torch know NPUs. The line is added with the first accepted change.",
    "import",
    "auto",
    before="import torch\ntorch.cuda.synchronize()\n",
    after="import torch\nimport torch_npu\ntorch.npu.synchronize()\n",
)
RULES = (IMPORT_NPU,)

_LINE = "import torch_npu"


def insert_import(file: PythonFile) -> None:
    """Propose the import if any change was proposed and torch is imported at run time."""
    if not any(hit.changes for hit in file.hits):
        return
    needed, served = _places(file)
    changes = [_insertion(file, one.node, (_LINE,)) for one in needed if one not in served]
    if changes:
        first = next(one for one in needed if one not in served)
        file.hit(IMPORT_NPU.id, first.node, "auto", changes)


def insert_shim(file: PythonFile, line: str) -> list[tuple[int, int, str]]:
    """The changes that add a line behind the import of torch_npu, which is added if need be."""
    needed, served = _places(file)
    lines = {True: (line,), False: (_LINE, line)}
    return [_insertion(file, one.node, lines[one in served]) for one in needed]


def _places(file: PythonFile) -> tuple[list[Import], list[Import]]:
    """The imports of torch to follow, and those of them that need no import of torch_npu."""
    typing_only = _typing_only(file)
    running = [one for one in file.collected.imports if one.node not in typing_only]
    served = {one.scope for one in running if _loads(one.node, "torch_npu")}
    places = [one for one in running if _loads(one.node, "torch")]
    top = [one for one in places if one.scope.kind == "module"]
    chosen = top[:1] or _first_per_scope(places)
    return chosen, [one for one in chosen if served & {one.scope, file.names.module}]


def _loads(node: ast.Import | ast.ImportFrom, package: str) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == package for alias in node.names)
    return not node.level and (node.module or "").partition(".")[0] == package


def _first_per_scope(places: Iterable[Import]) -> list[Import]:
    first: dict[object, Import] = {}
    for one in places:
        first.setdefault(one.scope, one)
    return list(first.values())


def _typing_only(file: PythonFile) -> set[ast.AST]:
    """The nodes under `if TYPE_CHECKING:`, which do not run."""
    if "TYPE_CHECKING" not in file.text:
        return set()
    found: set[ast.AST] = set()
    for one in file.collected.statements:
        node = one.node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            found.update(part for statement in node.body for part in ast.walk(statement))
    return found


def _insertion(
    file: PythonFile, node: ast.Import | ast.ImportFrom, added: tuple[str, ...]
) -> tuple[int, int, str]:
    """Lines of their own behind the import; on a shared line, more parts of that line."""
    start, end = file.span(node)
    line = node.end_lineno or node.lineno
    line_start = file.positions.starts[node.lineno - 1]
    line_stop = file.positions.end_of_line(line)
    indent = file.text[line_start:start]
    rest = file.text[end:line_stop].strip()
    if indent.strip() or (rest and not rest.startswith("#")):
        if _early(file, node):
            return start, start, "".join(f"{one}; " for one in added)
        return end, end, "".join(f"; {one}" for one in added)
    line_end = file.positions.line_end(line)
    usual = file.positions.line_end(1) or "\n"
    if _early(file, node):
        text = "".join(f"{indent}{one}{line_end or usual}" for one in added)
        return line_start, line_start, text
    if line_end:
        after = line_stop + len(line_end)
        return after, after, "".join(f"{indent}{one}{line_end}" for one in added)
    return line_stop, line_stop, "".join(f"{usual}{indent}{one}" for one in added)


def _early(file: PythonFile, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether the statement itself will need torch_npu: `from torch import npu`."""
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "torch"
        and any(alias.name == "cuda" for alias in node.names)
    )
