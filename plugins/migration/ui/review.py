"""What all views of the migration share: results of the scan, and what the user decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from plugins.migration.core.edits import IMPORT_RULE, edits_for
from plugins.migration.core.recognise import kind_of
from studio.i18n import tr
from studio.kernel.events import Event
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from plugins.migration.core.model import FileResult
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.changes import Undo
    from studio.model.context import ContextValues
    from studio.model.document import Document
    from studio.model.edits import TextEdit
    from studio.model.findings import Finding
    from studio.model.project import Project

_TYPING_MS = 500
_MANY_FILES = 150
_SAVED = {Decision.ACCEPTED: "accepted", Decision.REJECTED: "rejected"}
_DECIDED = {name: decision for decision, name in _SAVED.items()}


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a scan: findings by what is to be done, changes by what was decided."""

    files: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    changes: int = 0
    accepted: int = 0
    rejected: int = 0

    @property
    def findings(self) -> int:
        """All findings that ask for something."""
        return sum(n for status, n in self.statuses.items() if status != "info")

    @property
    def readiness(self) -> float:
        """The share of findings that are rewritten without a look or work by hand."""
        return self.statuses.get("auto", 0) / self.findings if self.findings else 1.0


class Review:
    """One migration of one project; made at first use and kept while the plugin lives."""

    def __init__(self, studio: Studio) -> None:
        self.found: Event[frozenset[Path]] = Event("migration.found")
        self.decided: Event[frozenset[Path]] = Event("migration.decided")
        self.scanned: Event[None] = Event("migration.scanned")
        self.looked_at: Event[Finding] = Event("migration.looked_at")
        self.results: dict[Path, FileResult] = {}
        self.problem = ""
        self._studio = studio
        self._job: Job | None = None
        self._typed: set[Path] = set()
        self._places: dict[Path, str] = {}
        self._later = QTimer(singleShot=True, interval=_TYPING_MS)
        self._later.timeout.connect(self._rescan_typed)
        self._project: Project | None = None
        self._listening: list[Any] = []
        studio.connect(studio.project_changed, self._on_project)
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

    def files(self) -> list[Path]:
        """The files with findings, in order."""
        return sorted(path for path, result in self.results.items() if result.findings)

    def findings(self, path: Path) -> Sequence[Finding]:
        """The findings of a file, by place."""
        result = self.results.get(path)
        return () if result is None else result.findings

    def summary(self) -> Summary:
        """Count what was found and decided."""
        statuses: Counter[str] = Counter()
        decisions: Counter[Decision] = Counter()
        for path, result in self.results.items():
            saved = self._of_file(path) if result.findings else {}
            for finding in result.findings:
                statuses[str(finding.facts["status"])] += 1
                if can_decide(finding):
                    decisions[_DECIDED.get(saved.get(finding.key, ""), Decision.OPEN)] += 1
        return Summary(
            len(self.files()),
            dict(statuses),
            sum(decisions.values()),
            decisions[Decision.ACCEPTED],
            decisions[Decision.REJECTED],
        )

    # -- decisions ------------------------------------------------------------------------------
    def decision(self, finding: Finding) -> Decision:
        """What was decided about a finding."""
        return _DECIDED.get(
            self._of_file(finding.location.path).get(finding.key, ""), Decision.OPEN
        )

    def decide(self, findings: Iterable[Finding], decision: Decision) -> None:
        """Decide about findings that propose a change; the others have nothing to decide."""
        paths: set[Path] = set()
        for finding in findings:
            if not can_decide(finding) or self.decision(finding) is decision:
                continue
            decisions = self._of_file(finding.location.path)
            if decision in _SAVED:
                decisions[finding.key] = _SAVED[decision]
            else:
                decisions.pop(finding.key, None)
            paths.add(finding.location.path)
        if paths:
            self.decided.emit(frozenset(paths))

    def accept_safe(self) -> int:
        """Accept every open change that is safe without a look; returns how many."""
        count = 0
        paths: set[Path] = set()
        for path, result in self.results.items():
            saved = self._of_file(path) if result.findings else {}
            for finding in result.findings:
                if finding.key not in saved and is_safe(finding) and can_decide(finding):
                    saved[finding.key] = _SAVED[Decision.ACCEPTED]
                    paths.add(path)
                    count += 1
        if paths:
            self.decided.emit(frozenset(paths))
        return count

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
            },
            title=tr("Scanning {name} for migration", name=project.name),
            key="scan" if whole else f"scan {sorted(map(str, paths or ()))}",
            process=whole and len(project.files) > _MANY_FILES,
            done=lambda results: self._take(results, whole),
            failed=self._failed,
        )
        if whole:
            self._job = job
            self.problem = ""
            self.found.emit(frozenset())

    def apply(self) -> Undo | None:
        """Apply everything accepted as one change of the project that can be undone."""
        project = self._project
        edits = [edit for edits in self.edits().values() for edit in edits]
        if project is None or not edits:
            return None
        undo = project.apply(edits, tr("Migration"))
        self.scan(undo.paths)
        return undo

    def last_applied(self) -> Undo | None:
        """The latest applied migration that was not undone."""
        history = self._project.history if self._project is not None else []
        title = tr("Migration")
        return next((u for u in reversed(history) if u.title == title and not u.undone), None)

    def undo(self, undo: Undo) -> None:
        """Take an applied migration back; raises StudioError when a file changed since."""
        undo.undo()
        self.scan(undo.paths)

    # -- events ---------------------------------------------------------------------------------
    def _on_project(self, project: Project | None) -> None:
        self._leave()
        self._project = project
        if project is not None:
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
        self._places = {}
        self.results = {}
        self.problem = ""
        self._job = None

    def _on_files(self, paths: frozenset[Path]) -> None:
        if not self.is_scanned:
            return
        gone = {path for path in self.results if path in paths and not path.is_file()}
        for path in gone:
            del self.results[path]
        if gone:
            self._studio.publish(dict.fromkeys(gone, ()))
            self.found.emit(frozenset(gone))
        self._typed |= {path for path in paths - gone if kind_of(path) and path.is_file()}
        if self._typed:
            self._later.start()

    def _on_document(self, document: Document) -> None:
        if document.path in self.results:
            self._typed.add(document.path)
            self._later.start()

    def _on_context(self, _values: ContextValues) -> None:
        if self.is_scanned or self.problem:
            self.scan()

    def _rescan_typed(self) -> None:
        paths, self._typed = sorted(self._typed), set()
        if paths:
            self.scan(paths)

    def _take(self, results: Sequence[FileResult], whole: bool) -> None:
        old = set(self.results)
        found = {result.path: result for result in results}
        if whole:
            self.results = found
            self._state()["scanned"] = True
        else:
            self.results.update(found)
        gone: dict[Path, Sequence[Finding]] = dict.fromkeys(old, ()) if whole else {}
        told = {**gone, **{path: result.findings for path, result in found.items()}}
        self._studio.publish({p: f for p, f in told.items() if f or p in old})
        self.found.emit(frozenset(told))
        if whole:
            self.scanned.emit(None)

    def _failed(self, error: BaseException) -> None:
        self.problem = str(error)
        self.found.emit(frozenset())

    # -- state ----------------------------------------------------------------------------------
    def _state(self) -> dict[str, Any]:
        return {} if self._project is None else self._project.state("migration")

    def _of_file(self, path: Path) -> dict[str, str]:
        """The saved decisions of a file, by what each finding is about."""
        if path not in self._places:
            relative = self._project.relative(path) if self._project is not None else str(path)
            self._places[path] = relative
        decisions: dict[str, dict[str, str]] = self._state().setdefault("decisions", {})
        return decisions.setdefault(self._places[path], {})


def can_decide(finding: Finding) -> bool:
    """Whether a finding proposes a change; the import comes with the first accepted one."""
    return finding.fix is not None and finding.rule != IMPORT_RULE


def is_safe(finding: Finding) -> bool:
    """Whether the proposed change needs no look."""
    return finding.fix is not None and finding.fix.safe
