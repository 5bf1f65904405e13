"""The comparison of two dumps in a few lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.i18n import tr, trn
from studio.kernel.text_table import draw_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.precision.core.dump_result import DumpComparison
    from plugins.precision.core.dump_row import DumpRow

_SHOWN = 40


def describe(result: DumpComparison) -> str:
    """Return verdicts, changed calls and the first deviating values as text for a terminal."""
    lines = [tr("Values: {counts}", counts=_counted(result.counts()))]
    lines.append(tr("Calls: {counts}", counts=_counted(result.changes())))
    lines += result.missing
    lines += list(dict.fromkeys(fault for part in result.parts for fault in part.faults))
    deviating = [row for row in result.dump_rows() if row.deviates]
    if not deviating:
        return "\n".join([*lines, tr("No value deviates.")])
    lines += ["", draw_table([_cells(row) for row in deviating[:_SHOWN]])]
    more = len(deviating) - _SHOWN
    if more > 0:
        lines.append(
            trn(
                "{n} more deviating value; --csv or --json lists all",
                "{n} more deviating values; --csv or --json lists all",
                more,
            )
        )
    return "\n".join(lines)


def _counted(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _cells(row: DumpRow) -> dict[str, object]:
    error = row.relative_error
    name = f"{row.part}: {row.name}" if row.part else row.name
    shown = None if error is None else f"{error:.3g}"
    return {"name": name, "status": row.status.value, "error": shown, "reason": row.reason}
