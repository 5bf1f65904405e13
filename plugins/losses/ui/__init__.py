"""The window part of the losses: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.losses.ui.view import LossView
from studio.i18n import tr

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

VIEW = "losses.view"


class Chosen:
    """The log that others are compared with, as it was chosen in the explorer."""

    def __init__(self, _studio: Studio) -> None:
        self.base: Path | None = None


def make_view(studio: Studio, path: Path, base: str = "") -> LossView:
    """Show the curves of a log, compared with `base` or with the log chosen as the base."""
    chosen = studio.shared(Chosen).base
    if not base and chosen is not None and chosen != path and chosen.exists():
        base = str(chosen)
    return LossView(studio, path, base)


def compare(studio: Studio, base: str | Path, candidate: str | Path) -> None:
    """Open the curves of two logs."""
    from pathlib import Path

    studio.open(Path(candidate), opener=VIEW, base=str(base))


def use_as_base(studio: Studio, path: Path) -> None:
    """Compare the open log with this one; without an open log, those that are opened next."""
    studio.shared(Chosen).base = path
    views = studio.window.views() if studio.window is not None else ()
    open_logs = [view for view in views if isinstance(view, LossView) and view.path != path]
    if open_logs:
        compare(studio, path, open_logs[-1].path)
    else:
        studio.notify(tr("Logs are now compared with {name}.", name=path.name))
