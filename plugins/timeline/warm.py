"""The kernels that paint, used once so that their machine code is there (`studio.trace.warm`)."""

from __future__ import annotations

import numpy as np

_SLICES = 8192


def warm() -> None:
    """Make a scene with a dense row, and paint it."""
    from plugins.timeline.ui import scenekernels
    from plugins.timeline.ui.painting import prepare
    from plugins.timeline.ui.rows import build_rows

    start = np.arange(_SLICES, dtype=np.int64) * 10
    duration = np.full(_SLICES, 5, np.int64)
    slot = np.ones(_SLICES, np.uint8)
    bounds = np.array([0, _SLICES], np.int64)
    prepare(build_rows(start, duration, slot, bounds[:1], bounds[1:]))
    names, kinds = (np.zeros(_SLICES, np.int32) for _ in range(2)), np.zeros((1, 1), np.int16)
    lane, name = names
    scenekernels.colour_slots(lane, name, name, kinds[0], kinds[0], kinds, kinds[0], 1, slot)
    scenekernels.nested(start, duration, np.array([0, 1, 2], np.int64))
