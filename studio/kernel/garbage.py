"""Python's search for cyclic garbage, done between the events of a window.

Left to itself it starts in the middle of anything and on any thread. Widgets among the garbage are
then destroyed on a thread that is not theirs, or while Qt holds the very lock that destroying them
takes: it holds one while a signal is disconnected and Python is asked whether it listens to that.
"""

from __future__ import annotations

import gc
import time
from typing import Final

_YOUNG: Final = 700
"""So many more objects than at the last look are worth another one."""

_ROUNDS: Final = 10
"""Looks at the young after which the middle-aged are looked at, and those after which all are."""

_CALM_SECONDS, _BUSY_SECONDS = 20.0, 120.0
"""Looks at all objects hold everything up, so they are that rare at least."""


class Collector:
    """Takes the place of Python's own timing until it is stopped."""

    def __init__(self) -> None:
        self._was_enabled = gc.isenabled()
        self._looked_at_all = time.monotonic()
        gc.disable()

    def collect(self, *, calm: bool) -> None:
        """Remove garbage if a look is due; to be called where no object is in use by others."""
        young, middle, old = gc.get_count()
        if young < _YOUNG:
            return
        now = time.monotonic()
        if old >= _ROUNDS and now - self._looked_at_all > (
            _CALM_SECONDS if calm else _BUSY_SECONDS
        ):
            self._looked_at_all = now
            gc.collect()
        else:
            gc.collect(1 if middle >= _ROUNDS else 0)

    def stop(self) -> None:
        """Leave the timing to Python again."""
        if self._was_enabled:
            gc.enable()
