"""Tables of slices and of sums, as commands return them and the window exports them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.kernel.text_table import width
from studio.model.tree import shown_name

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from studio.trace import Trace

_SHOWN = 50


@dataclass(frozen=True)
class Listing:
    """What a command found: the rows, where it looked, and how many there are in all.

    JSON and CSV have whole nanoseconds; the text for people has microseconds with all digits.
    """

    trace: Trace
    part: Part
    rows: pd.DataFrame
    total: int
    facts: dict[str, Any] = field(default_factory=dict)
    exit_code: int = 0

    def to_json(self) -> object:
        """Everything, as plain values."""
        return {
            "path": str(self.trace.path),
            "start_ns": self.part.start,
            "end_ns": self.part.end,
            **self.facts,
            "total": self.total,
            "rows": self.rows,
        }

    def to_csv(self) -> str:
        """The rows alone."""
        text: str = self.rows.to_csv(index=False, lineterminator="\n")
        return text

    def to_text(self) -> str:
        """The window, then the rows."""
        origin = self.trace.view_start_ns
        lines = [
            tr(
                "{start} to {end} µs from the beginning",
                start=microseconds(self.part.start - origin),
                end=microseconds(self.part.end - origin),
            )
        ]
        if "covered_ns" in self.facts:
            busy = microseconds(self.facts["covered_ns"])
            lines.append(tr("At least one slice runs for {time} µs of it", time=busy))
        shown = self.rows.head(_SHOWN)
        lines += ["", *draw(shown, origin)] if len(shown) else ["", tr("Nothing found.")]
        if self.total > len(shown):
            lines.append(tr("{shown} of {total} rows", shown=len(shown), total=self.total))
        if len(self.rows) > len(shown):
            lines.append(tr("--csv and --json print all of them."))
        return "\n".join(lines)


@dataclass(frozen=True)
class Listed:
    """The slices of a part of a trace, and a row for each."""

    part: Part
    indices: NDArray[np.int64]
    rows: pd.DataFrame


def list_part(trace: Trace, part: Part) -> Listed:
    """List the slices of a part by time: what `studio trace query` prints."""
    from plugins.timeline.core.query import slices_of

    indices = slices_of(trace, part)
    return Listed(part, indices, slice_frame(trace, indices))


def slice_frame(trace: Trace, indices: NDArray[np.int64]) -> pd.DataFrame:
    """Describe slices, one row each, with all their digits.

    Columns: name, start_ns, duration_ns, self_ns, process, lane, depth, category, unfinished (its
    end is not in the file), source (byte of its event in the file), and the loaded arg columns.
    """
    import pandas as pd

    lane = trace.lane[indices]
    columns: dict[str, Any] = {
        "name": _texts(trace.names, trace.name[indices]),
        "start_ns": trace.start[indices],
        "duration_ns": trace.duration[indices],
        "self_ns": trace.self_ns[indices],
        "process": _texts([place.process_title for place in trace.lanes], lane),
        "lane": _texts([place.title for place in trace.lanes], lane),
        "depth": trace.depth[indices],
        "category": _texts(trace.categories, trace.category[indices]),
        "unfinished": trace.open_ended[indices],
        "source": trace.source[indices],
    }
    for name, column in trace.arg_columns.items():
        columns[name] = pd.array([column.get(index) for index in indices.tolist()], dtype="object")
    return pd.DataFrame(columns)


def draw(frame: pd.DataFrame, origin: int) -> list[str]:
    """Write rows for a terminal: times in microseconds, starts from the beginning."""
    cells = [[_heading(name) for name in frame.columns]]
    for row in frame.itertuples(index=False):
        cells.append(
            [_cell(name, value, origin) for name, value in zip(frame.columns, row, strict=True)]
        )
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    numbers = [frame[name].dtype.kind in "iuf" for name in frame.columns]
    return [
        "  ".join(
            " " * (wide - width(text)) + text if number else text + " " * (wide - width(text))
            for text, wide, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in cells
    ]


def microseconds(nanoseconds: int) -> str:
    """Write nanoseconds exactly, as microseconds."""
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{whole:,}.{rest:03d}".replace(",", " ")


def _texts(texts: list[str], numbers: NDArray[Any]) -> pd.Categorical[Any]:
    """Look texts up by number; -1 gives ""."""
    import pandas as pd

    places = {text: place for place, text in enumerate(dict.fromkeys([*texts, ""]))}
    codes = np.array([places[text] for text in [*texts, ""]], np.int32)
    return pd.Categorical.from_codes(codes[numbers], categories=pd.Index(list(places)))


def _heading(name: str) -> str:
    return f"{name.removesuffix('_ns')} µs" if name.endswith("_ns") else name


def _cell(name: str, value: Any, origin: int) -> str:  # noqa: ANN401 - a cell of a DataFrame
    if value is None or value != value or str(value) == "<NA>":
        return "–"
    if name.endswith("_ns"):
        return microseconds(round(value) - (origin if name == "start_ns" else 0))
    if name == "share":
        return f"{value:.1%}"
    if isinstance(value, (bool, np.bool_)):
        return tr("yes") if value else ""
    return shown_name(str(value))
