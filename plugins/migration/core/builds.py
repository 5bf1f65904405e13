"""Builds of extensions: calls of cpp_extension in Python, targets of CMake, and their sources."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from plugins.migration.core.collector import Collector
from plugins.migration.core.names import Names, last_name
from plugins.migration.core.parsing import Fault, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETUP = frozenset(["CUDAExtension", "CppExtension"])
_LOADING = "torch.utils.cpp_extension."
_SOURCE = re.compile(r"[^\s;\"']+\.(?:cu|cuh|cpp|cc|cxx|c)")
_TARGET = re.compile(
    r"^[ \t]*(?P<how>pybind11_add_module|(?:cuda_)?add_library|python_add_library)"
    r"\s*\(\s*(?P<name>[^\s()]+)(?P<rest>[^()]*)\)",
    re.IGNORECASE | re.MULTILINE,
)
_SET = re.compile(
    r"^[ \t]*(?:set\s*\(\s*|list\s*\(\s*APPEND\s+|file\s*\(\s*GLOB(?:_RECURSE)?\s+)"
    r"(?P<name>\w+)(?P<rest>[^()]*)\)",
    re.IGNORECASE | re.MULTILINE,
)
_VARIABLE = re.compile(r"\$\{(\w+)\}/?")
_BUILDER = "CUDAOpBuilder"
_BUILDER_FOR_NPUS = "NPUOpBuilder"
_DEEPEST = 4


class Build(NamedTuple):
    """A build of an extension: its name as far as it is plain, its sources, code in place of them.

    Sources may hold patterns (`*.cu`) and are meant from the folder of the file that holds the
    build. `start` is the offset of the name in a file for CMake; `builder` the class that builds.
    """

    name: str
    line: int
    sources: tuple[str, ...]
    code: str = ""
    start: int = 0
    builder: str = ""


def builds_in_python(text: str) -> list[Build]:
    """The builds that a Python file asks cpp_extension for."""
    tree = parse(text)
    if isinstance(tree, Fault):
        return []
    collected = Collector(tree)
    try:
        names = Names(collected, text)
        given = _assigned(tree)
        builds = [
            _build(node, names, given) if isinstance(node, ast.Call) else _builder(node, given)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call | ast.ClassDef)
        ]
        return [build for build in builds if build is not None]
    except RecursionError:
        return []
    finally:
        collected.release()


def built_name(node: ast.Call) -> str:
    """The plain name that a call gives the extension it builds, else ""."""
    named = [k.value for k in node.keywords if k.arg == "name"] + node.args[:1]
    if named and isinstance(named[0], ast.Constant) and isinstance(named[0].value, str):
        return named[0].value
    return ""


def builds_in_cmake(text: str) -> list[Build]:
    """The modules and libraries that a file for CMake builds of CUDA, or for torch."""
    plain = re.sub(r"#[^\n]*", lambda match: " " * len(match[0]), text)
    variables: dict[str, str] = {}
    for match in _SET.finditer(plain):
        variables[match["name"]] = f"{variables.get(match['name'], '')} {match['rest']}"
    for_torch = re.search(r"\bTorch\b|\bTORCH_LIBRARIES\b", plain) is not None
    found = []
    for match in _TARGET.finditer(plain):
        sources = tuple(dict.fromkeys(_SOURCE.findall(_expanded(match["rest"], variables))))
        of_cuda = any(name.endswith((".cu", ".cuh")) for name in sources)
        if sources and (of_cuda or for_torch or match["how"].lower().startswith("cuda")):
            name = _expanded(match["name"], variables).strip()
            line = plain.count("\n", 0, match.start("how")) + 1
            found.append(Build(name, line, sources, start=match.start("name")))
    return found


def _expanded(text: str, variables: dict[str, str], depth: int = 0) -> str:
    """A text of CMake with its variables filled in; unknown ones, such as folders, are dropped."""
    if depth > _DEEPEST or "${" not in text:
        return text
    filled = _VARIABLE.sub(lambda match: variables.get(match[1], ""), text)
    return _expanded(filled, variables, depth + 1)


def _build(node: ast.Call, names: Names, given: dict[str, list[ast.expr]]) -> Build | None:
    called = names.qualified(node.func, names.module)
    word = last_name(node.func)
    in_setup = word in _SETUP and (not called or called.startswith(_LOADING))
    loaded = called in (f"{_LOADING}load", f"{_LOADING}load_inline")
    if not in_setup and not loaded:
        return None
    options = {keyword.arg: keyword.value for keyword in node.keywords}
    first = options.get("name", node.args[0] if node.args else None)
    name = next(_texts(first, given), "") if first is not None else ""
    second = options.get("sources", node.args[1] if len(node.args) > 1 else None)
    texts = list(_texts(second, given)) if second is not None else []
    if called.endswith(".load_inline"):
        parts = (options.get("cpp_sources", second), options.get("cuda_sources"))
        bodies = [text for part in parts if part is not None for text in _texts(part, given)]
        functions = list(_texts(options["functions"], given)) if "functions" in options else []
        made = "".join(f'm.def("{one}", &{one});\n' for one in functions)
        code = "\n".join([*bodies, f"PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ {made} }}"])
        return Build(name, node.lineno, (), code)
    sources = tuple(dict.fromkeys(text for text in texts if _SOURCE.fullmatch(text)))
    return Build(name, node.lineno, sources)


def _builder(node: ast.ClassDef, given: dict[str, list[ast.expr]]) -> Build | None:
    """The build of a class in the manner of DeepSpeed: `sources` and `absolute_name` tell of it.

    One without sources stands for a class that builds for NPUs, under the same name.
    """
    bases = {last_name(base) for base in node.bases}
    if _BUILDER_FOR_NPUS in bases:
        return Build("", node.lineno, (), builder=node.name)
    if _BUILDER not in bases:
        return None
    told = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    if "sources" not in told:
        return None
    texts = [text for value in _returned(told["sources"]) for text in _texts(value, given)]
    sources = tuple(dict.fromkeys(text for text in texts if _SOURCE.fullmatch(text)))
    if not sources:
        return None
    names = _returned(told["absolute_name"]) if "absolute_name" in told else []
    name = _filled(names[0], node) if names else ""
    return Build(name, node.lineno, sources, builder=node.name)


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    """The values that a function gives back."""
    returns = (part for part in ast.walk(function) if isinstance(part, ast.Return))
    return [one.value for one in returns if one.value is not None]


def _filled(node: ast.expr, owner: ast.ClassDef) -> str:
    """A text with texts of its class filled in (`f"ops.{self.NAME}_op"`), "" if it has others."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    known = {
        target.id: one.value.value
        for one in owner.body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    parts = [
        part.value if isinstance(part, ast.Constant) else known.get(last_name(part.value))
        for part in node.values
        if isinstance(part, ast.Constant | ast.FormattedValue)
    ]
    return "" if None in parts else "".join(map(str, parts))


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """What is assigned or added to each plain name, wherever in a file."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            adds = node.func.attr in ("append", "extend") and isinstance(node.func.value, ast.Name)
            if adds and node.args and isinstance(node.func.value, ast.Name):
                found.setdefault(node.func.value.id, []).extend(node.args)
    return found


def _texts(node: ast.expr, given: dict[str, list[ast.expr]], depth: int = 0) -> Iterator[str]:
    """The plain texts in an expression, those of the names it uses included, in their order."""
    if depth > _DEEPEST:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name):
        for value in given.get(node.id, ()):
            yield from _texts(value, given, depth + 1)
    elif isinstance(node, ast.Call) and last_name(node.func) == "join":
        parts = [one for one in node.args if isinstance(one, ast.Constant)]
        if parts:
            yield "/".join(str(part.value) for part in parts)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(p.value) for p in node.values if isinstance(p, ast.Constant)).lstrip("/")
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _texts(child, given, depth)
