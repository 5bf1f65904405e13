"""Memory from step to step: does it grow, and what is never given back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import integers
from studio.perf.memory_blocks import HELD, blocks
from studio.perf.memory_records import COMPONENTS, Curve, curve_of
from studio.perf.memory_rows import pools_of
from studio.perf.steps import step_breakdown

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

_COLUMNS: Final = (
    "step",
    "start_ns",
    "end_ns",
    "allocated_bytes",
    "reserved_bytes",
    "lowest_bytes",
    "peak_bytes",
    "kept_count",
    "kept_bytes",
)
LEAST_STEPS: Final = 3
LEAST_SHARE: Final = 0.001


@dataclass(frozen=True)
class Growth:
    """Memory of one component at the end of every step.

    Columns of `table`: step, start_ns, end_ns, allocated_bytes and reserved_bytes as last recorded
    in the step, lowest_bytes and peak_bytes allocated in it, kept_count and kept_bytes of blocks
    that were allocated in it and never released.
    """

    component: str
    table: pd.DataFrame

    @property
    def per_step_bytes(self) -> float | None:
        """How much the lowest allocation grows from step to step; None with less than two steps."""
        lowest = self.table["lowest_bytes"].dropna().to_numpy(np.int64)
        return float((lowest[-1] - lowest[0]) / (len(lowest) - 1)) if len(lowest) > 1 else None

    @property
    def looks_like_a_leak(self) -> bool:
        """Whether the lowest allocation grows in every of at least three steps, beyond noise.

        The lowest point of a step is where the least of its temporaries is alive.
        """
        lowest = self.table["lowest_bytes"].dropna().to_numpy(np.int64)
        if len(lowest) < LEAST_STEPS:
            return False
        steps = np.diff(lowest)
        return bool((steps > 0).all() and steps.sum() > LEAST_SHARE * lowest[0])


def growth(profile: Profile, component: str = "", job: Progress | None = None) -> Growth:
    """Follow the allocation of a component (default: PyTorch's pool) over the steps."""
    import pandas as pd

    curve = curve_of(pools_of(profile, job), component) or _nothing(component)
    times, allocated, reserved = curve.times, curve.allocated, curve.reserved
    found = blocks(profile, job)
    held = found[(found["state"] == HELD).to_numpy()]
    held_at = held["allocated_ns"].to_numpy(np.int64)
    held_bytes = held["bytes"].to_numpy(np.int64, na_value=0)
    rows: list[dict[str, Any]] = []
    for step, start, end in steps_of_memory(profile, job):
        first, last = np.searchsorted(times, (start, end))
        inside = slice(int(first), int(last))
        kept = (held_at >= start) & (held_at < end)
        has = last > first
        rows.append(
            {
                "step": step,
                "start_ns": start,
                "end_ns": end,
                "allocated_bytes": int(allocated[last - 1]) if has else None,
                "reserved_bytes": int(reserved[last - 1]) if has else None,
                "lowest_bytes": int(allocated[inside].min()) if has else None,
                "peak_bytes": int(allocated[inside].max()) if has else None,
                "kept_count": int(kept.sum()),
                "kept_bytes": int(held_bytes[kept].sum()),
            }
        )
    made = {
        name: integers(
            np.array([row[name] or 0 for row in rows], np.int64),
            np.array([row[name] is not None and row[name] != -1 for row in rows], np.bool_),
        )
        for name in _COLUMNS
    }
    return Growth(curve.component, pd.DataFrame(made))


def _nothing(component: str) -> Curve:
    return Curve(component or COMPONENTS[0], "", *(np.zeros(0, np.int64) for _ in range(3)))


def steps_of_memory(profile: Profile, job: Progress | None = None) -> list[tuple[int, int, int]]:
    """Steps on the clock of the host, where memory is allocated; else those of the device."""
    host = profile.table("host_steps", job)
    table = host if len(host) else step_breakdown(profile, job, causes=False).table
    known = table[table["step"].notna() & table["start_ns"].notna()].sort_values("start_ns")
    return [
        (int(step), int(start), int(end))
        for step, start, end in zip(known["step"], known["start_ns"], known["end_ns"], strict=True)
    ]
