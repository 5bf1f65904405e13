"""The few args that engines need of every event, and the numbers of a counter."""

from __future__ import annotations

import functools
from itertools import compress, repeat
from operator import is_not
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
        shape: Any = _shape(self._names)
        self._all: Final = msgspec.json.Decoder(list[shape])
        self._one: Final = msgspec.json.Decoder(shape)
        self._none: Any = shape()

    def columns(self, events: list[Event]) -> dict[str, NDArray[Any]]:
        """The columns of one batch."""
        if not self._names:
            return {}
        columns = zip(*map(msgspec.structs.astuple, self._rows(events)), strict=True)
        found: dict[str, NDArray[Any]] = {}
        for name, values in zip(self._names, columns, strict=True):
            found[f"arg:{name}"], found[f"kind:{name}"] = self._column(values)
        return found

    def _rows(self, events: list[Event]) -> list[Any]:
        try:
            return list(self._all.decode(b"[%b]" % b",".join([event.args for event in events])))
        except (msgspec.DecodeError, RecursionError):
            return [self._row(event) for event in events]

    def _row(self, event: Event) -> object:
        try:
            return self._one.decode(event.args)
        except (msgspec.DecodeError, RecursionError):
            return self._none

    def _column(self, values: tuple[Any, ...]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """One arg of all events; most events have few args, and values occur again and again."""
        numbers = np.zeros(len(values), np.int64)
        kinds = np.full(len(values), ARG_MISSING, np.uint8)
        if values.count(None) == len(values):
            return numbers, kinds
        known = np.fromiter(map(is_not, values, repeat(None)), np.bool_, len(values))
        present = list(compress(values, known.tolist()))
        types = set(map(type, present))
        if types == {int} and min(present) >= _SMALLEST and max(present) < _LARGEST:
            numbers[known] = present
            kinds[known] = ARG_NUMBER
            return numbers, kinds
        if types <= _WRITTEN:
            # in the order of first appearance, which numbers the texts
            written = [
                value if isinstance(value, str) else msgspec.json.encode(value).decode()
                for value in present
            ]
            codes = {text: self.coded(text) for text in dict.fromkeys(written)}
            pairs = [codes[text] for text in written]
        else:
            pairs = [self.coded(value) for value in present]
        numbers[known] = [number for number, _ in pairs]
        kinds[known] = [kind for _, kind in pairs]
        return numbers, kinds

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


@functools.lru_cache(maxsize=16)
def _shape(names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a class that is made here
    """The class of objects that have these args."""
    fields = [
        (f"arg{index}", Any, msgspec.field(name=name, default=None))
        for index, name in enumerate(names)
    ]
    return msgspec.defstruct("ChosenArgs", fields, gc=False)


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
