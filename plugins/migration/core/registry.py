"""All rules, and which function looks at which kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from plugins.migration.core import configs, native, requirements, shell
from plugins.migration.core.guide import rules as guide
from plugins.migration.core.rules import (
    around,
    awareness,
    backends,
    calls,
    compiling,
    devices,
    distributed,
    environment,
    fused,
    imports,
    insertion,
    integers,
    launches,
    libraries,
    names,
    operators,
    precision,
    profiling,
    shim,
    support,
    unreadable,
    user,
)

if TYPE_CHECKING:
    import ast
    from types import ModuleType

    from plugins.migration.core.model import Rule

Handler = Callable[..., None]
Handlers = Mapping["type[ast.AST]", tuple[Handler, ...]]

FAMILIES: tuple[ModuleType, ...] = (
    insertion, imports, names, backends, calls, devices, integers, distributed, environment,
    libraries, profiling, support, fused, precision, compiling, operators, launches, around, user,
    shim, awareness, unreadable,
)  # fmt: skip
"""What looks at Python code, in the order in which it looks."""

OTHERS: tuple[ModuleType, ...] = (shell, configs, requirements, native, guide)
"""What looks at other files, or is asked for."""


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule by its id."""
    found: list[Rule] = [rule for family in (*FAMILIES, *OTHERS) for rule in family.RULES]
    return {rule.id: rule for rule in found}


@cache
def handlers() -> tuple[Handlers, Handlers]:
    """The functions to run at each node of a type, and those to run after all of them."""
    return _merged("HANDLERS"), _merged("LATE_HANDLERS")


@cache
def words(name: str) -> frozenset[str]:
    """The words that families look for wherever they stand: `MEMBERS` behind a dot, `CALLED`."""
    return frozenset(word for family in FAMILIES for word in getattr(family, name, ()))


def _merged(name: str) -> Handlers:
    merged: dict[type[ast.AST], tuple[Any, ...]] = {}
    for family in FAMILIES:
        for kind, functions in getattr(family, name, {}).items():
            merged[kind] = (*merged.get(kind, ()), *functions)
    return merged
