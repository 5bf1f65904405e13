"""Round steps for time axes, and times written as the reader of the axis needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS = (("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000))
"""Units of time and their length in nanoseconds."""

_APART = 110
_LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Axis:
    """Ticks every `step` nanoseconds from `origin`, `parts` smaller ones in each step.

    Deep inside a trace labels would be too long to read: they then count from `base`, which is to
    be shown once, and begin with a plus.
    """

    origin: int
    base: int
    step: int
    parts: int
    unit: str
    divisor: int

    def ticks(self, start: int, end: int) -> Iterator[int]:
        """Give the times of the ticks in `[start, end]`."""
        tick = self.origin + -(-(start - self.origin) // self.step) * self.step
        while tick <= end:
            yield tick
            tick += self.step

    def label(self, time: int) -> str:
        """Write the time of a tick with as many decimals as the step needs."""
        sign = "+" if self.base != self.origin else ""
        return f"{sign}{in_unit(time - self.base, self.divisor, self.decimals)} {self.unit}"

    @property
    def decimals(self) -> int:
        """How many decimals the labels have."""
        count, step = 0, self.step
        while step % self.divisor and count < 9:
            step, count = step * 10, count + 1
        return count

    @property
    def base_label(self) -> str:
        """The time that labels with a plus count from; "" when they count from the origin."""
        return "" if self.base == self.origin else exact(self.base - self.origin)


def make_axis(origin: int, start: int, end: int, width: float, unit: str = "") -> Axis:
    """Choose ticks about 110 pixels apart, and the unit that suits them unless one is given."""
    step, parts = _round_step((end - start) * _APART / max(width, 1.0))
    base = origin
    if abs(start - origin) // step >= _LONGEST:
        room = 10 ** len(str(end - start))
        base = origin + (start - origin) // room * room
    name, divisor = _unit(step, abs(end - base), unit)
    return Axis(origin, base, step, parts, name, divisor)


def in_unit(nanoseconds: int, divisor: int, decimals: int) -> str:
    """Write nanoseconds in a unit exactly, from the integer, with thin spaces between thousands."""
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), divisor)
    text = f"{whole:,}".replace(",", "\u2009")
    if not decimals:
        return sign + text
    digits = len(str(divisor)) - 1
    return f"{sign}{text}.{str(rest).zfill(digits)[:decimals].ljust(decimals, '0')}"


def exact(nanoseconds: int) -> str:
    """Write a time with all its digits in the unit that suits it: 148.786 100 ms as 148.7861 ms."""
    size = abs(nanoseconds)
    name, divisor = next(u for u in reversed(UNITS) if size >= u[1] or u[1] == 1)
    text = in_unit(nanoseconds, divisor, len(str(divisor)) - 1)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {name}"


def _round_step(least: float) -> tuple[int, int]:
    step = 1
    while True:
        for factor, parts in ((1, 10 if step > 1 else 1), (2, 4 if step > 1 else 2), (5, 5)):
            if step * factor >= least:
                return step * factor, parts
        step *= 10


def _unit(step: int, largest: int, unit: str) -> tuple[str, int]:
    for found in UNITS:
        if found[0] == unit:
            return found
    # the largest unit that needs few decimals for the step and is not far above the values
    fitting = [u for u in UNITS if u[1] <= max(largest, 1) and u[1] <= step * 1000]
    return fitting[-1] if fitting else UNITS[0]
