"""How numbers, times, sizes and keys are written, the same in every view."""

from __future__ import annotations

import math

from PySide6.QtGui import QKeySequence

from studio.i18n import THIN as THIN
from studio.i18n import thousands as thousands

NOT_RECORDED = "–"
"""How a value is shown that the data does not hold."""

NOT_APPLICABLE = "n/a"
"""How a value is shown that cannot exist here; tables take this text for it."""


def format_number(value: float, digits: int = 4) -> str:
    """A number with at most `digits` significant digits, never in a form that hides its size."""
    if isinstance(value, int) and abs(value) < 10**digits:
        return thousands(value)
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 12 or magnitude < -5:
        return f"{value:.{digits - 1}e}"
    decimals = max(digits - 1 - magnitude, 0)
    text = f"{value:,.{decimals}f}".replace(",", THIN)
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_ns(nanoseconds: int, digits: int = 4, *, zeros: bool = False) -> str:
    """A duration in the unit that suits it, for overviews: 148.8 ms.

    In a list `zeros` keeps those at the end, so that 1.230 ms stands beside 2.454 ms.
    """
    size = abs(nanoseconds)
    units = ((1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s"))
    divisor, unit = next((entry for entry in units if size < 1000 * entry[0]), units[-1])
    if zeros and divisor > 1 and size < 1000 * divisor:
        number = size / divisor
        places = max(digits - len(str(int(number))), 0)
        return f"{nanoseconds / divisor:.{places}f} {unit}"
    return f"{_significant(nanoseconds, divisor, digits)} {unit}"


def exact_ns(nanoseconds: int) -> str:
    """A duration with all its digits in microseconds, from the integer itself: 148 786.100 µs."""
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{thousands(whole)}.{rest:03d} µs"


def format_bytes(size: int, digits: int = 4) -> str:
    """A size in binary units: 1.5 GiB."""
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    power = min(max(abs(size).bit_length() - 1, 0) // 10, len(units) - 1)
    return f"{_significant(size, 1 << (10 * power), digits)} {units[power]}"


def format_percent(fraction: float) -> str:
    """A share of one as a percentage: 12.3 %."""
    return f"{fraction * 100:.1f} %"


def literal(text: str) -> str:
    """A name for a button, tab or menu, where "&" would mark a letter."""
    return text.replace("&", "&&")


def native_keys(keys: str) -> str:
    """A portable key sequence as the user's platform writes it."""
    return QKeySequence(keys, QKeySequence.SequenceFormat.PortableText).toString(
        QKeySequence.SequenceFormat.NativeText
    )


def with_keys(title: str, keys: str) -> str:
    """The tool tip of something that a key also does: Fit the whole trace (F)."""
    plain = title.replace("&", "").rstrip("…")
    return f"{plain} ({native_keys(keys)})" if keys else plain


def _significant(value: int, divisor: int, digits: int) -> str:
    if divisor == 1:
        return thousands(value)
    return format_number(value / divisor, digits)
