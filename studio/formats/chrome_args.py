"""The few args that engines need of every event, and the numbers of a counter."""

from __future__ import annotations

import functools
from itertools import compress, repeat
from operator import attrgetter, is_not
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from studio.formats.chrome_columns import ARG_MISSING, ARG_NUMBER, ARG_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import Interner
    from studio.formats.chrome_event import Event

_SMALLEST, _LARGEST = -(2**63), 2**63
_WRITTEN: Final = frozenset({str, list})
"""Types whose values are told apart by their texts, and no text of a list is a number."""


class ArgColumns:
    """Reads chosen args of every event of a batch into two columns each.

    For an arg `stream` these are `arg:stream` (int64: the number, or the number of a text) and
    `kind:stream` (`ARG_MISSING`, `ARG_NUMBER` or `ARG_TEXT`).
    """

    def __init__(self, names: Sequence[str], texts: Interner) -> None:
        self._names = tuple(names)
        self._texts = texts
        self._written: frozenset[str] = frozenset()
        """Args that were texts or lists so far: they are told apart before they are decoded."""

    def columns(self, events: list[Event]) -> dict[str, NDArray[Any]]:
        """The columns of one batch."""
        if not self._names:
            return {}
        try:
            columns = self._decoded(events)
        except (msgspec.DecodeError, RecursionError):
            one = _decoders(self._names, frozenset())[1]
            columns = _by_arg(self._names, [_row(one, event) for event in events])
        found: dict[str, NDArray[Any]] = {}
        written: set[str] = set()
        for name, values in columns.items():
            found[f"arg:{name}"], found[f"kind:{name}"], is_written = self._column(values)
            if is_written:
                written.add(name)
        self._written |= written
        return found

    def _decoded(self, events: list[Event]) -> dict[str, list[Any]]:
        """The values of each arg, None where an event has it not; raises what decoding raises."""
        text = b"[%b]" % b",".join([event.args for event in events])
        every = _decoders(self._names, self._written)[0]
        columns = _by_arg(self._names, every.decode(text))
        for name in self._written:
            raw = [None if value is None else bytes(value) for value in columns[name]]
            values = {each: each and msgspec.json.decode(each) for each in dict.fromkeys(raw)}
            columns[name] = [values[each] for each in raw]
        return columns

    def _column(self, values: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8], bool]:
        """One arg of all events, and whether all that have it have texts or lists.

        Most events have few args, and values occur again and again.
        """
        numbers = np.zeros(len(values), np.int64)
        kinds = np.full(len(values), ARG_MISSING, np.uint8)
        if values.count(None) == len(values):
            return numbers, kinds, False
        known = np.fromiter(map(is_not, values, repeat(None)), np.bool_, len(values))
        present = list(compress(values, known.tolist()))
        types = set(map(type, present))
        if types == {int} and min(present) >= _SMALLEST and max(present) < _LARGEST:
            numbers[known] = present
            kinds[known] = ARG_NUMBER
            return numbers, kinds, False
        if types <= _WRITTEN:
            # in the order of first appearance, which numbers the texts; equal ones that were told
            # apart before they were decoded are one object
            codes: dict[int, tuple[int, int]] = {}
            for value in present:
                if id(value) not in codes:
                    codes[id(value)] = self.coded(value)
            pairs = [codes[id(value)] for value in present]
        else:
            pairs = [self.coded(value) for value in present]
        numbers[known] = [number for number, _ in pairs]
        kinds[known] = [kind for _, kind in pairs]
        return numbers, kinds, types <= _WRITTEN

    def coded(self, value: object) -> tuple[int, int]:
        """The number of one value, and its kind."""
        if value is None:
            return 0, ARG_MISSING
        if type(value) is int and _SMALLEST <= value < _LARGEST:
            return value, ARG_NUMBER
        if isinstance(value, str) and len(value) < 19 and str_is_number(value):
            return int(value), ARG_NUMBER
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        return self._texts[text], ARG_TEXT


def _by_arg(names: tuple[str, ...], rows: list[Any]) -> dict[str, list[Any]]:
    return {name: list(map(attrgetter(f"arg{number}"), rows)) for number, name in enumerate(names)}


def _row(one: msgspec.json.Decoder[Any], event: Event) -> Any:  # noqa: ANN401 - a made class
    try:
        return one.decode(event.args)
    except (msgspec.DecodeError, RecursionError):
        return one.decode(b"{}")


@functools.lru_cache(maxsize=32)
def _decoders(
    names: tuple[str, ...], raw: frozenset[str]
) -> tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]:
    """Decoders of many objects, and of one, that have these args; some are left as they stand."""
    fields = [
        (
            f"arg{index}",
            msgspec.Raw if name in raw else Any,
            msgspec.field(name=name, default=None),
        )
        for index, name in enumerate(names)
    ]
    shape: Any = msgspec.defstruct("ChosenArgs", fields, gc=False)
    return msgspec.json.Decoder(list[shape]), msgspec.json.Decoder(shape)


def str_is_number(text: str) -> bool:
    """Whether a text is a whole number in its usual writing."""
    digits = text.removeprefix("-")
    return (
        digits.isdecimal()
        and digits.isascii()
        and (digits[0] != "0" or digits == "0")
        and text != "-0"
    )


def numbers_of(args: dict[str, Any]) -> tuple[list[tuple[str, float]], str]:
    """The curves of one counter event, and the accelerator (`acc_id`) they belong to.

    Ascend writes {"value": 3, "acc_id": 1}: the second is no curve but tells four curves apart.
    """
    accelerator = args.get("acc_id") if len(args) > 1 else None
    numbers = [
        (key, number)
        for key, value in args.items()
        if not (key == "acc_id" and accelerator is not None)
        and (number := _float(value)) is not None
    ]
    return numbers, "" if accelerator is None else str(accelerator)


def _float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if number - number == 0 else None
