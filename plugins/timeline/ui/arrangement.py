"""How a user arranges lanes: which are pinned, hidden, moved, and which text filters them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from plugins.timeline.ui.layout import Group, Track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

T = TypeVar("T", Group, Track)

GROUPS = ""
"""The key under which the order of processes is kept."""


@dataclass(frozen=True)
class Arrangement:
    """Keys of tracks and processes; whatever it does not name stands as in the trace."""

    pinned: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""

    def pin(self, key: str, on: bool) -> Arrangement:
        """Put a track at the end of the pinned ones, or back to its place."""
        rest = tuple(other for other in self.pinned if other != key)
        return replace(
            self, pinned=(*rest, key) if on else rest, hidden=self.hidden - {key if on else ""}
        )

    def hide(self, keys: Iterable[str]) -> Arrangement:
        """Take tracks or processes out of sight."""
        gone = frozenset(keys)
        kept = tuple(key for key in self.pinned if key not in gone)
        return replace(self, pinned=kept, hidden=self.hidden | gone)

    def show(self, keys: Iterable[str]) -> Arrangement:
        """Bring tracks or processes back, past any filter."""
        return replace(self, hidden=self.hidden - frozenset(keys), text="")

    def move(self, groups: Sequence[Group], key: str, before: str) -> Arrangement:
        """Put a process before another, or a track before one of its process; "": at the end."""
        if key in self.pinned:
            return replace(self, pinned=_moved(self.pinned, key, before))
        parent, present = _siblings(groups, key, self.order)
        return replace(self, order={**self.order, parent: _moved(present, key, before)})

    def values(self) -> dict[str, Any]:
        """Everything as plain values, to be kept."""
        return {
            "pinned": list(self.pinned),
            "hidden": sorted(self.hidden),
            "order": {parent: list(keys) for parent, keys in self.order.items()},
            "filter": self.text,
        }


def arrangement_of(values: Mapping[str, Any]) -> Arrangement:
    """Return to what was kept; whatever has another form is left out."""
    order = values.get("order")
    return Arrangement(
        tuple(_texts(values.get("pinned"))),
        frozenset(_texts(values.get("hidden"))),
        {str(parent): tuple(_texts(keys)) for parent, keys in order.items()}
        if isinstance(order, dict)
        else {},
        str(values.get("filter", "")),
    )


@dataclass(frozen=True)
class Arranged:
    """The tracks to be shown: pinned ones with their process, then the processes."""

    pinned: tuple[tuple[Group, Track], ...]
    groups: tuple[Group, ...]
    hidden: int
    """How many tracks are out of sight because they were hidden or filtered."""


def arrange(groups: Sequence[Group], wanted: Arrangement) -> Arranged:
    """Apply an arrangement to the processes of a trace."""
    words = wanted.text.casefold().split()
    places = {key: number for number, key in enumerate(wanted.pinned)}
    pinned: list[tuple[Group, Track]] = []
    shown: list[Group] = []
    hidden = 0
    for group in _ordered(groups, wanted.order.get(GROUPS, ())):
        kept = []
        for track in _ordered(group.tracks, wanted.order.get(group.key, ())):
            if track.key in places:
                pinned.append((group, track))
            elif wanted.hidden & {group.key, track.key} or not _matches(group, track, words):
                hidden += 1
            else:
                kept.append(track)
        if kept:
            shown.append(replace(group, tracks=tuple(kept)))
    pinned.sort(key=lambda pair: places[pair[1].key])
    return Arranged(tuple(pinned), tuple(shown), hidden)


def _matches(group: Group, track: Track, words: Sequence[str]) -> bool:
    text = f"{group.title} {group.labels} {track.title} {track.words}".casefold()
    return all(word in text for word in words)


def _siblings(
    groups: Sequence[Group], key: str, order: Mapping[str, tuple[str, ...]]
) -> tuple[str, list[str]]:
    """The key under which the order around a track or process is kept, and that order."""
    for group in groups:
        if any(track.key == key for track in group.tracks):
            tracks = _ordered(group.tracks, order.get(group.key, ()))
            return group.key, [track.key for track in tracks]
    return GROUPS, [group.key for group in _ordered(groups, order.get(GROUPS, ()))]


def _ordered(entries: Sequence[T], order: Sequence[str]) -> list[T]:
    """Entries that an order names stand as it says; the others keep their neighbours."""
    places = {key: number for number, key in enumerate(order)}
    known = sorted((e for e in entries if e.key in places), key=lambda e: places[e.key])
    following = iter(known)
    return [next(following) if entry.key in places else entry for entry in entries]


def _moved(keys: Sequence[str], key: str, before: str) -> tuple[str, ...]:
    rest = [other for other in keys if other != key]
    place = rest.index(before) if before in rest else len(rest)
    return (*rest[:place], key, *rest[place:])


def _texts(value: object) -> list[str]:
    return [str(entry) for entry in value] if isinstance(value, (list, tuple)) else []
