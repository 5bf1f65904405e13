"""Frames of recorded call stacks, as profilers and Python write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

# torch_npu and Kineto: "/home/x/train.py(91): forward"; "nn.Module: Conv2d_0" names no line.
_PROFILER = re.compile(
    r"\s*(?P<path>.*?(?:[/\\].*?|\.\w+))\((?P<line>\d+)\)(?::\s*(?P<name>.*?))?\s*;?\s*$"
)
# Python: '  File "train.py", line 3, in forward'.
_TRACEBACK = re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.*?))?\s*$')
# Compilers and others: "train.py:91" and "train.py:91: forward".
_COLON = re.compile(
    r"\s*(?P<path>(?:[A-Za-z]:)?[^:\r\n]+\.\w+):(?P<line>\d+)(?::\s*(?P<name>.*?))?\s*;?\s*$"
)
_SEPARATOR = re.compile(r";[ \t]*(?:\r\n|\n|\r)?|\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a call stack: a file as its machine named it, a line from 1, a function."""

    path: str
    line: int
    function: str = ""


def parse_frame(text: str) -> Frame | None:
    """Read one frame; None for what names no source line."""
    for pattern in (_TRACEBACK, _PROFILER, _COLON):
        if match := pattern.match(text):
            path = match["path"].strip()
            if path.startswith("<") or int(match["line"]) < 1:
                return None
            return Frame(path, int(match["line"]), match["name"] or "")
    return None


def parse_stack(text: str) -> list[Frame]:
    """Read a recorded call stack, in its own order, leaving out what names no source line."""
    return [frame for part in _SEPARATOR.split(text) if (frame := parse_frame(part))]
