"""Memory that is reserved and not allocated: how much, when, and what can be done. Knows no Qt.

A pool takes memory from the device in segments and gives parts of them to tensors. What is reserved
and not allocated is free for tensors that fit, and lost for those that do not: fragmentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.i18n import tr
from studio.perf.memory_records import NOT_RECORDED

if TYPE_CHECKING:
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
    known = curve.reserved != NOT_RECORDED
    if not known.any():
        return None
    times = curve.times
    unused = np.where(known, (curve.reserved - curve.allocated).astype(np.float64), np.nan)
    place = int(np.argmax(np.where(known, curve.allocated, -1)))
    most = int(np.nanargmax(unused))
    held = np.diff(times, append=times[-1:])
    weight = np.where(known, held, 0)
    share = np.where(known & (curve.reserved > 0), unused / np.maximum(curve.reserved, 1), 0.0)
    mean = float((share * weight).sum() / weight.sum()) if weight.sum() else float(share[place])
    return Fragments(
        curve.component,
        curve.device,
        times,
        unused,
        int(curve.reserved[place]),
        int(unused[place]),
        int(unused[most]),
        int(times[most]),
        mean,
    )


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
