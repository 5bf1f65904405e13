"""Memory that is reserved and not allocated: how much, when, and what can be done. Knows no Qt.

A pool takes memory from the device in segments and gives parts of them to tensors. What is reserved
and not allocated is free for tensors that fit, and lost for those that do not: fragmentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.i18n import tr
from studio.perf.memory_rows import NOT_RECORDED, joined, pieces, place_of_largest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from studio.perf.memory_records import Curve

    Numbers = NDArray[np.int64]

MUCH: Final = 0.2
"""From this share of the reserved memory on, unused memory is worth doing something about."""


@dataclass(frozen=True)
class Fragments:
    """Unused memory of one pool in bytes: NaN in `unused` where either part is not recorded.

    `at_peak_bytes` is what was unused when most was reserved, `most_bytes` the most that ever was
    (at `most_ns`), `mean_share` its mean share of the reserved memory over time.
    """

    component: str
    device: str
    times: Numbers
    unused: NDArray[np.float64]
    reserved_bytes: int
    at_peak_bytes: int
    most_bytes: int
    most_ns: int
    mean_share: float

    @property
    def peak_share(self) -> float:
        """What was unused when most was allocated, as a share of what was reserved then."""
        return self.at_peak_bytes / max(self.reserved_bytes, 1)


def fragments_of(curve: Curve) -> Fragments | None:
    """The unused memory of a pool; None when what it reserved was not recorded.

    The peak is the first moment at which most was allocated: unused memory then is what made the
    pool ask for more than was needed.
    """
    weighted = weight = 0.0

    def unused() -> Iterator[NDArray[np.float64]]:
        nonlocal weighted, weight
        for times, allocated, reserved in _pieces(curve):
            known = reserved != NOT_RECORDED
            gone = np.where(known, reserved - allocated, np.nan)
            held = np.where(known, np.diff(times), 0)
            share = np.where(known & (reserved > 0), gone / np.maximum(reserved, 1), 0.0)
            weighted, weight = weighted + float((share * held).sum()), weight + float(held.sum())
            yield gone

    place = place_of_largest(
        np.where(reserved != NOT_RECORDED, allocated, np.nan)
        for _, allocated, reserved in _pieces(curve)
    )
    if place is None:
        return None
    values = joined(unused(), np.dtype(np.float64), len(curve.times))
    most = place_of_largest(pieces(values)) or 0
    reserved_bytes = int(curve.reserved[place])
    share = float(values[place]) / reserved_bytes if reserved_bytes > 0 else 0.0
    return Fragments(
        curve.component,
        curve.device,
        curve.times,
        values,
        reserved_bytes,
        int(values[place]),
        int(values[most]),
        int(curve.times[most]),
        weighted / weight if weight else share,
    )


def _pieces(curve: Curve) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """Times, one more than there are rows, what was allocated and what was reserved."""
    parts = (pieces(curve.times, 1), pieces(curve.allocated), pieces(curve.reserved))
    for times, allocated, reserved in zip(*parts, strict=True):
        last = times[-1:] if len(times) == len(allocated) else times[:0]
        yield np.concatenate((times, last)), allocated, reserved


def advice(found: Fragments) -> list[str]:
    """What can be done about unused memory, the likeliest help first."""
    if found.peak_share < MUCH and found.mean_share < MUCH:
        return [
            tr("Little is unused: the pool is not fragmented. A smaller peak is the way to save.")
        ]
    lines = []
    if found.peak_share >= MUCH:
        lines.append(
            tr(
                "Much was unused at the peak itself: the free parts were too small. Let segments "
                "grow (PYTORCH_NPU_ALLOC_CONF=expandable_segments:True), or keep large blocks "
                "whole (PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:128)."
            )
        )
        lines.append(
            tr("Shapes that change from step to step split blocks anew: pad to a few sizes.")
        )
    else:
        lines.append(
            tr(
                "Much is unused most of the time, little at the peak: the pool keeps what a short "
                "peak needed. Flatten the peak (see what is live there), or give memory back with "
                "torch.npu.empty_cache() after it when another process needs it."
            )
        )
    return lines
