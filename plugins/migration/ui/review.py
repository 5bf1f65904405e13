"""What all views of the migration share: results of the scan, and what the user decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from plugins.migration.core.edits import edits_for
from plugins.migration.core.recognise import kind_of
from plugins.migration.ui.counts import Counts, Summary
from plugins.migration.ui.decisions import Decisions, Tally, can_decide, is_safe
from studio.i18n import tr
from studio.kernel.events import Event
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from plugins.migration.core.model import FileResult, ScanContext
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.changes import Undo
    from studio.model.context import ContextValues
    from studio.model.document import Document
    from studio.model.edits import TextEdit
    from studio.model.findings import Finding
    from studio.model.project import Project

__all__ = ["Review", "can_decide", "is_safe"]

_TYPING_MS = 500
_MANY_FILES = 150


class Review:
    """One migration of one project; made at first use and kept while the plugin lives."""

    def __init__(self, studio: Studio) -> None:
        self.found: Event[frozenset[Path]] = Event("migration.found")
        self.decided: Event[frozenset[Path]] = Event("migration.decided")
        self.scanned: Event[None] = Event("migration.scanned")
        self.looked_at: Event[Finding] = Event("migration.looked_at")
        self.results: dict[Path, FileResult] = {}
        self.counts = Counts()
        self.problem = ""
        self.told: dict[int, str] = {}
        self.made: dict[int, tuple[Path, bytes]] = {}
        self._studio = studio
        self._job: Job | None = None
        self._context: ScanContext | None = None
        self._typed: set[Path] = set()
        self._later = QTimer(singleShot=True, interval=_TYPING_MS)
        self._later.timeout.connect(self._rescan_typed)
        self._project: Project | None = None
        self._decisions = Decisions({}, str)
        self._listening: list[Any] = []
        studio.connect(studio.project_changed, self._on_project)
        studio.connect(studio.setting_changed, self._on_setting)
        studio.on_unload(self._leave)
        self._on_project(studio.project)

    # -- results --------------------------------------------------------------------------------
    @property
    def is_scanned(self) -> bool:
        """Whether the project was scanned in this run."""
        return bool(self.results)

    @property
    def was_scanned(self) -> bool:
        """Whether the project was ever scanned."""
        return self._project is not None and bool(self._state().get("scanned"))

    @property
    def is_scanning(self) -> bool:
        """Whether a scan runs or waits to run."""
        return (self._job is not None and self._job.active) or self._later.isActive()

    @property
    def is_watching(self) -> bool:
        """Whether files that change are scanned anew."""
        return bool(self._studio.setting("migration.watch"))

    @property
    def strategy(self) -> str:
        """How the project is to be moved: "rewrite" it, or put a "shim" before it."""
        return str(self._state().get("strategy", "rewrite"))

    def set_strategy(self, strategy: str) -> None:
        """Choose the other way and judge anew."""
        if self._project is not None and strategy != self.strategy:
            self._state()["strategy"] = strategy
            self._on_context(None)

    def files(self) -> list[Path]:
        """The files with findings, in order."""
        return sorted(path for path, result in self.results.items() if result.findings)

    def findings(self, path: Path) -> Sequence[Finding]:
        """The findings of a file, by place."""
        return self.results[path].findings if path in self.results else ()

    def of_rule(self, rule: str) -> list[Finding]:
        """Every finding of one rule, by file and place."""
        return [f for path in self.files() for f in self.findings(path) if f.rule == rule]

    def tally(self, path: Path) -> Tally:
        """Count the changes of a file by what was decided."""
        return self._decisions.tally(path, self.findings(path))

    def summary(self) -> Summary:
        """Count what was found and decided."""
        tallies = [self.tally(path) for path, found in self.results.items() if found.findings]
        return Summary(
            len(tallies),
            self.counts.statuses(),
            sum(tally.changes for tally in tallies),
            sum(tally.accepted for tally in tallies),
            sum(tally.rejected for tally in tallies),
            sum(tally.safe for tally in tallies),
            self.counts.offers(),
        )

    # -- decisions ------------------------------------------------------------------------------
    @property
    def revision(self) -> int:
        """Another number after each decision and scan."""
        return self._decisions.revision

    def decision(self, finding: Finding) -> Decision:
        """What was decided about a finding."""
        return self._decisions.of(finding)

    def decisions(self, findings: Iterable[Finding]) -> list[Decision]:
        """What was decided about those of many findings that propose a change."""
        return self._decisions.of_all(findings)

    def decide(self, findings: Iterable[Finding], decision: Decision) -> None:
        """Decide about findings that propose a change; the others have nothing to decide."""
        if paths := self._decisions.decide(findings, decision):
            self.decided.emit(paths)

    def accept_safe(self) -> int:
        """Accept every open change that is safe without a look; returns how many."""
        found = {
            path: self._decisions.accept_safe(path, result.findings)
            for path, result in self.results.items()
            if result.findings
        }
        paths = frozenset(path for path, count in found.items() if count)
        if paths:
            self._decisions.forget(paths)
            self.decided.emit(paths)
        return sum(found.values())

    def accepted(self, path: Path) -> list[Finding]:
        """The accepted findings of a file."""
        return [f for f in self.findings(path) if self.decision(f) is Decision.ACCEPTED]

    def edits(self) -> dict[Path, list[TextEdit]]:
        """The edits of everything accepted, per file."""
        found = {path: edits_for(self.accepted(path), self.findings(path)) for path in self.files()}
        return {path: edits for path, edits in found.items() if edits}

    # -- doing ----------------------------------------------------------------------------------
    def scan(self, paths: Sequence[Path] | None = None) -> None:
        """Scan the project, or some of its files anew, in the background."""
        project = self._project
        if project is None:
            return
        values = project.context.values
        dirty = {d.path: d.shown_text for d in project.documents.dirty()}
        whole = paths is None
        job = self._studio.start_job(
            "migration:ui.jobs.scan",
            {
                "root": project.root,
                "paths": None if paths is None else list(paths),
                "texts": dirty if paths is None else {p: dirty[p] for p in paths if p in dirty},
                "torch": values.torch_version,
                "chip": values.chip,
                "strategy": self.strategy,
                "known": None if whole else self._context,
            },
            title=tr("Scanning {name} for migration", name=project.name),
            key="scan" if whole else f"scan {sorted(map(str, paths or ()))}",
            process=whole and len(project.files) > _MANY_FILES,
            done=lambda scanned: self._take(scanned.results, whole, scanned.context),
            failed=self._failed,
        )
        if whole:
            self._job = job
            self.problem = ""
            self.found.emit(frozenset())

    def apply(
        self,
        findings: Sequence[Finding],
        done: Callable[[Undo], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        """Apply some findings of one file, in a job, as one change to be undone."""
        path = findings[0].location.path
        edits = edits_for(findings, self.findings(path))
        self._apply(edits, findings[0].title, done, failed)

    def apply_accepted(
        self, done: Callable[[Undo], object], failed: Callable[[BaseException], object]
    ) -> None:
        """Apply everything accepted, in a job, as one change to be undone."""
        edits = [edit for edits in self.edits().values() for edit in edits]
        self._apply(edits, tr("Migration"), done, failed)

    def _apply(
        self,
        edits: Sequence[TextEdit],
        title: str,
        done: Callable[[Undo], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        project = self._project
        if project is None or not edits:
            return

        def made(undo: Undo) -> None:
            self.scan(undo.paths)
            done(undo)

        project.apply_later(edits, title, done=made, failed=failed)

    def last_applied(self) -> Undo | None:
        """The latest applied migration that was not undone."""
        history = self._project.history if self._project is not None else []
        title = tr("Migration")
        return next((u for u in reversed(history) if u.title == title and not u.undone), None)

    def undo(
        self,
        undo: Undo,
        done: Callable[[], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        """Take an applied migration back, in a job; fails when a file changed since.

        What was written beside it goes as well, unless somebody changed it.
        """

        def back() -> None:
            made = self.made.pop(id(undo), None)
            if made is not None and made[0].is_file() and made[0].read_bytes() == made[1]:
                made[0].unlink()
            self.scan(undo.paths)
            done()

        if self._project is not None:
            self._project.undo_later(undo, done=back, failed=failed)

    # -- events ---------------------------------------------------------------------------------
    def _on_project(self, project: Project | None) -> None:
        self._leave()
        self._project = project
        if project is not None:
            self._decisions = Decisions(self._state(), project.relative)
            self._listening = [
                project.files_changed.connect(self._on_files),
                project.documents.changed.connect(self._on_document),
                project.context.changed.connect(self._on_context),
            ]
        self.found.emit(frozenset())

    def _leave(self) -> None:
        for connection in self._listening:
            connection.disconnect()
        self._listening = []
        self._later.stop()
        self._typed = set()
        self._decisions = Decisions({}, str)
        self.results = {}
        self.counts.clear()
        self.problem = ""
        self._job = None
        self._context = None

    def _on_files(self, paths: frozenset[Path]) -> None:
        if not self.is_scanned:
            return
        gone = {path for path in self.results if path in paths and not path.is_file()}
        for path in gone:
            del self.results[path]
            self.counts.put(path, ())
        if gone:
            self._studio.publish(dict.fromkeys(gone, ()))
            self.found.emit(frozenset(gone))
        if self.is_watching and any(path.name == "migration.toml" for path in paths):
            self.scan()  # the user's rules may change any verdict
            return
        self._watch(path for path in paths - gone if kind_of(path) and path.is_file())

    def _on_document(self, document: Document) -> None:
        if document.path in self.results:
            self._watch({document.path})

    def _watch(self, paths: Iterable[Path]) -> None:
        self._typed.update(paths)
        if self._typed and self.is_watching:
            self._later.start()

    def _on_setting(self, key: str) -> None:
        if key == "migration.watch":
            self._watch(())

    def _on_context(self, _values: ContextValues | None) -> None:
        if self.is_scanned or self.problem:
            self.scan()

    def _rescan_typed(self) -> None:
        paths, self._typed = sorted(self._typed), set()
        if paths:
            self.scan(paths)

    def _take(
        self, results: Sequence[FileResult], whole: bool, context: ScanContext | None = None
    ) -> None:
        self._context = context or self._context
        old = set(self.results)
        found = {result.path: result for result in results}
        if whole:
            self.results = found
            self.counts.clear()
            self._state()["scanned"] = True
        else:
            self.results.update(found)
        for path, result in found.items():
            self.counts.put(path, result.findings)
        gone: dict[Path, Sequence[Finding]] = dict.fromkeys(old, ()) if whole else {}
        told = {**gone, **{path: result.findings for path, result in found.items()}}
        self._decisions.forget(told)
        self._studio.publish({p: f for p, f in told.items() if f or p in old})
        self.found.emit(frozenset(told))
        if whole:
            self.scanned.emit(None)

    def _failed(self, error: BaseException) -> None:
        self.problem = str(error)
        self.found.emit(frozenset())

    def _state(self) -> dict[str, Any]:
        return self._project.state("migration") if self._project else {}
