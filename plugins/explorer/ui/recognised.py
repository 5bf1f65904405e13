"""The recognised items, grouped by kind, each with the facts that tell it from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr, trn
from studio.ui.groups import Group, Line
from studio.ui.text import format_bytes, thousands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.model.items import FactValue, Item
    from studio.model.project import Project

Kinds = dict[str, tuple[str, str]]
_FACTS = 3


def group_items(project: Project, kinds: Kinds, filter_text: str) -> list[Group[Item]]:
    """Items by kind in the order in which the plugins declare the kinds, filtered by words."""
    words = filter_text.casefold().split()
    by_kind: dict[str, list[Item]] = {}
    for item in project.items:
        name = f"{project.relative(item.path)} {facts_text(item)}".casefold()
        if all(word in name for word in words):
            by_kind.setdefault(item.kind, []).append(item)
    order = {kind: number for number, kind in enumerate(kinds)}
    groups = []
    for kind in sorted(by_kind, key=lambda kind: order.get(kind, len(order))):
        title, icon = kinds.get(kind, (kind, "file"))
        line = Line(title, icon, "accent", badge=(thousands(len(by_kind[kind])), "muted"))
        groups.append(Group(kind, line, by_kind[kind]))
    return groups


def item_line(project: Project, kinds: Kinds, item: Item) -> Line:
    """How one item is shown: its name, its folder and its facts."""
    relative = project.relative(item.path)
    folder, _, name = relative.rpartition("/")
    detail = "  ".join(filter(None, (facts_text(item), folder)))
    _, icon = kinds.get(item.kind, ("", "file"))
    return Line(name, icon, "muted", detail, tip=f"{item.path}\n{facts_text(item, 99)}".strip())


def facts_text(item: Item, limit: int = _FACTS) -> str:
    """The facts of an item in a few words: rank 0 · pytorch."""
    told = [text for key, value in item.facts.items() if (text := _fact(key, value))]
    return " · ".join(told[:limit])


def _fact(key: str, value: FactValue) -> str:
    if value is None or value == "" or value is False:
        return ""
    if key == "rank":
        return tr("rank {n}", n=value)
    if isinstance(value, int) and key in ("bytes", "size") and not isinstance(value, bool):
        return format_bytes(value)
    if isinstance(value, str):
        return tr(value)
    name = tr(key.replace("_", " "))
    if value is True:
        return name
    return f"{name} {thousands(value) if isinstance(value, int) else value}"


def count_text(items: Sequence[Item]) -> str:
    """How many items there are."""
    return trn("{n} item", "{n} items", len(items))
