"""Computing by category of operators, as comparisons of msprof-analyze break it down.

A kernel is of the first category that fits:

    move           its type is TensorMove: a copy that an SDMA engine can do
    attention      launched inside an operator of flash or fusion attention
    conv_forward   launched inside aten::conv…, and that inside no node of the backward pass
    conv_backward  launched inside aten::conv… of a node of the backward pass
    matmul         launched inside aten::addmm, bmm, mm or matmul
    vector         any other that ran on vector cores
    other          the rest, such as what ran on the AI CPU or made random numbers

Conv, attention and matmul have the parts `cube` and `vector` by the core that the kernel ran on;
vector has `trans` (Cast, TransData, Transpose: a change of type or layout) and `no_trans`.
Launched inside means that the operator was running on the thread of the launching operator.

The names were found in the comparisons that the tests hold; no sample has attention. The tool's own
total of all parts leaves out `other`, which it fills up with what its sums round off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.launched_by import host_positions
from studio.perf.launches import span, threads
from studio.perf.nesting import innermost

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Mask = NDArray[np.bool_]

CATEGORIES: Final = (
    "attention",
    "conv_forward",
    "conv_backward",
    "matmul",
    "vector",
    "move",
    "other",
)
PARTS: Final = ("cube", "vector", "trans", "no_trans", "")
COLUMNS: Final = ("category", "part", "count", "total_ns")

_MATMUL: Final = frozenset({"aten::addmm", "aten::bmm", "aten::mm", "aten::matmul"})
_ATTENTION: Final = ("flash_attention", "fusion_attention")
_CUBE: Final = frozenset({"AI_CORE", "MIX_AIC"})
_VECTOR: Final = frozenset({"AI_VECTOR_CORE", "MIX_AIV"})
_TRANS: Final = ("cast", "transdata", "transpose")


def categories(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Count and time (ns) of the kernels of each category and part that occurs.

    Columns: see `COLUMNS`. Without operators of the host nothing tells convolutions and products
    of matrices from other work, and the table has no rows.
    """
    import pandas as pd

    kernels, host_ops = profile.table("kernels", job), profile.table("host_ops", job)
    if not len(kernels) or not len(host_ops):
        return pd.DataFrame({name: [] for name in COLUMNS})
    kind = _fits(kernels["type"], lambda text: "tensormove" in text.casefold())
    trans = _fits(kernels["type"], lambda text: any(word in text.casefold() for word in _TRANS))
    cube, vector = (_fits(kernels["core"], cores.__contains__) for cores in (_CUBE, _VECTOR))
    attention, conv, backward, matmul = _inside(
        profile,
        host_ops,
        len(kernels),
        (
            lambda name: any(word in name for word in _ATTENTION),
            lambda name: name.startswith("aten::conv"),
            lambda name: "Backward" in name,
            _MATMUL.__contains__,
        ),
        job,
    )
    category = np.select(
        [kind, attention, conv & ~backward, conv, matmul, vector],
        [CATEGORIES.index("move"), *range(5)],
        CATEGORIES.index("other"),
    )
    by_core = np.where(cube, 0, 1)
    part = np.select([category < 4, category == 4], [by_core, np.where(trans, 2, 3)], 4)
    key = category * len(PARTS) + part
    sums = np.zeros(len(CATEGORIES) * len(PARTS), np.int64)
    np.add.at(sums, key, kernels["duration_ns"].to_numpy(np.int64))
    count = np.bincount(key, minlength=len(sums))
    shown = np.flatnonzero(count)
    return pd.DataFrame(
        {
            "category": [CATEGORIES[number // len(PARTS)] for number in shown.tolist()],
            "part": [PARTS[number % len(PARTS)] for number in shown.tolist()],
            "count": count[shown],
            "total_ns": sums[shown],
        }
    )


def _fits(column: pd.Series, rule: Callable[[str], bool]) -> Mask:
    """Which texts of a column fit a rule, asked once per distinct text."""
    fits = np.array([rule(str(text)) for text in column.cat.categories] + [False], np.bool_)
    found: Mask = fits[column.cat.codes.to_numpy()]
    return found


def _inside(
    profile: Profile,
    host_ops: pd.DataFrame,
    rows: int,
    rules: tuple[Callable[[str], bool], ...],
    job: Progress | None,
) -> list[Mask]:
    """Which kernels were launched inside an operator whose name fits each rule."""
    place = host_positions("kernels", rows, profile, job)
    thread, (begin, _) = threads(host_ops), span(host_ops)
    at = np.maximum(place, 0)
    found = []
    for rule in rules:
        chosen = host_ops[_fits(host_ops["name"], rule)]
        mine = innermost(threads(chosen), *span(chosen), thread[at], begin[at])
        found.append((mine >= 0) & (place >= 0))
    return found
