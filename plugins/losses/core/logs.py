"""Recognise training logs in a project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from studio.formats.event_records import is_event_file
from studio.formats.training_log import LOSS, read_training_log
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.model.items import FactValue

_HEAD, _LINE = 1 << 18, 1 << 12
_LOSS = re.compile(rb"loss['\"]?\s*[:=]\s*\[?[-+]?[\dni.]|\|\s*loss\s+[-+]?\d+\.\d", re.IGNORECASE)

_COLUMN = re.compile(rb"(^|[,;\t\"_ /])(loss|grad_norm)\b", re.IGNORECASE)
_STEPS = re.compile(rb"\b(global[_ ])?(step|steps|iteration|iter|epoch)\b", re.IGNORECASE)


def is_training_log(path: Path) -> bool:
    """Tell whether the beginning or the end of a file has a loss, or it is an event file.

    A table is one when its header names a loss, and a step, iteration or epoch.
    """
    try:
        if is_event_file(path):
            return True
        with path.open("rb") as file:
            if path.suffix.casefold() in (".csv", ".tsv"):
                first = file.readline(_LINE)
                return bool(_COLUMN.search(first) and _STEPS.search(first))
            head = file.read(_HEAD)
            size = file.seek(0, 2)
            file.seek(max(size - _HEAD, 0))
            return bool(_LOSS.search(head) or _LOSS.search(file.read(_HEAD)))
    except OSError:
        return False


def log_facts(path: Path) -> Mapping[str, FactValue]:
    """Return what wrote the log and how far the run got."""
    try:
        log = read_training_log(path)
    except StudioError:
        return {}
    facts: dict[str, FactValue] = {"writer": log.kind}
    if LOSS in log.series:
        series = log.series[LOSS]
        facts |= {"steps": len(set(series.steps)), "last loss": series.values[-1]}
    return facts
