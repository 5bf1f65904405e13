"""One value of two dumps: what a row of a comparison of tensors has, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.align.change import Change
from plugins.precision.core.result import Row, Status

if TYPE_CHECKING:
    from studio.tensors.dumps.model import Number

_STRUCTURE = frozenset((Change.INSERTED, Change.REMOVED, Change.RECOMPUTED))


class DumpRow(Row, frozen=True, gc=False):
    """A value of both runs. None means that there is no such number, the reason says why."""

    part: str = ""
    """The step and rank, "" when there is only one."""
    call: str = ""
    """The call it belongs to, by its name in the base (or in the candidate, when only there)."""
    base_name: str | None = None
    candidate_name: str | None = None
    module: str = ""
    role: str = ""
    change: Change = Change.SAME
    relative_error: float | None = None
    """The error's root mean square in units of the base's; estimated when only statistics exist."""
    ulp_max: float | None = None
    ulp_mean: float | None = None
    ulp_above: float | None = None
    balance: float | None = None
    small_count: int | None = None
    small_errors: int | None = None
    snr: float | None = None
    histogram: tuple[int, ...] | None = None
    """How many elements have a relative error in each decade, see `studio.tensors.profile`."""
    noise: float | None = None
    """The relative error of the third run, which is what chance alone makes."""
    max_base: Number = None
    max_candidate: Number = None
    min_base: Number = None
    min_candidate: Number = None
    mean_base: Number = None
    mean_candidate: Number = None
    norm_base: Number = None
    norm_candidate: Number = None
    source: str = ""
    """The line of the user's program that made the call: "file:line"."""

    @property
    def deviates(self) -> bool:
        """Whether the runs disagree about this value; calls that only one run has do not count."""
        if self.change in _STRUCTURE:
            return False
        if self.status is Status.REVIEW:
            return bool(self.differing)
        return self.status not in (Status.OK, Status.EMPTY)
