"""Items: the things recognised in a project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FactValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Item:
    """One recognised thing: a script, a trace, the memory records of a rank, a dump, a log.

    `kind` is the id that a plugin's scanner declares (such as "script" or "trace"); `facts` are
    what is known about the item without opening it as a whole (rank, framework, …).
    """

    path: Path
    kind: str
    facts: Mapping[str, FactValue] = field(default_factory=dict, compare=False, hash=False)
    plugin: str = ""
