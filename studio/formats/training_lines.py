"""Lines that training programs print once per step, and the numbers in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

_NUMBER: Final = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)"
_NUMBERS: Final = re.compile(f"^{_NUMBER}$", re.IGNORECASE)
_PAIR: Final = re.compile(
    rf"""['"](?P<name>[\w ./-]+)['"]\s*:\s*['"]?(?P<value>{_NUMBER})\b""", re.IGNORECASE
)
_MEGATRON: Final = re.compile(r"\biteration\s+(?P<step>\d{1,15})\s*/\s*\d+")
_MINDFORMERS: Final = re.compile(r"\bstep:\s*\[\s*(?P<step>\d{1,15})\s*/\s*(?P<of>\d{1,15})\s*\]")
_EPOCH: Final = re.compile(r"\bEpoch:\s*\[\s*(\d{1,3})(?!\d)")
_NAMED: Final = re.compile(
    rf"(?P<name>[A-Za-z][\w ./-]*?)\s*[:=]\s*\[?\s*(?P<value>{_NUMBER})(?![\w:])", re.IGNORECASE
)
_CELL: Final = re.compile(
    rf"\|\s*(?P<name>[A-Za-z][\w ./-]*?)\s+(?P<value>{_NUMBER})\s*(?=$|\|)", re.IGNORECASE
)
"""A name and its number between bars: `| loss 5.5470 | grad norm 1.546 |`."""
_STEP: Final = re.compile(
    r"\b(?:global[_ ]?step|steps?|iter(?:ation)?)\s*[:=#]?\s*\[?\s*(?P<step>\d{1,15})(?!\d)",
    re.IGNORECASE,
)
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LONGEST: Final = 20_000
_MOST_DIGITS: Final = 15
"""Longer numbers are no steps."""

_STEP_NAMES: Final = ("step", "current_steps", "global_step")
_ALIASES: Final = {
    "lm loss": "loss",
    "train loss": "loss",
    "training loss": "loss",
    "train/loss": "loss",
    "loss/auto": "loss",
    "global norm": "grad_norm",
    "grad norm": "grad_norm",
    "gradient norm": "grad_norm",
    "train/grad norm": "grad_norm",
    "lr": "learning_rate",
    "learning rate": "learning_rate",
    "train/learning rate": "learning_rate",
}


@dataclass(frozen=True, slots=True)
class Record:
    """What one line says; without a step number its values are counted."""

    line: int
    step: int | None
    values: dict[str, float]


def read_lines(path: Path, pattern: str = "") -> tuple[str, list[Record]]:
    """Return what kind of program wrote a text and its records."""
    parse = _custom(pattern) if pattern else None
    found: list[Record] = []
    kinds: dict[str, int] = {}
    for place, line in _lines(path, every=parse is not None):
        kind, record = ("text", parse(place, line)) if parse else _parse(place, line)
        if record is not None:
            found.append(record)
            kinds[kind] = kinds.get(kind, 0) + 1
    kind = max(kinds, key=lambda name: kinds[name], default="")
    # A progress bar or a summary among the lines of a known program is none of its steps.
    known = [record for record in found if record.step is not None]
    return kind, known or found


def canonical(name: str, beside: Collection[str] = ()) -> str:
    """Return one name for what programs call differently ("lm loss" is "loss")."""
    plain = " ".join(re.sub(r"[_-]", " ", name).split()).casefold()
    alias = _ALIASES.get(plain)
    if alias and not (alias == "loss" and "loss" in beside):
        return alias
    return plain.replace(" ", "_")


def number(text: str) -> float | None:
    """Return a number as programs print it, None when it is none."""
    return float(text) if _NUMBERS.match(text.strip()) else None


def _lines(path: Path, *, every: bool) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for place, raw in enumerate(file, 1):
            lower = raw[:_LONGEST].lower()
            if every or b"loss" in lower or b"norm" in lower or b"step" in lower:
                text = raw[:_LONGEST].decode("utf-8", "replace")
                # A progress bar overwrites its line; what counts comes after it.
                for piece in _ESCAPE.sub("", text).split("\r"):
                    yield place, piece


def _parse(place: int, line: str) -> tuple[str, Record | None]:
    if match := _MINDFORMERS.search(line):
        epoch = _EPOCH.search(line)
        before = (int(epoch[1]) - 1) * int(match["of"]) if epoch else 0
        return "mindformers", _named(place, line[match.end() :], before + int(match["step"]))
    if match := _MEGATRON.search(line):
        return "megatron", _named(place, line[match.end() :], int(match["step"]))
    pairs = {m["name"]: float(m["value"]) for m in _PAIR.finditer(line)}
    if pairs and "train_runtime" not in pairs:
        step = next((pairs.pop(name) for name in _STEP_NAMES if name in pairs), None)
        values = {canonical(name, pairs): value for name, value in pairs.items()}
        if any("loss" in name for name in values):
            return "trainer", Record(place, _whole(step), values)
    match = _STEP.search(line)
    if match and "loss" in line.casefold():
        return "text", _named(place, line[match.end() :], int(match["step"]))
    return "", None


def _whole(step: float | None) -> int | None:
    """A step as the number it is; none for NaN, infinity, and what no column holds."""
    return int(step) if step is not None and abs(step) < 10**_MOST_DIGITS else None


def _named(place: int, text: str, step: int) -> Record | None:
    found = list(_NAMED.finditer(text)) or list(_CELL.finditer(text))
    pairs = {m["name"].strip(): float(m["value"]) for m in found}
    values = {canonical(name, pairs): value for name, value in pairs.items()}
    return Record(place, step, values) if values else None


def _custom(pattern: str) -> Callable[[int, str], Record | None]:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise StudioError(
            tr("The pattern is no regular expression: {reason}", reason=error), exit_code=2
        ) from error
    names = [name for name in expression.groupindex if name != "step"]
    if not names:
        raise StudioError(
            tr(
                "The pattern needs groups named after what it finds, such as (?P<step>…) and "
                "(?P<loss>…)."
            ),
            exit_code=2,
        )

    def parse(place: int, line: str) -> Record | None:
        match = expression.search(line)
        if match is None:
            return None
        found = match.groupdict()
        numbers = {name: number(found[name] or "") for name in names}
        values = {name: value for name, value in numbers.items() if value is not None}
        step = found.get("step")
        whole = step is not None and step.isdecimal() and len(step) <= _MOST_DIGITS
        return Record(place, int(step) if whole and step else None, values)

    return parse
