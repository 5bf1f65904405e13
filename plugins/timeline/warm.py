"""The kernels that paint, used once so that their machine code is there (`studio.trace.warm`)."""

from __future__ import annotations

import numpy as np

_SLICES = 8192


def warm() -> None:
    """Paint a dense row."""
    from plugins.timeline.ui.painting import prepare
    from plugins.timeline.ui.rows import build_rows

    start = np.arange(_SLICES, dtype=np.int64) * 10
    duration = np.full(_SLICES, 5, np.int64)
    slot = np.ones(_SLICES, np.uint8)
    bounds = np.array([0, _SLICES], np.int64)
    prepare(build_rows(start, duration, slot, bounds[:1], bounds[1:]))
