"""What the command of the guide does in the window, and how its changes are made and undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.ui.commands import tell_made
from plugins.migration.ui.review import Review
from studio.i18n import tr, trn
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.migration.ui.taken import Taken
    from studio.api import Studio
    from studio.model.changes import Undo


def guide(studio: Studio, path: str | Path = "") -> None:
    """Show the steps from one card to several: of a script, of the one in front, or of any."""
    project = studio.project
    if project is None:
        return
    place = Path(path) if path else None
    if place is None:
        front = studio.window.active_view() if studio.window else None
        place = getattr(getattr(front, "document", None), "path", None)
    if place is not None and not place.is_absolute():
        place = project.root / place
    inside = place is not None and place.suffix == ".py" and place.is_relative_to(project.root)
    file = project.relative(place) if inside and place is not None else ""
    studio.open(project.root, opener="migration.guide", file=file)


def make_changes(
    studio: Studio,
    taken: Taken,
    done: Callable[[str], object],
    failed: Callable[[BaseException], object],
) -> None:
    """Change the script in a job and write its launcher; `done` hears of its name, or of "".

    `failed` hears of a StudioError if the script is another by now, and of an OSError if the
    launcher cannot be made; the script is changed then, and the way back is offered.
    """
    project = studio.project
    edits = taken.edits()
    if project is None or not edits:
        return
    review = studio.shared(Review)
    launcher = taken.guide.launcher if taken.takes_steps else None
    count, name = len(taken.chosen()), taken.guide.path.name

    def made(undo: Undo) -> None:
        problem: OSError | None = None
        if launcher is not None:
            data = launcher.text.encode()
            try:
                write_atomic(launcher.path, data)
                if launcher.executable:
                    launcher.path.chmod(0o755)
                review.made[id(undo)] = launcher.path, data
            except OSError as error:
                problem = error
        review.scan(undo.paths)
        changes = trn("{n} change", "{n} changes", count)
        tell_made(studio, tr("Made: {changes} in {name}.", changes=changes, name=name), undo)
        if problem is not None:
            failed(problem)
        else:
            done(launcher.path.name if launcher is not None else "")

    project.apply_later(edits, tr("Migration"), done=made, failed=failed)
