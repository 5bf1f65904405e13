"""Computing by category of operators, as comparisons of msprof-analyze break it down.

A kernel is of the first category that fits:

    move           its type is TensorMove: a copy that an SDMA engine can do
    attention      launched inside an operator of flash or fusion attention
    conv_forward   launched inside aten::conv…, and that inside no node of the backward pass
    conv_backward  launched inside aten::conv… of a node of the backward pass
    matmul         launched inside aten::addmm, bmm, mm or matmul
    vector         any other that ran on vector cores
    other          the rest, such as what ran on the AI CPU or made random numbers

Conv, attention and matmul have the parts `cube` and `vector` by the core that the kernel ran on,
where that was recorded; vector has `trans` (Cast, TransData, Transpose: a change of type or layout)
and `no_trans`; of other, `cube` is what ran on cube cores all the same. Launched inside means that
the operator was running on the thread of the launching operator.

The names were found in the comparisons that the tests hold; no sample has attention. The tool's own
total of all parts leaves out `other`, which it fills up with what its sums round off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.frames import Coded, category
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
PARTS: Final = ("cube", "vector", "trans", "no_trans")

_MATMUL: Final = frozenset({"aten::addmm", "aten::bmm", "aten::mm", "aten::matmul"})
_ATTENTION: Final = ("flash_attention", "fusion_attention")
_CUBE: Final = frozenset({"AI_CORE", "MIX_AIC"})
_VECTOR: Final = frozenset({"AI_VECTOR_CORE", "MIX_AIV"})
_TRANS: Final = ("cast", "transdata", "transpose")


def with_categories(
    kernels: pd.DataFrame, profile: Profile, job: Progress | None = None
) -> pd.DataFrame:
    """Add the columns category and part to all kernels of a profile.

    Without operators of the host nothing tells convolutions and products of matrices from other
    work: then no kernel has a category. A kernel whose category has no parts has none.
    """
    host_ops = profile.table("host_ops", job)
    kinds = parts = np.full(len(kernels), -1, np.int32)
    if len(kernels) and len(host_ops):
        kinds, parts = _numbers(kernels, host_ops, profile, job)
    return kernels.assign(
        category=category(Coded(kinds, CATEGORIES)), part=category(Coded(parts, PARTS))
    )


def _numbers(
    kernels: pd.DataFrame, host_ops: pd.DataFrame, profile: Profile, job: Progress | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The places in `CATEGORIES` and `PARTS` of every kernel, -1 for no part."""
    move = _fits(kernels["type"], lambda text: "tensormove" in text.casefold())
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
    kinds = np.select(
        [move, attention, conv & ~backward, conv, matmul, vector],
        [CATEGORIES.index("move"), *range(5)],
        CATEGORIES.index("other"),
    )
    by_core = np.select([cube, kernels["core"].notna().to_numpy()], [0, 1], -1)
    parts = np.select(
        [kinds < 4, kinds == 4, cube & (kinds == CATEGORIES.index("other"))],
        [by_core, np.where(trans, 2, 3), 0],
        -1,
    )
    return kinds.astype(np.int32), parts.astype(np.int32)


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
