"""What the commands of the migration do in the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer

from plugins.migration.ui.review import Review, can_decide
from studio.i18n import tr, trn
from studio.model.findings import Finding
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from plugins.migration.ui.panel import MigrationPanel
    from studio.api import Studio
    from studio.kernel.events import Connection
    from studio.model.changes import Undo

PANEL = "migration.panel"


def find(studio: Studio) -> None:
    """Show the panel and scan the project; the first time the overview as well."""
    review = studio.shared(Review)
    first = not review.is_scanned
    review.scan()
    _show_panel(studio)
    if first and studio.window is not None:
        # Made in a turn of its own, so that the window answers in between.
        QTimer.singleShot(0, studio.window.parent(), lambda: overview(studio))


def overview(studio: Studio) -> None:
    """Show how ready the project is and what there is to do."""
    if studio.project is not None:
        studio.open(studio.project.root, opener="migration.overview")


def assessment(studio: Studio) -> None:
    """Show the assessment of the project."""
    if studio.project is not None:
        studio.open(studio.project.root, opener="migration.assessment")


def list_findings(studio: Studio, filter: str = "", group: str = "") -> None:
    """List in the panel what a filter such as "category:device" lets through."""
    panel = _show_panel(studio)
    if panel is not None:
        panel.show_filter(filter, group)


def similar(studio: Studio, finding: object = None) -> None:
    """List every finding of the same rule, wherever it is."""
    panel = _show_panel(studio)
    if isinstance(finding, Finding) and panel is not None:
        panel.show_filter(f"rule:{finding.rule}", "file")
        panel.tree.show_finding(finding)


def go_on(studio: Studio) -> None:
    """Show the first change that nothing was decided about."""
    review = studio.shared(Review)
    for path in review.files():
        tally = review.tally(path)
        if tally.accepted + tally.rejected < tally.changes:
            still_open = (
                finding
                for finding in review.findings(path)
                if can_decide(finding) and review.decision(finding) is Decision.OPEN
            )
            show_diff(studio, path, next(still_open, None))
            return
    show_diff(studio)


def show_diff(studio: Studio, path: str | Path = "", finding: object = None, line: int = 0) -> None:
    """Show a file beside its migrated form, at a finding or line; scans first if need be."""
    project = studio.project
    if project is None:
        return
    found = finding if isinstance(finding, Finding) else None
    place = found.location.path if found is not None else Path(path) if path else None
    if place is not None and not place.is_absolute():
        place = project.root / place
    review = studio.shared(Review)
    if place is None and project.documents is not None:
        front = studio.window.active_view() if studio.window else None
        document = getattr(front, "document", None)
        place = getattr(document, "path", None)
    if not review.is_scanned:
        _after_scan(studio, review, place, line)
        return
    if place is None:
        place = next(iter(review.files()), None)
    if found is None and place is not None and line:
        here = (f for f in review.findings(place) if f.location.line == line)
        found = next(here, None)
    studio.open(
        project.root,
        opener="migration.diff",
        file=project.relative(place) if place else "",
        finding=found.key if found is not None else "",
    )


def fix_here(studio: Studio, finding: object = None) -> None:
    """Make one change in its file without asking; of the line of the cursor if none is given."""
    review = studio.shared(Review)
    found = finding if isinstance(finding, Finding) else _finding_at_cursor(studio)
    if found is None or not any(f is found for f in review.findings(found.location.path)):
        studio.notify(tr("The migration proposes no change here."))
        return
    if not can_decide(found):
        studio.notify(tr("This has to be done by hand: {why}", why=found.why or found.title))
        return
    title, path = found.title, found.location.path

    def failed(error: BaseException) -> None:
        studio.notify(str(error), severity="error")
        review.scan([path])

    review.apply([found], lambda done: tell_made(studio, title, done), failed)


def accept_safe(studio: Studio) -> None:
    """Accept every change that needs no look."""
    review = studio.shared(Review)
    count = review.accept_safe()
    if not count:
        studio.notify(tr("Every safe change is decided already."))


def apply_accepted(studio: Studio) -> None:
    """Show what would change, and on consent change it."""
    from plugins.migration.ui.applying import ApplyDialog

    review, project = studio.shared(Review), studio.project
    if project is None or studio.window is None:
        return
    edits = review.edits()
    if not edits:
        studio.notify(tr("Accept some changes first: nothing is accepted yet."))
        return
    dialog = ApplyDialog(review, project, edits, studio.window.parent())
    agreed, instead = bool(dialog.exec()), dialog.instead
    dialog.deleteLater()
    if agreed:
        apply_now(studio)
    elif instead:
        studio.run(instead)


def apply_now(studio: Studio) -> None:
    """Apply what is accepted in the background, without asking, and tell of it."""
    review = studio.shared(Review)
    count = review.summary().accepted

    def made(done: Undo) -> None:
        changes = trn("{n} change", "{n} changes", count)
        files = trn("{n} file", "{n} files", len(done.paths))
        text = tr("Migrated: {changes} in {files}.", changes=changes, files=files)
        tell_made(studio, text, done)

    def failed(error: BaseException) -> None:
        studio.notify(str(error), severity="error")
        review.scan()

    review.apply_accepted(made, failed)


def tell_made(studio: Studio, text: str, done: Undo) -> None:
    """Say what was changed and offer the way back; the offer goes once it was taken back."""
    studio.shared(Review).told[id(done)] = text
    studio.notify(text, severity="ok", actions={tr("Undo"): lambda: _undo(studio, done)})


def undo(studio: Studio) -> None:
    """Take the migration back that was applied last."""
    done = studio.shared(Review).last_applied()
    if done is None:
        studio.notify(tr("There is no applied migration to undo."))
    else:
        _undo(studio, done)


def _undo(studio: Studio, done: Undo) -> None:
    def back() -> None:
        offer = studio.shared(Review).told.pop(id(done), "")
        if offer and studio.window is not None:
            studio.window.withdraw(offer)
        files = trn("{n} file", "{n} files", len(done.paths))
        studio.notify(tr("The migration was taken back in {files}.", files=files), severity="ok")

    def failed(error: BaseException) -> None:
        studio.notify(str(error), severity="error")

    studio.shared(Review).undo(done, back, failed)


def _finding_at_cursor(studio: Studio) -> Finding | None:
    """The first change proposed for the line of the cursor in the editor in front."""
    front = studio.window.active_view() if studio.window else None
    document, edit = getattr(front, "document", None), getattr(front, "edit", None)
    if document is None or edit is None:
        return None
    line = edit.cursor_place()[0]
    here = [f for f in studio.shared(Review).findings(document.path) if f.location.line == line]
    return next((f for f in here if can_decide(f)), next(iter(here), None))


def _show_panel(studio: Studio) -> MigrationPanel | None:
    found = studio.window.show_panel(PANEL) if studio.window is not None else None
    return cast("MigrationPanel | None", found)


def _after_scan(studio: Studio, review: Review, place: Path | None, line: int) -> None:
    connections: list[Connection[None]] = []

    def go_on(_done: None) -> None:
        connections.pop().disconnect()
        show_diff(studio, place or "", line=line)

    connections.append(review.scanned.connect(go_on))
    review.scan()
