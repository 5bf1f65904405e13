"""Costs of communication in the old layout of MindSpore's profiler (hccl_raw_N.csv).

One row per iteration: step_num, communication_cost and wait_cost in milliseconds, link_info, and
communication_operator_cost, JSON that maps each operator to [iteration, cost, wait, links]. The row
"-" is the average over all iterations and is left out.
"""

from __future__ import annotations

import csv
import json
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.communication import is_point_to_point
from studio.perf.frames import Recorded, coded, frame, optional

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST_CELL: Final = 1 << 26
_MILLISECOND_NS: Final = 1_000_000
_STEP, _COSTS = "step_num", "communication_operator_cost"


def read_hccl(path: Path) -> Recorded:
    """Read the table "communication_times": cost as transit, and wait, of every operator."""
    rows: list[tuple[int, str, int | None, int | None]] = []
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for row in csv.DictReader(file):
                step = row.get(_STEP) or ""
                if step.isdecimal():
                    rows += _operators(int(step), row.get(_COSTS) or "{}")
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    except (ValueError, csv.Error) as error:
        raise StudioError(
            tr("{name} is damaged: {reason}.", name=path.name, reason=error), path=path
        ) from error
    columns: dict[str, Any] = {
        "step": np.array([step for step, *_ in rows], np.int64),
        "kind": coded("p2p" if is_point_to_point(name) else "collective" for _, name, *_ in rows),
        "name": coded(name for _, name, *_ in rows),
        "transit_ns": optional([cost for *_, cost, _ in rows]),
        "wait_ns": optional([wait for *_, wait in rows]),
    }
    return Recorded(frame("communication_times", columns, len(rows)))


def _operators(step: int, text: str) -> list[tuple[int, str, int | None, int | None]]:
    costs = json.loads(text, parse_float=Decimal)
    return [
        (step, name, _nanoseconds(cost[1]), _nanoseconds(cost[2]))
        for name, cost in (costs.items() if isinstance(costs, dict) else ())
        if isinstance(cost, list) and len(cost) > 2
    ]


def _nanoseconds(value: object) -> int | None:
    """Milliseconds as whole nanoseconds."""
    if not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
        return None
    return int((Decimal(value) * _MILLISECOND_NS).quantize(Decimal(1), ROUND_HALF_UP))
