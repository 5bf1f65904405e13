"""The recognised items, grouped by kind, each with the facts that tell it from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr, trn
from studio.ui.groups import Group, Line
from studio.ui.text import NOT_RECORDED, format_bytes, thousands

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
        if not words or _has_words(project, item, words):
            by_kind.setdefault(item.kind, []).append(item)
    order = {kind: number for number, kind in enumerate(kinds)}
    groups = []
    for kind in sorted(by_kind, key=lambda kind: order.get(kind, len(order))):
        title, icon = kinds.get(kind, (kind, "file"))
        line = Line(title, icon, "accent", badge=(thousands(len(by_kind[kind])), "muted"))
        groups.append(Group(kind, line, by_kind[kind]))
    return groups


def _has_words(project: Project, item: Item, words: Sequence[str]) -> bool:
    text = f"{project.relative(item.path)} {facts_text(item)}".casefold()
    return all(word in text for word in words)


def item_line(project: Project, kinds: Kinds, item: Item) -> Line:
    """How one item is shown: its name, its folder and its facts."""
    relative = project.relative(item.path)
    folder = relative.rpartition("/")[0]
    detail = "  ".join(filter(None, (facts_text(item), folder)))
    _, icon = kinds.get(item.kind, ("", "file"))
    tip = f"{item.path}\n{all_facts(item)}".strip()
    return Line(item.path.name, icon, "muted", detail, tip=tip)


def facts_text(item: Item) -> str:
    """The facts that tell an item from others of its kind, in a few words: rank 0 · PyTorch."""
    told = [text for key in _in_order(item) if (text := _fact(key, item.facts[key]))]
    rank, total = item.facts.get("rank"), item.facts.get("world_size")
    if rank is not None and total is not None:
        told[0] = tr("rank {n} of {total}", n=rank, total=total)
    return " · ".join(told[:_FACTS])


def all_facts(item: Item) -> str:
    """Every fact, one per line."""
    return "\n".join(
        f"{tr(key.replace('_', ' '))}: {_value(item.facts[key])}" for key in item.facts
    )


def _in_order(item: Item) -> list[str]:
    return sorted(item.facts, key=lambda key: (key != "rank", key == "bytes"))


def _fact(key: str, value: FactValue) -> str:
    if value is None or value == "" or isinstance(value, bool):
        return ""
    if key == "rank":
        return tr("rank {n}", n=value)
    if key == "bytes" and isinstance(value, int):
        return format_bytes(value, 3)
    if key == "tensors" and isinstance(value, int):
        return trn("{n} tensor", "{n} tensors", value)
    if key == "world_size":
        return ""
    if key == "MiB":
        return f"{value} MiB"
    if isinstance(value, str):
        return tr(value)
    name = tr(key.replace("_", " "))
    return f"{name} {thousands(value) if isinstance(value, int) else value}"


def _value(value: FactValue) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if value is None:
        return NOT_RECORDED
    return thousands(value) if isinstance(value, int) else str(value)


def count_text(items: Sequence[Item]) -> str:
    """How many items there are."""
    return trn("{n} item", "{n} items", len(items))
