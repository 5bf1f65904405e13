"""The extensions of a project: what builds them, of which sources, and what operators they bring.

A build (setup.py, CMake, cpp_extension.load) names an extension and its sources; the sources say
which operators it registers. Python code that uses it is judged by what is found here.
"""

from __future__ import annotations

import re
import stat
from fnmatch import fnmatch
from functools import lru_cache
from typing import TYPE_CHECKING

from plugins.migration.core.builds import Build, builds_in_cmake, builds_in_python
from plugins.migration.core.model import Extension
from plugins.migration.core.registrations import (
    BUILD_NAME,
    kernels_of,
    registered,
    speaks_of_torch,
    without_comments,
)
from studio.model.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_NATIVE = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c")
_LARGEST = 2_000_000
_REGISTERS = re.compile(rb"PYBIND11_MODULE|TORCH_LIBRARY")
_BUILDS = re.compile(
    rb"\b(?:CUDAExtension|CppExtension|load_inline)\s*\(|\bcpp_extension\.load\b"
    rb"|\bclass\s+\w+\((?:CUDA|NPU)OpBuilder\b"
    rb"|\bcpp_extension\b[^\n]*\bimport\b[^\n]*(?:\bload|\()|\bcpp_extension\s+as\b"
)
_BUILD_WORDS = (b"cpp_extension", b"Extension", b"load_inline", b"OpBuilder")
_TARGETS = re.compile(rb"pybind11_add_module|add_library", re.IGNORECASE)
_ANYTHING = re.compile(rb"")


def extensions_of(root: Path, paths: Iterable[Path]) -> tuple[Extension, ...]:
    """The extensions that a project builds, and what its sources register without a build."""
    folder = root if root.is_dir() else root.parent
    builds: list[tuple[str, Build]] = []
    sources: dict[str, str] = {}
    for path in paths:
        if not path.is_relative_to(folder):
            continue
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".py" and (text := _text(path, _BUILDS)):
            builds += [(name, build) for build in _builds(text)]
        elif path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            if text := _text(path, _TARGETS):
                builds += [(name, build) for build in builds_in_cmake(text)]
        elif path.suffix in _NATIVE:
            sources[name] = ""
            if path.suffix in (".cu", ".cuh"):
                sources[name] = without_comments(_text(path, _ANYTHING))
            elif text := _text(path, _REGISTERS):
                sources[name] = without_comments(text)
    ready = {build.builder for _, build in builds if build.builder and not build.sources}
    found = [_built(place, build, sources) for place, build in builds if build.builder not in ready]
    known = {name for extension in found for name in extension.sources}
    found += [
        extension
        for name, code in sources.items()
        if name not in known
        for extension in _unbuilt(name, code)
    ]
    return tuple(extension for extension in found if extension.operators or extension.kernels)


def extension_of(name: str, extensions: tuple[Extension, ...]) -> tuple[Extension, str] | None:
    """The extension that a dotted name leads into, and what it names there ("" for itself)."""
    wanted = name.lstrip(".")
    for one in extensions:
        known = one.name
        if name.startswith("."):  # `from . import _C`: only the end of the name is known
            known = known.rpartition(".")[2]
        if known and f"{wanted}.".startswith(f"{known}."):
            return one, wanted[len(known) + 1 :]
    return None


def speaks_of(data: bytes, extensions: tuple[Extension, ...]) -> bool:
    """Whether the name of an extension stands in the content of a file."""
    return any(
        (one.name and one.name.rpartition(".")[2].encode() in data)
        or (one.builder and one.builder.encode() in data)
        for one in extensions
    )


def operator_of(name: str, extensions: tuple[Extension, ...]) -> Extension | None:
    """The extension that registers an operator of torch.ops, such as `torch.ops.mine.add`."""
    words = name.split(".")[2:4]
    wanted = "::".join(words)
    return next((one for one in extensions if wanted in one.operators), None)


def _built(place: str, build: Build, sources: Mapping[str, str]) -> Extension:
    folder = place.rpartition("/")[0]
    names = [name for wanted in build.sources for name in _found(wanted, folder, sources)]
    codes = [*(sources[name] for name in dict.fromkeys(names)), without_comments(build.code)]
    operators = [name for code in codes for name in _operators(code)]
    kernels = [name for code in codes for name in kernels_of(code)]
    return Extension(
        build.name.lstrip("."),
        f"{place}:{build.line}",
        tuple(dict.fromkeys(names)) or build.sources or (place,),
        tuple(dict.fromkeys(operators)),
        tuple(dict.fromkeys(kernels)),
        build.builder,
    )


def _unbuilt(place: str, code: str) -> list[Extension]:
    """What a source registers that no build is seen for: its modules, and all for torch.ops."""
    kernels = tuple(kernels_of(code))
    found: dict[str, Extension] = {}
    for one in registered(code):
        if one.is_module and (one.name == BUILD_NAME or not (kernels or speaks_of_torch(code))):
            continue  # named elsewhere, or a module that has nothing to do with torch
        name = one.name if one.is_module else ""
        line = code.count("\n", 0, one.start) + 1
        known = found.get(name, Extension(name, f"{place}:{line}", (place,), (), kernels))
        operators = one.operators if one.is_module else _named(one.name, one.operators)
        both = dict.fromkeys([*known.operators, *operators])
        found[name] = known._replace(operators=tuple(both))
    return list(found.values())


def _operators(code: str) -> list[str]:
    """The operators that code registers: those of modules plain, others as `namespace::name`."""
    return [
        name
        for one in registered(code)
        for name in (one.operators if one.is_module else _named(one.name, one.operators))
    ]


def _named(namespace: str, operators: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{namespace}::{name}" for name in operators)


def _found(wanted: str, folder: str, sources: Mapping[str, str]) -> list[str]:
    """The sources a build means: below its folder or one around it, else by the end of the path."""
    plain = wanted.lstrip("./")
    full = f"{folder}/{plain}" if folder else plain
    words = folder.split("/") if folder else []
    for count in range(len(words), -1, -1):
        near = "/".join([*words[:count], plain])
        if near in sources:
            return [near]
    if "*" in plain:
        below = [name for name in sources if fnmatch(name, full)]
        return below or [name for name in sources if fnmatch(name, f"*/{plain}")]
    ends = [name for name in sources if name == plain or name.endswith(f"/{plain}")]
    return ends if len(ends) == 1 else []


@lru_cache(maxsize=32)
def _builds(text: str) -> list[Build]:
    """The builds of a file, which are asked for at each scan."""
    return builds_in_python(text)


def _text(path: Path, pattern: re.Pattern[bytes]) -> str:
    """The text of a file in which a pattern is found, "" for others."""
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode) or known.st_size > _LARGEST:
            return ""  # reading a pipe or device may never end
        data = path.read_bytes()
    except OSError:
        return ""
    if pattern is _BUILDS and not any(word in data for word in _BUILD_WORDS):
        return ""  # many times as fast as the pattern
    return decode(data).text if pattern.search(data) else ""
