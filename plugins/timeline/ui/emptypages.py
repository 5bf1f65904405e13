"""What stands in the place of a timeline that cannot be shown: why, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.api import Studio
    from studio.trace import Trace

_EMPTY = "no events"
"""The fault of a file that is whole but empty."""


def no_trace(path: Path, error: StudioError) -> EmptyState:
    """A folder holds no trace."""
    title = tr("No trace in {name}", name=path.name)
    return EmptyState("timeline", title, f"{error.message}\n\n{_recording()}")


def failed(
    studio: Studio, path: Path, error: BaseException, again: Callable[[], object]
) -> EmptyState:
    """A file could not be read as a trace; of an archive, its traces are offered."""
    from plugins.timeline.ui.members import member_actions

    message = error.message if isinstance(error, StudioError) else str(error)
    return EmptyState(
        "error",
        tr("{name} cannot be shown", name=path.name),
        f"{message}\n\n{_recording()}",
        [*member_actions(studio, path), _read_again(again)],
    )


def nothing_read(path: Path, trace: Trace, again: Callable[[], object]) -> EmptyState:
    """A trace holds nothing, or is damaged before its first whole event."""
    if not trace.complete or any(fault.kind != _EMPTY for fault in trace.faults):
        return _damaged(path, trace, again)
    why = tr(
        "The profiler was on, but no step ran meanwhile: call prof.step() after each step, and let "
        "the schedule have active steps."
    )
    title = tr("{name} holds no events", name=path.name)
    return EmptyState("timeline", title, f"{why}\n\n{_recording()}", [_read_again(again)])


def _damaged(path: Path, trace: Trace, again: Callable[[], object]) -> EmptyState:
    """What is wrong, and where."""
    from plugins.timeline.ui.notes import first_fault

    cause = first_fault(trace) or tr("The file is not complete.")
    mend = tr(
        "A trace is whole only after the profiler stopped and has written it: copy it again from "
        "the machine that recorded it, or record anew."
    )
    title = tr("{name} ends before its first event", name=path.name)
    if trace.complete:
        title = tr("No event of {name} can be read", name=path.name)
    return EmptyState("error", title, f"{cause}\n\n{mend}", [_read_again(again)])


def cancelled(path: Path, again: Callable[[], object]) -> EmptyState:
    """The user stopped the reading."""
    return EmptyState("timeline", tr("Reading was cancelled"), str(path), [_read_again(again)])


def _read_again(again: Callable[[], object]) -> Action:
    return Action(tr("Read again"), again, "refresh")


def _recording() -> str:
    return tr(
        "To record a trace, wrap the training loop in torch_npu.profiler.profile(...) with "
        "on_trace_ready=torch_npu.profiler.tensorboard_trace_handler(folder)."
    )
