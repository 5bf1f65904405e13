"""Slices of a trace, and their args, as columns that the tables of `schema` take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.chrome_columns import ARG_NUMBER, ARG_TEXT
from studio.perf.frames import Coded, Known, coded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from studio.trace import Lane, Trace

    Indices = NDArray[np.int64]


@dataclass(frozen=True)
class SliceTable:
    """Reads chosen slices of a trace column by column."""

    trace: Trace

    @cached_property
    def categories(self) -> list[str]:
        """The categories in small letters."""
        return [text.casefold() for text in self.trace.categories]

    def lanes(self, rule: Callable[[Lane], bool]) -> list[Lane]:
        """The lanes with slices that fit a rule."""
        return [lane for lane in self.trace.lanes if lane.kind == "slices" and rule(lane)]

    def of_lanes(self, lanes: Iterable[Lane]) -> Indices:
        """All slices of some lanes that have an end, by start."""
        parts = [np.arange(lane.first, lane.last) for lane in lanes]
        return self.in_order(np.concatenate(parts) if parts else np.arange(0))

    def of_category(self, *names: str) -> Indices:
        """All slices of some categories, in any case, by start."""
        wanted = {name.casefold() for name in names}
        return self.in_order(np.flatnonzero(self._fits(self.categories, wanted.__contains__)))

    def where(self, chosen: Indices, rule: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Which of the chosen slices have a name that fits a rule; asked once per distinct name."""
        numbers = self.trace.name[chosen]
        distinct, place = np.unique(numbers, return_inverse=True)
        fits = [rule(self.trace.names[number]) for number in distinct.tolist()]
        return np.array(fits, np.bool_)[place] if len(fits) else np.zeros(0, np.bool_)

    def in_order(self, chosen: Indices) -> Indices:
        """Slices with an end, by start."""
        chosen = chosen[~self.trace.open_ended[chosen]]
        return chosen[np.argsort(self.trace.start[chosen], kind="stable")]

    def interval(self, chosen: Indices) -> dict[str, Any]:
        """Start and duration."""
        return {
            "start_ns": self.trace.start[chosen],
            "duration_ns": self.trace.duration[chosen],
        }

    def name(self, chosen: Indices, change: Callable[[str], str] | None = None) -> Coded:
        """Names, changed by a rule if one is given."""
        return _recoded(self.trace.name[chosen], self.trace.names, change)

    def category(self, chosen: Indices) -> Coded:
        """Categories in small letters."""
        return _recoded(self.trace.category[chosen], self.trace.categories, str.casefold)

    def thread(self, chosen: Indices) -> Coded:
        """Process and thread of each slice."""
        texts = [f"{lane.process}/{lane.thread}" for lane in self.trace.lanes]
        return _recoded(self.trace.lane[chosen], texts, None)

    def thread_names(self, chosen: Indices) -> NDArray[Any]:
        """Process and thread of each slice, one text each."""
        coded_texts = self.thread(chosen)
        found: NDArray[Any] = np.array([*coded_texts.texts, ""], object)[coded_texts.codes]
        return found

    def lane_number(self, chosen: Indices, numbers: dict[int, int]) -> Known:
        """A number for each slice by its lane, where the lane has one."""
        table = np.full(len(self.trace.lanes) + 1, -1, np.int64)
        for lane, number in numbers.items():
            table[lane] = number
        values = table[self.trace.lane[chosen]]
        return Known(np.maximum(values, 0), values >= 0)

    def number(self, chosen: Indices, *args: str) -> Known:
        """A whole number in the args, under the first of some names that a slice has it."""
        values = np.zeros(len(chosen), np.int64)
        known = np.zeros(len(chosen), np.bool_)
        for name in args:
            column = self.trace.arg_columns.get(name)
            if column is not None:
                found = (column.kind[chosen] == ARG_NUMBER) & ~known
                values[found] = column.values[chosen][found]
                known |= found
        return Known(values, known)

    def text(
        self, chosen: Indices, arg: str, change: Callable[[str], str] | None = None
    ) -> Coded | None:
        """A text in the args, changed by a rule if one is given; None when no slice has the arg."""
        column = self.trace.arg_columns.get(arg)
        if column is None:
            return None
        has = column.kind[chosen] == ARG_TEXT
        made = _recoded(np.where(has, column.values[chosen], 0), column.texts, change, has)
        numbers = np.flatnonzero(column.kind[chosen] == ARG_NUMBER)
        if not len(numbers):
            return made
        # a text of digits was read as a number
        texts = [*made.texts, ""]
        listed = [texts[code] for code in made.codes.tolist()]
        for place in numbers.tolist():
            text = str(int(column.values[chosen[place]]))
            listed[place] = change(text) if change else text
        return coded(listed)

    def _fits(self, texts: list[str], rule: Callable[[str], bool]) -> NDArray[np.bool_]:
        fits = np.array([rule(text) for text in texts] + [False], np.bool_)
        found: NDArray[np.bool_] = fits[self.trace.category]
        return found


def _recoded(
    numbers: NDArray[Any],
    texts: list[str],
    change: Callable[[str], str] | None,
    known: NDArray[np.bool_] | None = None,
) -> Coded:
    """Numbers of texts as numbers of only the distinct ones that occur."""
    distinct, place = np.unique(numbers, return_inverse=True)
    found = [texts[number] if number < len(texts) else "" for number in distinct.tolist()]
    made = coded([change(text) if change else text for text in found])
    codes = made.codes[place] if len(found) else np.zeros(0, np.int32)
    return Coded(
        codes if known is None else np.where(known, codes, -1).astype(np.int32), made.texts
    )
