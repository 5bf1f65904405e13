"""One file beside what becomes of it: step through the changes, decide, and read why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from plugins.migration.ui.diffbar import fill_bar
from plugins.migration.ui.empty import show_state
from plugins.migration.ui.notes import notes_of
from plugins.migration.ui.owned import OwnedChanges
from plugins.migration.ui.reasonsplit import ReasonSplit
from plugins.migration.ui.review import Review
from plugins.migration.ui.texts import next_by_hand, text_of
from plugins.migration.ui.why import WhyPane
from studio.i18n import tr
from studio.model.encoding import shown
from studio.model.locations import Location
from studio.ui.codelanguages import language_of
from studio.ui.diff import Decision, DiffView
from studio.ui.diffedits import LONG, EditedText, align_edits
from studio.ui.findingmarks import squiggles
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.api import Studio
    from studio.model.findings import Finding
    from studio.ui.diffsheets import Sheet


class MigrationDiff(QWidget):
    """Follows the review: shows one file at a time, the one last asked for."""

    title_changed = Signal()

    def __init__(self, studio: Studio, root: Path, file: str = "", finding: str = "") -> None:
        super().__init__()
        self._studio = studio
        self._root = root
        self._review = studio.shared(Review)
        self._file: Path | None = None
        self._wanted = finding
        self._waiting: dict[str, Any] | None = None
        self._owned: OwnedChanges | None = None
        self._shown: tuple[object, ...] = ()
        self._loading = False
        self.diff = DiffView(self)
        self.why = WhyPane(studio, self)
        self.empty = EmptyState("migration", "")
        self._arrange()
        fill_bar(studio, self)
        self.diff.current_changed.connect(lambda _number: self._explain())
        self.diff.decided.connect(self._decide_change)
        self.diff.place_chosen.connect(self._on_place)
        self.why.decided.connect(self._review.decide)
        found = self._review.found.connect(self._on_found)
        decided = self._review.decided.connect(self._on_decided)
        self.destroyed.connect(found.disconnect)
        self.destroyed.connect(decided.disconnect)
        self.reopen(file, finding)

    # -- what the window asks for ---------------------------------------------------------------
    def title(self) -> str:
        """The name of the file and what is shown beside it."""
        if self._file is None:
            return tr("Migration")
        return tr("{name} ↔ migrated", name=self._file.name)

    def tool_tip(self) -> str:
        """The file within the project."""
        return str(self._file or self._root)

    def reopen(self, file: str = "", finding: str = "") -> None:
        """Show another file, or another finding of the same."""
        path = self._root / file if file else None
        if path is None and self._file is None:
            path = next(iter(self._review.files()), None)
        self._wanted = finding
        if path is not None and path != self._file:
            self._file = path
            self._shown = ()
            self.title_changed.emit()
        self._load()

    def reveal(self, location: Location) -> bool:
        """Go to the change at a place of the file."""
        if self._file != location.path or self._owned is None or location.line is None:
            return False
        self._go_to_line(location.line)
        return True

    def save_state(self) -> dict[str, Any]:
        """Which file, and where in it."""
        file = "" if self._file is None else str(self._file)
        return {"file": file, "diff": self.diff.save_state()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return there; a scan that is not done yet is waited for."""
        if state.get("file"):
            self._file = Path(state["file"])
            self._waiting = state.get("diff")
            self.title_changed.emit()
            self._load()

    def idle(self) -> bool:
        """Whether the comparison is shown."""
        return not self._loading

    # -- loading --------------------------------------------------------------------------------
    def _load(self) -> None:
        if self._file is None or not self._review.is_scanned:
            if self._review.was_scanned and not self._review.is_scanning:
                self._review.scan()
            self._show_empty()
            return
        try:
            text, version = text_of(self._studio, self._file)
        except OSError as error:
            self._show_problem(str(error.strerror or error))
            return
        findings = tuple(self._review.findings(self._file))
        state = (self._file, version, tuple(f.key for f in findings))
        if state == self._shown:
            self._arrive()
            return
        fixes = [(f, edit) for f in findings if f.fix for edit in f.fix.edits]
        if any(text[e.start : e.end] != shown(e.expected) for _, e in fixes):
            return  # typed in since; the review scans it again and tells
        self._shown = state
        edits = [(edit.start, edit.end, edit.text) for _, edit in fixes]
        owners = [finding for finding, _ in fixes]
        if len(text) < LONG:
            self._show(align_edits(text, edits), owners)
            return
        self._loading = True
        self._studio.start_job(
            "studio:ui.diffedits.align_and_lay_out",
            {"text": text, "edits": edits},
            title=tr("Comparing {name}", name=self._file.name),
            key="diff",
            done=lambda found: self._show(found[0], owners, found[1]) if isValid(self) else None,
            failed=lambda error: self._show_problem(str(error)) if isValid(self) else None,
        )

    def _show(
        self, edited: EditedText, owners: list[Finding], sheets: Sequence[Sheet] = ()
    ) -> None:
        assert self._file is not None
        old = None if self._owned is None else self._owned.edited.alignment.left
        before = self.diff.save_state() if old == edited.alignment.left else None
        self._loading = False
        self._owned = OwnedChanges(edited, owners)
        name = self._relative(self._file)
        self.diff.show_alignment(
            edited.alignment,
            language=language_of(self._file),
            titles=(tr("{name} · original", name=name), tr("{name} · migrated", name=name)),
            decisions=self._owned.decisions(self._review),
            sheets=sheets,
        )
        self._mark_notes()
        self._stack.setCurrentIndex(0)
        if before is not None and not self._wanted:
            self.diff.restore_state(before)
        self._explain()
        self._arrive()

    def _arrive(self) -> None:
        """Go to what was asked for: a finding, a saved place, or the first change."""
        self._stack.setCurrentIndex(0)
        if self._waiting is not None:
            self.diff.restore_state(self._waiting)
            self._waiting = None
        elif self._wanted:
            findings = self._review.findings(self._file) if self._file else ()
            found = next((f for f in findings if f.key == self._wanted), None)
            self._wanted = ""
            if found is not None:
                self._go_to(found)
        elif self.diff.current() < 0:
            self.diff.go_to(0)

    def _show_empty(self) -> None:
        if not show_state(self.empty, self._studio, self._review):
            text = tr("Choose a file in the list at the left.")
            self.empty.set_content("migration", tr("No file is shown"), text)
        self._stack.setCurrentIndex(1)

    def _show_problem(self, problem: str) -> None:
        self._loading = False
        name = self._file.name if self._file else ""
        self.empty.set_content("warn", tr("{name} could not be shown", name=name), problem)
        self._stack.setCurrentIndex(1)

    # -- deciding -------------------------------------------------------------------------------
    def _decide_change(self, change: int, decision: Decision) -> None:
        if self._owned is not None:
            self._review.decide(self._owned.of(change), decision)

    def decide_file(self, decision: Decision) -> None:
        """Decide about every change of the file."""
        if self._file is not None:
            self._review.decide(self._review.findings(self._file), decision)

    def _on_found(self, paths: frozenset[Path]) -> None:
        if self._file is None:
            self.reopen()
        elif not paths or self._file in paths:
            self._load()
        self.why.refresh()

    def _on_decided(self, paths: frozenset[Path]) -> None:
        if self._file in paths and self._owned is not None:
            self.diff.set_decisions(self._owned.decisions(self._review))
        self.why.refresh()

    # -- explaining -----------------------------------------------------------------------------
    def _explain(self) -> None:
        owners = self._owned.of(self.diff.current()) if self._owned else []
        self.why.explain([*owners, *self._notes_beside(owners)])
        if owners:
            self._review.looked_at.emit(owners[0])

    def _notes_beside(self, owners: Sequence[Finding]) -> list[Finding]:
        """What else is to be known of the lines of a change."""
        lines = {owner.location.line for owner in owners}
        findings = self._review.findings(self._file) if self._file else ()
        return [f for f in findings if f.fix is None and f.location.line in lines]

    def _on_place(self, line: int) -> None:
        """Explain what stands in a line of the original that has no change of its own."""
        findings = self._review.findings(self._file) if self._file else ()
        here = [f for f in findings if f.fix is None and f.location.line == line]
        if here and self.diff.current() < 0:
            self.why.explain(here)

    def _mark_notes(self) -> None:
        """Mark in the original what is no change: by hand, not supported, to know."""
        findings = self._review.findings(self._file) if self._file else ()
        notes = [finding for finding in findings if finding.fix is None]
        self.diff.left.set_marks(squiggles(self.diff.left_text(), notes))
        self.diff.set_notes(notes_of(notes))

    def _go_to(self, finding: Finding) -> None:
        assert self._owned is not None
        change = self._owned.change_of(finding)
        if change >= 0:
            self.diff.go_to(change)
        else:
            self._go_to_line(finding.location.line or 1)
            self._review.looked_at.emit(finding)
        self.why.explain([finding, *self._notes_beside([finding])] if finding.fix else [finding])

    def go_on_by_hand(self) -> None:
        """Go to the next place that is to be worked on by hand or only to be known."""
        findings = self._review.findings(self._file) if self._file else ()
        found = next_by_hand(findings, self.diff.left_line() or 0)
        if found is not None and self._owned is not None:
            self._go_to(found)

    def _go_to_line(self, line: int) -> None:
        for number, change in enumerate(self.diff.alignment().changes):
            if change.left[0] < line <= change.left[1]:
                self.diff.go_to(number)
                return
        self.diff.go_to_line(line)

    def open_editor(self) -> None:
        """Go to the same line in the editor."""
        if self._file is not None:
            line = self.diff.left_line() or 1
            self._studio.reveal(Location.source(self._file, line))

    # -- making ---------------------------------------------------------------------------------
    def _arrange(self) -> None:
        self._split = ReasonSplit(self.diff, self.why)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(self._split)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(holder)
        self.setFocusProxy(self.diff)

    def _relative(self, path: Path) -> str:
        project = self._studio.project
        return project.relative(path) if project else path.name


def make_diff(studio: Studio, path: Path, file: str = "", finding: str = "") -> MigrationDiff:
    """Make the view for the project at `path`; `file` is relative to it."""
    root = path if path.is_dir() else path.parent
    return MigrationDiff(studio, root, file or ("" if path.is_dir() else path.name), finding)
