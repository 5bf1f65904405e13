"""What the views show before there is anything to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.view import Action

if TYPE_CHECKING:
    from plugins.migration.ui.review import Review
    from studio.api import Studio
    from studio.ui.view import EmptyState


def show_state(empty: EmptyState, studio: Studio, review: Review) -> bool:
    """Say what would be here and offer the next step; False when there are findings to show."""
    if studio.project is None:
        text = tr("Open a project to see what binds it to CUDA.")
        empty.set_content("migration", tr("No project"), text)
    elif review.is_scanned and any(result.findings for result in review.results.values()):
        return False
    elif review.is_scanned and not review.results:
        text = tr("No file here is of a kind that a migration looks at.")
        again = Action(tr("Scan again"), review.scan, "refresh")
        empty.set_content("migration", tr("Nothing to judge"), text, [again])
    elif review.is_scanned:
        text = tr("The scan found nothing that binds it to CUDA.")
        again = Action(tr("Scan again"), review.scan, "refresh")
        empty.set_content("ok", tr("Nothing to migrate"), text, [again])
    elif review.is_scanning:
        empty.set_content("migration", tr("Scanning the project…"))
    else:
        text = tr(
            "A scan finds every place that binds it to CUDA, proposes a change for each, and "
            "says what has to be done by hand. No file is changed before you apply."
        )
        scan = Action(tr("Scan the project"), lambda: studio.run("migration.find"), "run")
        empty.set_content("migration", tr("Move this project to Ascend NPUs"), text, [scan])
    return True
