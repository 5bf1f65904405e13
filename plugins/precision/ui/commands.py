"""Commands of the precision plugin that need the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.model.locations import Location

OPENER = "precision.compare"


def compare(studio: Studio, base: str | Path, candidate: str | Path) -> None:
    """Open the comparison of two folders."""
    studio.open(Path(candidate), opener=OPENER, base=str(base))


def show_tensors(studio: Studio) -> None:
    """Show the tensors of the selected row of the comparison in front."""
    view = studio.window.active_view() if studio.window is not None else None
    show = getattr(view, "show_tensors", None)
    if not callable(show) or not show():
        studio.notify(tr("Select a row with tensors in a comparison first."))


def use_as_base(studio: Studio, path: Path) -> None:
    """Remember a dump as the base of comparisons; compares at once when a candidate is chosen."""
    _remember(studio, baseline=path)


def use_as_candidate(studio: Studio, path: Path) -> None:
    """Remember a dump as the candidate; compares at once when a base is chosen."""
    _remember(studio, candidate=path)


def show_tensor(studio: Studio, location: Location) -> bool:
    """Show a tensor in the comparison of the run it belongs to."""
    if location.tensor is None:
        return False
    view = studio.open(location.path, opener=OPENER)
    reveal = getattr(view, "reveal", None)
    return bool(reveal(location)) if callable(reveal) else False


def _remember(studio: Studio, **sides: Path) -> None:
    if studio.project is None:
        return
    studio.project.context.set(**{side: str(path) for side, path in sides.items()})
    values = studio.project.context.values
    if values.baseline and values.candidate and values.baseline != values.candidate:
        compare(studio, values.baseline, values.candidate)
        return
    for side, path in sides.items():
        if side == "baseline":
            studio.notify(tr("The base is now {name}.", name=path.name))
        else:
            studio.notify(tr("The candidate is now {name}.", name=path.name))
