"""Series of numbers that a training run logged: loss, gradient norm, learning rate and others.

Logs of Transformers and LLaMA-Factory, Megatron, MindFormers and the like, JSON lines, CSV tables,
event files of TensorBoard and summaries of MindSpore; other texts by a regular expression.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from studio.formats.csv_dialect import sniff
from studio.formats.event_records import is_event_file, read_scalars
from studio.formats.training_lines import Record, canonical, number, read_lines
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.reasons import system_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

LOSS: Final = "loss"
_JSON_LIMIT: Final = 256 << 20
_STEPS: Final = ("step", "steps", "global step", "iteration", "iter", "current steps")


@dataclass(frozen=True, slots=True)
class Series:
    """One logged quantity, in the order it was written; a resumed run repeats steps."""

    name: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    lines: tuple[int, ...]
    """Where in the file each value is, counted from 1."""

    def latest(self) -> dict[int, float]:
        """Map each step to its last value, since that is what a resumed run went on with."""
        last = dict(zip(self.steps, self.values, strict=True))
        return {step: last[step] for step in sorted(last)}

    def repeated(self) -> list[int]:
        """Return the steps that were logged more than once."""
        seen: set[int] = set()
        found: dict[int, None] = {}
        for step in self.steps:
            if step in seen:
                found[step] = None
            seen.add(step)
        return sorted(found)


@dataclass(frozen=True, slots=True)
class TrainingLog:
    """All series of one file."""

    path: Path
    kind: str
    """What wrote it: "trainer", "megatron", "mindformers", "text", "json", "csv", "events"."""
    series: Mapping[str, Series]
    counted: bool = False
    """Whether the file has no step numbers, so that its values were counted."""

    def get(self, name: str) -> Series:
        """Return a series; raises StudioError that names those there are."""
        if name not in self.series:
            names = ", ".join(self.series)
            raise StudioError(
                tr(
                    "{file} has no series “{name}”; it has: {names}",
                    file=self.path.name,
                    name=name,
                    names=names,
                ),
                path=self.path,
            )
        return self.series[name]


def read_training_log(path: Path, pattern: str = "") -> TrainingLog:
    """Read the series of a file.

    `pattern` is a regular expression for texts of another form, with groups named `step` and after
    the quantities (`(?P<loss>…)`). Raises StudioError when nothing is found.
    """
    try:
        kind, records = _records(path, pattern)
        series, counted = _collected(records)
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=system_reason(error))
        raise StudioError(text, path=path) from error
    if not series:
        raise StudioError(tr("{file} holds no training log", file=path.name), path=path)
    return TrainingLog(path, kind or "text", series, counted)


def _records(path: Path, pattern: str) -> tuple[str, Iterable[Record]]:
    if path.is_dir():
        raise StudioError(tr("{file} is a folder, not a log", file=path.name), path=path)
    if pattern:
        return read_lines(path, pattern)
    if is_event_file(path):
        return "events", read_scalars(path)
    with path.open("rb") as file:
        head = file.read(4096).lstrip()
    suffix = path.suffix.casefold()
    if suffix == ".json" or (suffix == ".jsonl" and head.startswith(b"{")):
        return "json", _json(path)
    if suffix in (".csv", ".tsv"):
        return "csv", _csv(path)
    return read_lines(path)


def _collected(records: Iterable[Record]) -> tuple[dict[str, Series], bool]:
    found: dict[str, tuple[list[int], list[float], list[int]]] = {}
    counted = False
    for place, record in enumerate(records, 1):
        step = record.step
        counted = counted or step is None
        for name, value in record.values.items():
            steps, values, lines = found.setdefault(name, ([], [], []))
            steps.append(place if step is None else step)
            values.append(value)
            lines.append(record.line)
    series = {
        name: Series(name, tuple(steps), tuple(values), tuple(lines))
        for name, (steps, values, lines) in found.items()
    }
    return series, counted


def _json(path: Path) -> Iterator[Record]:
    """Read JSON lines, or the `log_history` of `trainer_state.json`."""
    if path.stat().st_size > _JSON_LIMIT:
        raise StudioError(tr("{file} is too large to read", file=path.name), path=path)
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        content = json.loads(text)
        entries = content.get("log_history") if isinstance(content, dict) else content
    except (ValueError, RecursionError):
        entries = [_parsed(line) for line in text.splitlines()]
    for place, entry in enumerate(entries if isinstance(entries, list) else [], 1):
        if isinstance(entry, dict):
            yield _record(place, entry)


def _parsed(line: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _record(place: int, entry: dict[str, Any]) -> Record:
    values, step = {}, None
    for key, value in entry.items():
        found = number(str(value)) if not isinstance(value, (dict, list, bool)) else None
        if found is None:
            continue
        if " ".join(key.replace("_", " ").split()).casefold() in _STEPS:
            step = int(found)
        else:
            values[canonical(key, entry)] = found
    return Record(place, step, values)


def _csv(path: Path) -> Iterator[Record]:
    dialect = sniff(path)
    with path.open(encoding=dialect.encoding, errors="replace", newline="") as file:
        for place, row in enumerate(csv.DictReader(file, delimiter=dialect.delimiter), 2):
            yield _record(place, {k: v for k, v in row.items() if isinstance(k, str)})
