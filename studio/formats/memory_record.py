"""The columns of Ascend's memory_record.csv, by which such a table is known."""

from __future__ import annotations

from typing import Final

ALIASES: Final = {
    "component": ("component",),
    "time": ("timestamp", "time stamp", "time"),
    "allocated": ("total allocated", "total allocate memory", "allocated"),
    "reserved": ("total reserved", "total reserve memory", "reserved"),
    "active": ("total active", "total activated", "active"),
}
"""The names that a column has had, without unit and in small letters."""
