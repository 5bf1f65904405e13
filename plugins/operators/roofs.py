"""What else there is to say about a roofline: formulas, and the bandwidth that was seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from plugins.operators.category_texts import category_name, with_category_titles
from studio.perf.flops import FORMULAS, kind_of
from studio.perf.roofline import roofline

if TYPE_CHECKING:
    from studio.perf.operators import Operators
    from studio.perf.roofline import Roofline

LEAST_NS: Final = 10_000
"""Groups that ran for less say nothing about the bandwidth."""


@dataclass(frozen=True)
class Roofs:
    """A roofline, with the kind of every point ("" for one without a formula).

    `seen` is the most bytes per second that a group of operators moved at least, None where no
    shapes tell. `left_out` counts groups whose operations are not known.
    """

    line: Roofline
    kinds: tuple[str, ...]
    seen: float | None
    left_out: int

    def formulas(self) -> dict[str, str]:
        """The formulas that the operations of the points were counted with."""
        return {kind: FORMULAS[kind] for kind in dict.fromkeys(self.kinds) if kind}


def roofs(found: Operators) -> Roofs:
    """The roofline of some operators, and what else is to be told of it."""
    line = roofline(found)
    places = line.points["place"].tolist()
    if found.by == "category":
        cells = with_category_titles(found.table.iloc[places][["category", "part"]])
        names = [category_name(*row) for row in cells.itertuples(index=False, name=None)]
        line = replace(line, points=line.points.assign(name=names))
    _, first = np.unique(found.group, return_index=True)
    types = found.rows["type"].astype("str").iloc[first[places]].tolist() if places else []
    kinds = tuple(kind_of(str(text)) for text in types)
    return Roofs(line, kinds, _seen(found), len(found.table) - len(places))


def _seen(found: Operators) -> float | None:
    if "moved_bytes" not in found.table:
        return None
    moved = found.table["moved_bytes"].to_numpy(np.float64, na_value=0.0)
    time = found.table["total_ns"].to_numpy(np.float64)
    long = (time > LEAST_NS) & (moved > 0)
    return float((moved[long] / time[long]).max() * 1e9) if long.any() else None
