"""Commands of the precision plugin that need the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.model.locations import Location

OPENER, SEVERAL = "precision.compare", "precision.several"


def compare(studio: Studio, base: str | Path, candidate: str | Path) -> None:
    """Open the comparison of two folders."""
    studio.open(Path(candidate), opener=OPENER, base=str(base))


def show_tensors(studio: Studio) -> None:
    """Show the tensors of the selected row of the comparison in front."""
    show = getattr(_view(studio), "show_tensors", None)
    if not callable(show) or not show():
        studio.notify(tr("Select a row with tensors in a comparison first."))


def compare_several(studio: Studio, path: str | Path = "") -> None:
    """Open the comparison of a base, or of that in front, with all dumps beside it."""
    side = getattr(_view(studio), "base", None)
    base = Path(path) if path else getattr(side, "path", None)
    if base is None:
        studio.notify(tr("Open a comparison first, or choose a base in the explorer."))
        return
    studio.open(base, opener=SEVERAL)


def choose_options(studio: Studio) -> None:
    """Show how the comparison in front is made, to be changed."""
    choose = getattr(_view(studio), "choose_options", None)
    if not callable(choose):
        studio.notify(tr("Open a comparison first."))
        return
    choose()


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


def _view(studio: Studio) -> object | None:
    return studio.window.active_view() if studio.window is not None else None


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
