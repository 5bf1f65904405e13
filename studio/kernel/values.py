"""Check values against the type that a setting or an argument declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from studio.i18n import tr
from studio.kernel.schema import describe

if TYPE_CHECKING:
    from collections.abc import Mapping


class Declared(Protocol):
    """What settings and arguments have in common."""

    @property
    def type(self) -> str:
        """One of the type names of manifests."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words of type "choice"."""


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "bool": bool,
    "int": int,
    "float": (int, float),
    "list": (list, tuple),
}


def value_fault(declared: Declared, value: object) -> str:
    """Say what is wrong with a value, or "" when it is allowed."""
    wanted = _TYPES.get(declared.type, str)
    wrong_bool = isinstance(value, bool) and declared.type != "bool"
    if wrong_bool or not isinstance(value, wanted):
        return tr(
            "expected {wanted}, found {value}",
            wanted=_words(declared.type),
            value=describe(value),
        )
    if isinstance(value, (list, tuple)) and not all(isinstance(entry, str) for entry in value):
        return tr("expected {wanted}, found {value}", wanted=tr("a list of texts"), value=value)
    if declared.type == "choice" and value not in declared.choices:
        allowed = ", ".join(f'"{choice}"' for choice in declared.choices)
        return tr(
            "expected one of {allowed}, found {value}", allowed=allowed, value=describe(value)
        )
    return _range_fault(declared, value)


def _range_fault(declared: Declared, value: object) -> str:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    low, high = getattr(declared, "min", None), getattr(declared, "max", None)
    if value != value:
        return tr("must be a number")
    if low is not None and value < low:
        return tr("must be at least {limit}, found {value}", limit=low, value=value)
    if high is not None and value > high:
        return tr("must be at most {limit}, found {value}", limit=high, value=value)
    return ""


def _words(type_name: str) -> str:
    return {
        "bool": tr("true or false"),
        "int": tr("a whole number"),
        "float": tr("a number"),
        "list": tr("a list of texts"),
    }.get(type_name, tr("a text"))
