"""Read TOML tables into frozen dataclasses, and collect every fault rather than the first only.

Each field of a declaration carries, as metadata, the check for the key of its name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from studio.i18n import tr
from studio.kernel.references import is_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


class CheckError(ValueError):
    """What is wrong with one value, as a sentence without a full stop; or the faults inside it."""

    def __init__(self, message: str, inner: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.inner = inner


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a manifest: the key it stands at, and what is wrong."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


@dataclass
class Faults:
    """The faults found so far in one file."""

    found: list[Fault] = field(default_factory=list)

    def add(self, key: str, message: str) -> None:
        """Note one fault."""
        self.found.append(Fault(key, message))


def checked(check: Callable[[Any], object]) -> dict[str, object]:
    """Return the field metadata that makes `check` read the key of that field."""
    return {"check": check}


def read_table(kind: type[T], table: object, where: str, faults: Faults) -> T | None:
    """Build a declaration from a TOML table; None when any of its keys is at fault."""
    if not isinstance(table, Mapping):
        faults.add(where, tr("expected a table, found {value}", value=describe(table)))
        return None
    before = len(faults.found)
    fields = {f.name: f for f in dataclasses.fields(kind) if "check" in f.metadata}  # type: ignore[arg-type]
    values: dict[str, object] = {}
    for name, declared in fields.items():
        key = f"{where}.{name}" if where else name
        if name in table:
            try:
                values[name] = declared.metadata["check"](table[name])
            except CheckError as error:
                for fault in error.inner or [Fault("", str(error))]:
                    faults.add(f"{key}{fault.key}", fault.message)
        elif (
            declared.default is dataclasses.MISSING
            and declared.default_factory is dataclasses.MISSING
        ):
            faults.add(key, tr("is missing"))
    _report_unknown(table, fields, where, faults)
    return kind(**values) if len(faults.found) == before else None


def _report_unknown(
    table: Mapping[str, object], known: Mapping[str, object], where: str, faults: Faults
) -> None:
    for name in table:
        if name in known:
            continue
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = tr("unknown key; did you mean {name}?", name=near[0]) if near else tr("unknown key")
        faults.add(f"{where}.{name}" if where else name, hint)


def describe(value: object) -> str:
    """Name a TOML value in a message: its type and, if short, itself."""
    names: dict[type, str] = {
        bool: tr("a truth value"),
        int: tr("a whole number"),
        float: tr("a number"),
        str: tr("a text"),
        list: tr("a list"),
        dict: tr("a table"),
    }
    name = names.get(type(value), type(value).__name__)
    shown = repr(value)
    return f"{name} ({shown})" if len(shown) <= 40 and not isinstance(value, dict) else name


def _expect(value: object, wanted: type | tuple[type, ...], words: str) -> None:
    wrong_bool = isinstance(value, bool) and wanted is not bool
    if wrong_bool or not isinstance(value, wanted):
        raise CheckError(
            tr("expected {wanted}, found {value}", wanted=words, value=describe(value))
        )


def text(value: object) -> str:
    """Accept any text."""
    _expect(value, str, tr("a text"))
    return str(value)


def filled_text(value: object) -> str:
    """Accept a text that is not empty."""
    if not text(value).strip():
        raise CheckError(tr("must not be empty"))
    return str(value)


def truth(value: object) -> bool:
    """Accept true or false."""
    _expect(value, bool, tr("true or false"))
    return bool(value)


def whole_number(value: object) -> int:
    """Accept an integer."""
    _expect(value, int, tr("a whole number"))
    return int(value)  # type: ignore[call-overload, no-any-return]


def any_value(value: object) -> object:
    """Accept any TOML value."""
    return value


def number(value: object) -> float:
    """Accept an integer or a float."""
    _expect(value, (int, float), tr("a number"))
    return value  # type: ignore[return-value]


def texts(value: object) -> tuple[str, ...]:
    """Accept a list of texts."""
    _expect(value, list, tr("a list of texts"))
    assert isinstance(value, list)
    for entry in value:
        _expect(entry, str, tr("a list of texts"))
    return tuple(value)


def table(value: object) -> Mapping[str, object]:
    """Accept a table."""
    _expect(value, dict, tr("a table"))
    assert isinstance(value, dict)
    return dict(value)


def reference(value: object) -> str:
    """Accept "module:function"."""
    if not is_reference(text(value)):
        raise CheckError(tr('expected "module:function", found {value}', value=describe(value)))
    return str(value)


def one_of(*allowed: str) -> Callable[[object], str]:
    """Return a check for one of some fixed words."""

    def check(value: object) -> str:
        if text(value) not in allowed:
            raise CheckError(
                tr(
                    "expected one of {allowed}, found {value}",
                    allowed=", ".join(f'"{word}"' for word in allowed),
                    value=describe(value),
                )
            )
        return str(value)

    return check


def matching(pattern: str, words: str) -> Callable[[object], str]:
    """Return a check for a text of a form that `words` (a message id) names."""
    compiled = re.compile(pattern)

    def check(value: object) -> str:
        if not compiled.fullmatch(text(value)):
            raise CheckError(
                tr("expected {wanted}, found {value}", wanted=tr(words), value=describe(value))
            )
        return str(value)

    return check


def tables(kind: type[T]) -> Callable[[object], Sequence[T]]:
    """Return a check for a list of tables, each read as `kind`."""

    def check(value: object) -> tuple[T, ...]:
        _expect(value, list, tr("a list of tables"))
        assert isinstance(value, list)
        faults = Faults()
        read = [read_table(kind, entry, f"[{i}]", faults) for i, entry in enumerate(value, 1)]
        if faults.found:
            raise CheckError("; ".join(map(str, faults.found)), faults.found)
        return tuple(entry for entry in read if entry is not None)

    return check
