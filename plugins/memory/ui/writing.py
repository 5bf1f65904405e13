"""How curves of memory are named, coloured and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.text import THIN

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from plugins.memory.core import Curve, Peak
    from studio.ui.theme import Theme

UNITS = {"MiB": 1 << 20, "GiB": 1 << 30, "MB": 10**6, "GB": 10**9}
"""Units and their bytes."""

_HUES = {"PTA+GE": 0, "PTA": 5, "GE": 9, "APP": 11, "WORKSPACE": 10, "PyTorch": 0}
_HUES_BY_KIND = {"allocated": 0.0, "reserved": 0.4, "active": 0.25}


def kind_title(kind: str) -> str:
    """Name a kind of memory."""
    return {
        "allocated": tr("allocated"),
        "reserved": tr("reserved"),
        "active": tr("active"),
    }[kind]


def title_of(curve: Curve | Peak, several_devices: bool) -> str:
    """Name a curve: PTA allocated; with the device when there are several."""
    name = f"{curve.component} {kind_title(curve.kind)}"
    return f"{name} · {curve.device}" if several_devices and curve.device else name


def colour_of(theme: Theme, curve: Curve, device: int) -> QColor:
    """Give a component its hue; reserved memory is paler than what is allocated of it."""
    hue = _HUES.get(curve.component, 6) + device * 4
    colour = theme.category(hue)
    share = _HUES_BY_KIND[curve.kind]
    ground = theme.colour("muted")
    channels = (
        round(getattr(colour, name)() * (1 - share) + getattr(ground, name)() * share)
        for name in ("red", "green", "blue")
    )
    mixed = type(colour)(*channels)
    return mixed


def both_units(size: float) -> str:
    """Write bytes exactly in MiB, and readably in GiB: 77 584.00 MiB (75.77 GiB)."""
    mebibytes = f"{size / UNITS['MiB']:,.2f}".replace(",", THIN)
    return f"{mebibytes} MiB ({size / UNITS['GiB']:.2f} GiB)"


def written(size: float, unit: str) -> str:
    """Write bytes in a unit, with all digits that a file can hold."""
    text = f"{size / UNITS[unit]:,.{3 if unit.startswith('M') else 4}f}"
    return f"{text.replace(',', THIN)} {unit}"
