"""The names that msprobe gives to calls, and what they say."""

from __future__ import annotations

import re
from typing import NamedTuple

PHASES = ("forward", "backward", "parameters_grad")
_ROLES = {"input": "input", "output": "output", "parameters": "parameter", "kwargs": "input"}
_VALUE = re.compile(
    r"^(?P<call>.+?\.(?:forward|backward)(?:\.\d+)?)\.(?P<role>input|output|parameters|kwargs)"
    r"(?:\.(?P<place>.+))?$"
)
_GRAD = re.compile(r"^(?P<call>.+?\.parameters_grad(?:\.\d+)?)(?:\.(?P<place>.+))?$")


class CallName(NamedTuple):
    """The parts of a call's name."""

    api: str
    number: int
    phase: str
    module: str = ""


def parse_call(name: str) -> CallName:
    """Take a call's name apart.

    Operators are `{type}.{api}.{number}.{phase}`, modules `Module.{path}.{class}.{phase}.{number}`;
    older dumps leave the number of `parameters_grad` away.
    """
    parts = name.split(".")
    last = parts[-1]
    if last == "debug":
        number = int(parts[-2]) if len(parts) > 2 and parts[-2].isdigit() else -1
        return CallName(".".join(parts[: -2 if number >= 0 else -1]), number, "debug")
    if len(parts) > 3 and parts[-2] in PHASES and last.isdigit():
        return _module(parts[1:-2], int(last), parts[-2])
    if last == "parameters_grad" and len(parts) > 2:
        return _module(parts[1:-1], -1, last)
    if last in PHASES and len(parts) > 2 and parts[-2].isdigit():
        return CallName(".".join(parts[:-2]), int(parts[-2]), last)
    return CallName(name, -1, "")


def _module(parts: list[str], number: int, phase: str) -> CallName:
    path = ".".join(parts[:-1]) or parts[-1]
    return CallName(parts[-1], number, phase, path)


def parse_value(name: str) -> tuple[str, str, str] | None:
    """Split the name of a value into call, role and place; None when it is none."""
    if match := _VALUE.match(name):
        return match["call"], _ROLES[match["role"]], match["place"] or "0"
    if match := _GRAD.match(name):
        return match["call"], "parameter_grad", match["place"] or "0"
    return None
