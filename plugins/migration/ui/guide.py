"""From one card to several: a training script beside what becomes of it, step by step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedLayout, QTabWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from plugins.migration.ui.guidepane import GuidePane
from plugins.migration.ui.guidestates import short_name, show_made, show_reasons
from plugins.migration.ui.guiding import make_changes
from plugins.migration.ui.owned import OwnedChanges
from plugins.migration.ui.review import Review
from plugins.migration.ui.taken import Taken, saved_for
from plugins.migration.ui.texts import text_of
from studio.i18n import tr, trn
from studio.model.encoding import shown
from studio.model.locations import Location
from studio.ui.code import make_code_edit
from studio.ui.codelanguages import language_of
from studio.ui.diff import Decision, DiffView
from studio.ui.diffedits import LONG, EditedText, align_edits
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugins.migration.core.guide.guiding import Guide
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.findings import Finding
    from studio.ui.diffsheets import Sheet

_MANY_FILES = 150


class GuideView(QWidget):
    """Asks the guide about the scripts of the project, and shows one of them at a time."""

    title_changed = Signal()

    def __init__(self, studio: Studio, root: Path, file: str = "") -> None:
        super().__init__()
        self._studio, self._root, self._wanted = studio, root, file
        self._review = studio.shared(Review)
        self._guides: list[Guide] = []
        self._owned: OwnedChanges | None = None
        self._job: Job | None = None
        self._aligning: Job | None = None
        self._known = ""
        self.taken: Taken | None = None
        self.scripts = QComboBox()
        self.scripts.setAccessibleName(tr("Training script"))
        self.scripts.setToolTip(tr("Training script"))
        self.scripts.activated.connect(self._show_script)
        self.diff = DiffView(self)
        self.launcher = make_code_edit(self)
        self.launcher.set_read_only(True)
        self.pane = GuidePane(self)
        self.empty = EmptyState("migration", "")
        self._arrange()
        self._fill_bar()
        self.diff.current_changed.connect(self._on_change)
        self.diff.decided.connect(self._decide_change)
        self.pane.decided.connect(self._decide)
        self.pane.chosen.connect(self._go_to)
        found = self._review.found.connect(self._on_found)
        self.destroyed.connect(found.disconnect)
        self.ask()

    # -- what the window asks for ---------------------------------------------------------------
    def title(self) -> str:
        """The script, and where it goes."""
        guide = self.guide()
        if guide is None:
            return tr("One card → several")
        return tr("{name} → several cards", name=guide.path.name)

    def tool_tip(self) -> str:
        """The script within the project."""
        guide = self.guide()
        return str(guide.path if guide else self._root)

    def reopen(self, file: str = "") -> None:
        """Ask again, about another script perhaps."""
        self._wanted = file or self._wanted
        self.ask()

    def save_state(self) -> dict[str, Any]:
        """Which script is shown."""
        return {"file": self._wanted}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show it again."""
        if state.get("file"):
            self.reopen(str(state["file"]))

    def idle(self) -> bool:
        """Whether the guide has answered."""
        return not any(job is not None and job.active for job in (self._job, self._aligning))

    # -- asking ---------------------------------------------------------------------------------
    def ask(self) -> None:
        """Look for the steps in the background; unsaved texts count as they are."""
        project = self._studio.project
        if project is None:
            return
        values = project.context.values
        self.empty.set_content("migration", tr("Looking for the steps…"))
        self._stack.setCurrentIndex(1)
        self._job = self._studio.start_job(
            "migration:ui.jobs.guides",
            {
                "root": project.root,
                "file": self._wanted,
                "texts": {d.path: d.shown_text for d in project.documents.dirty()},
                "torch": values.torch_version,
                "chip": values.chip,
            },
            title=tr("Leading {name} to several cards", name=self._wanted or project.name),
            key="guide",
            process=not self._wanted and len(project.files) > _MANY_FILES,
            done=self._take,
            failed=lambda error: self._show_problem(str(error)),
        )

    def _on_found(self, paths: frozenset[Path]) -> None:
        """Ask again when the script is another by now: edited, or the changes taken back."""
        guide = self.guide()
        if guide is not None and guide.path in paths and self.idle():
            try:
                text, _ = text_of(self._studio, guide.path)
            except OSError:
                return
            if text != self._known:
                self.ask()

    def guide(self) -> Guide | None:
        """The guide for the script that is shown."""
        at = self.scripts.currentIndex()
        return self._guides[at] if 0 <= at < len(self._guides) else None

    def _take(self, guides: Sequence[Guide]) -> None:
        self._guides = sorted(guides, key=lambda guide: guide.order)
        self.scripts.clear()
        for guide in self._guides:
            self.scripts.addItem(self._name(guide.path))
        self._picker.setVisible(len(self._guides) > 1)
        if not self._guides:
            text = tr("The guide looks for scripts that call backward().")
            title = tr("No script of this project trains a model")
            self.empty.set_content("migration", title, text)
            return
        self._show_script()

    def _show_script(self, _index: int = 0) -> None:
        guide = self.guide()
        self.title_changed.emit()
        project = self._studio.project
        if guide is None or project is None:
            return
        self._known = shown(guide.text)
        if self._aligning is not None:
            self._aligning.cancel()
        if not guide.ready:
            self._show_reasons(guide)
            return
        state = project.state("migration")
        taken = Taken(guide, saved_for(state, self._name(guide.path)))
        fixes = [(f, edit) for f in taken.changes() if f.fix for edit in f.fix.edits]
        edits = [(edit.start, edit.end, edit.text) for _, edit in fixes]
        owners = [finding for finding, _ in fixes]
        if len(guide.text) < LONG:
            self._show_changes(taken, owners, align_edits(guide.text, edits))
            return
        self.taken = self._owned = None  # nothing to decide about until it is there
        self.empty.set_content("migration", tr("Comparing…"))
        self._stack.setCurrentIndex(1)
        self._aligning = self._studio.start_job(
            "studio:ui.diffedits.align_and_lay_out",
            {"text": guide.text, "edits": edits},
            title=tr("Comparing {name}", name=guide.path.name),
            key=f"guide comparison {id(self)}",
            done=lambda found: self._aligned(taken, owners, *found),
            failed=lambda error: self._show_problem(str(error)) if isValid(self) else None,
        )

    def _aligned(
        self, taken: Taken, owners: list[Finding], edited: EditedText, sheets: Sequence[Sheet]
    ) -> None:
        if isValid(self) and self.guide() is taken.guide:
            self._show_changes(taken, owners, edited, sheets)

    def _show_changes(
        self, taken: Taken, owners: list[Finding], edited: EditedText, sheets: Sequence[Sheet] = ()
    ) -> None:
        guide = taken.guide
        self.taken = taken
        self._owned = OwnedChanges(edited, owners)
        name = self._name(guide.path)
        self.diff.show_alignment(
            self._owned.edited.alignment,
            language=language_of(guide.path),
            titles=(
                tr("{name} · one card", name=name),
                tr("{name} · several cards", name=name),
            ),
            decisions=self._decisions(),
            sheets=sheets,
        )
        if guide.launcher is not None:
            self.launcher.set_language(language_of(guide.launcher.path))
            self.launcher.set_text(guide.launcher.text)
            self._tabs.setTabText(1, tr("{name} · new", name=guide.launcher.path.name))
        self._tabs.setTabText(0, guide.path.name)
        self.pane.show_steps(taken)
        self._stack.setCurrentIndex(0)
        self.diff.go_to(0)
        self._refresh()

    # -- deciding -------------------------------------------------------------------------------
    def _decide_change(self, change: int, decision: Decision) -> None:
        if self._owned is not None:
            self._decide(self._owned.of(change), decision)

    def _decide(self, findings: Sequence[Finding], decision: Decision) -> None:
        taken = Decision.REJECTED if decision is Decision.REJECTED else Decision.ACCEPTED
        if self.taken is not None:
            self.taken.decide(findings, taken)
            self._refresh()

    def _decisions(self) -> list[Decision | None]:
        return self._owned.decided(self.taken.of) if self._owned and self.taken else []

    def _refresh(self) -> None:
        if self.taken is None:
            return
        self.diff.set_decisions(self._decisions())
        self.pane.refresh()
        count = len(self.taken.chosen())
        self._apply.setText(trn("Make {n} change", "Make {n} changes", count))
        self._apply.setEnabled(count > 0)
        self._tabs.setTabVisible(1, self.taken.takes_steps)

    def _on_change(self, number: int) -> None:
        owners = self._owned.of(number) if self._owned else []
        self.pane.explain(next((f for f in owners if self.taken and self.taken.of(f)), None))

    def _go_to(self, finding: Finding) -> None:
        if self._owned is not None and finding is not None:
            self._tabs.setCurrentIndex(0)
            self.diff.go_to(self._owned.change_of(finding))
            self.pane.explain(finding)

    def apply(self) -> None:
        """Make the changes that are taken, write the file that starts the script, and say so."""
        if self.taken is not None:
            guide = self.taken.guide
            make_changes(
                self._studio,
                self.taken,
                lambda launcher: self._made(guide, launcher),
                self._not_made,
            )

    def _made(self, guide: Guide, launcher: str) -> None:
        if isValid(self):
            self._known, _ = text_of(self._studio, guide.path)
            show_made(self.empty, guide, launcher, self._open)
            self._stack.setCurrentIndex(1)

    def _not_made(self, error: BaseException) -> None:
        self._studio.notify(str(error), severity="error")
        if isValid(self):
            self.ask()

    # -- what is in the way ---------------------------------------------------------------------
    def _show_reasons(self, guide: Guide) -> None:
        self.taken = None
        paths = [other.path for other in self._guides]
        others = [
            Action(short_name(other.path, paths), partial(self._choose, n), "script")
            for n, other in enumerate(self._guides)
            if other is not guide
        ]
        show_reasons(self.empty, guide, self._open, others)
        self._stack.setCurrentIndex(1)

    def _show_problem(self, problem: str) -> None:
        again = Action(tr("Try again"), self.ask, "refresh")
        self.empty.set_content("warn", tr("The guide has no answer"), problem, [again])
        self._stack.setCurrentIndex(1)

    def _choose(self, number: int) -> None:
        self.scripts.setCurrentIndex(number)
        self._show_script()

    def _open(self, path: Path, line: int) -> None:
        self._studio.reveal(Location.source(path, line))

    # -- making ---------------------------------------------------------------------------------
    def _fill_bar(self) -> None:
        bar = self.diff.bar
        bar.addSeparator()
        self._picker = bar.addWidget(self.scripts)
        bar.add_stretch()
        self._apply = bar.add("save", tr("Make the changes"), self.apply, text=True)
        bar.add("refresh", tr("Look for the steps again"), self.ask, keys="F5")

    def _arrange(self) -> None:
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self.diff, "")
        self._tabs.addTab(self.launcher, "")
        split = QSplitter()
        split.setHandleWidth(1)
        split.addWidget(self._tabs)
        split.addWidget(self.pane)
        split.setStretchFactor(0, 1)
        split.setSizes([1000, 320])
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(split)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(holder)
        self.setFocusProxy(self.diff)

    def _name(self, path: Path) -> str:
        project = self._studio.project
        return project.relative(path) if project else path.name


def make_guide(studio: Studio, path: Path, file: str = "") -> GuideView:
    """Make the view for the project at `path`; `file` is a script in it."""
    root = path if path.is_dir() else path.parent
    return GuideView(studio, root, file)
