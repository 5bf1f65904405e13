"""Writing files that the user named: beside the window, and with a clear error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.files import write_atomic
from studio.model.document import unwritable
from studio.ui.jobsabove import jobs_above

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtCore import QObject


def start_export(
    widget: QObject, path: Path, write: Callable[..., object], **arguments: object
) -> None:
    """Call a function of `studio` that writes a file: in a job, or at once outside of a window."""
    jobs = jobs_above(widget)
    if jobs is None:
        write(path=path, **arguments)
        return
    module = write.__module__.removeprefix("studio.")
    jobs.start(
        f"studio:{module}.{write.__name__}",
        {"path": path, **arguments},
        title=tr("Exporting {name}", name=path.name),
    )


def write_content(path: Path, content: bytes) -> None:
    """Write a file that the user named; raises StudioError when that cannot be done."""
    try:
        write_atomic(path, content)
    except OSError as error:
        raise unwritable(path, error) from error
