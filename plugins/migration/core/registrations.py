"""Operators that C++ and CUDA sources register with torch, read without compiling them.

PYBIND11_MODULE makes a Python module, TORCH_LIBRARY a namespace of torch.ops; see "Custom C++ and
CUDA operators" in the manual of PyTorch.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BLOCK = re.compile(
    r"\b(?P<macro>PYBIND11_MODULE|TORCH_LIBRARY(?:_FRAGMENT|_IMPL)?)\s*\(\s*(?P<name>\w+)\s*,"
    r"\s*(?:\w+\s*,\s*)?(?P<variable>\w+)\s*\)\s*\{"
)
_OPERATOR = re.compile(
    r"\b(?P<variable>\w+)\s*\.\s*(?:def|impl)\s*\(\s*(?:TORCH_SELECTIVE_\w+\s*\(\s*)?"
    r"\"(?:\w+::)?(?P<name>\w+)"
)
_KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?\w[\w:<>, ]*?[\s*&]+(\w+)\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TORCH = re.compile(r"\bTORCH_|\btorch\b|\bat::|\bATen/|\bc10\b")
_MOST_SHOWN = 8
BUILD_NAME = "TORCH_EXTENSION_NAME"
"""The name that whoever builds an extension gives its module."""


class Registered(NamedTuple):
    """What one macro registers: a module or a namespace of torch.ops, with its operators."""

    is_module: bool
    name: str
    operators: tuple[str, ...]
    start: int


def without_comments(text: str) -> str:
    """The code of a source with blanks in place of its comments."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def speaks_of_torch(code: str) -> bool:
    """Whether code uses torch; other modules made with pybind11 have nothing to do with it."""
    return _TORCH.search(code) is not None


def kernels_of(code: str) -> list[str]:
    """The names of the kernels in code without comments."""
    return list(dict.fromkeys(_KERNEL.findall(code)))


def registered(code: str) -> list[Registered]:
    """What code without comments registers, one entry for each macro."""
    found = []
    for match in _BLOCK.finditer(code):
        body = code[match.end() : _closing(code, match.end())]
        names = [
            one["name"] for one in _OPERATOR.finditer(body) if one["variable"] == match["variable"]
        ]
        is_module = match["macro"] == "PYBIND11_MODULE"
        operators = tuple(dict.fromkeys(names))
        found.append(Registered(is_module, match["name"], operators, match.start()))
    return found


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Names as a text shows them, the first few of them."""
    shown = ", ".join(names[:_MOST_SHOWN]) or "–"
    return shown + (", …" if len(names) > _MOST_SHOWN else "")


def _closing(code: str, start: int) -> int:
    """The offset of the brace that closes the one before `start`; the end if there is none."""
    depth = 1
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|[{}]', code[start:]):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return start + match.start()
    return len(code)
