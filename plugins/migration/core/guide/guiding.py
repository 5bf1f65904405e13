"""From one card to several: the steps for a script, or the reason why there are none.

    guide = guide_file(Path("train.py"))
    guide.ready        # whether there are steps
    guide.findings     # the steps as findings with fixes, or what stops the guide
    guide.result       # steps and the usual findings of the file together, to review and apply
    guide.text_after() # the script with all of it made
    guide.launcher     # the file that starts one process for each card

Nothing is written here. The steps belong together: what a process does in one place it relies on in
another, so they are meant to be accepted as a whole, except for those that `optional` names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugins.migration.core.edits import IMPORT_RULE, edits_for, migrated_text
from plugins.migration.core.findings import findings_of
from plugins.migration.core.guide import rules
from plugins.migration.core.guide.launcher import NewFile, launcher_for
from plugins.migration.core.guide.program import Program
from plugins.migration.core.guide.steps import steps
from plugins.migration.core.guide.training import Refusal
from plugins.migration.core.model import (
    OFFERED,
    Analysis,
    Change,
    FileResult,
    Hit,
    ScanContext,
)
from plugins.migration.core.parsing import parses
from plugins.migration.core.rules import insertion
from plugins.migration.core.scan import scan_text
from studio.model.encoding import decode

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from studio.model.edits import TextEdit
    from studio.model.findings import Finding

OPTIONAL = frozenset([rules.FIRST.id, rules.WAIT.id, rules.END.id])
"""Steps that can be left out without harm to the others."""

_TRAINING = re.compile(r"train|fine_?tun|^main|^run", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?:^|[_.-])(?:profil|bench|tests?(?:$|[_.-])|demo|make$|tools?$|utils?$|examples?$)",
    re.IGNORECASE,
)
"""What scripts and folders beside the real training are called."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What leads a script from one card to several; `text` is the script as it is."""

    path: Path
    text: str
    findings: tuple[Finding, ...]
    result: FileResult
    launcher: NewFile | None = None

    @property
    def order(self) -> tuple[bool, bool, bool, int, Path]:
        """Sorts the scripts of a project: those that train first, then what surrounds them."""
        named = [self.path.stem, self.path.parent.name]
        aside = any(_BESIDE.search(name) for name in named)
        unnamed = _TRAINING.search(self.path.stem) is None
        return aside, not self.ready, unnamed, len(self.path.parts), self.path

    @property
    def ready(self) -> bool:
        """Whether the guide knows the way; else `findings` say what stops it."""
        return self.launcher is not None

    def edits(self) -> list[TextEdit]:
        """The edits of all steps and of the usual findings of the script."""
        return edits_for(self._needed(), self.result.findings) if self.ready else []

    def text_after(self) -> str:
        """The script with all steps made, and its CUDA names replaced."""
        if not self.ready:
            return self.text
        return migrated_text(self.text, self._needed(), self.result.findings)

    def _needed(self) -> list[Finding]:
        """All but what only makes the script faster."""
        return [f for f in self.result.findings if f.category != OFFERED]


def guide_file(path: Path, context: ScanContext | None = None) -> Guide:
    """Find the steps for a script on disk; raises OSError if it cannot be read."""
    return guide_text(decode(path.read_bytes()).text, path, context)


def guide_text(text: str, path: Path, context: ScanContext | None = None) -> Guide:
    """Find the steps for the text of a script, such as the one being edited."""
    wanted = replace(context or ScanContext(), strategy="rewrite")
    usual = scan_text(text, path, wanted)
    try:
        program = Program(text)
    except (ValueError, RecursionError):
        return _stopped(text, path, usual, Hit(rules.NO_PYTHON.id, 0, 0, (), "manual"))
    try:
        return _guided(program, path, usual)
    except Refusal as refusal:
        start, end = _place(program, refusal.node)
        hit = Hit(refusal.rule.id, start, end, (), "manual", values=refusal.values)
        return _stopped(text, path, usual, hit)
    except RecursionError:
        return _stopped(text, path, usual, Hit(rules.NO_PYTHON.id, 0, 0, (), "manual"))
    finally:
        program.file.collected.release()


def _guided(program: Program, path: Path, usual: FileResult) -> Guide:
    hits: list[Hit] = []
    for rule, node, edits in steps(program):
        start, end = _place(program, node)
        changes = tuple(Change(*edit) for edit in edits)
        values = {"name": program.text[start:end], "old": program.text[start:end]}
        values["name"] = _model_name(values["name"], changes) or values["name"]
        hits.append(Hit(rule.id, start, end, changes, rule.status, values=values))
    program.file.hits = list(hits)
    insertion.insert_import(program.file)
    hits = sorted(program.file.hits, key=lambda hit: (hit.start, hit.end))
    findings = findings_of(path, program.text, Analysis("migrated", tuple(hits)))
    result = _together(usual, findings)
    guide = Guide(path, program.text, findings, result, launcher_for(path))
    if not parses(guide.text_after()):
        raise Refusal(rules.SHARED_LINE, program.tree.body[0])
    return guide


def _model_name(shown: str, changes: tuple[Change, ...]) -> str:
    """Of the step that wraps the model the name of the model, for its title."""
    first = changes[0].text.strip().partition(" = ") if changes else ("", "", "")
    return first[0] if "DistributedDataParallel(" in first[2] else shown if len(shown) < 60 else ""


def _stopped(text: str, path: Path, usual: FileResult, hit: Hit) -> Guide:
    findings = findings_of(path, text, Analysis("clean", (hit,)))
    return Guide(path, text, findings, usual)


def _place(program: Program, node: ast.AST | None) -> tuple[int, int]:
    if node is None or not hasattr(node, "lineno"):
        return 0, 0
    start, end = program.file.span(node)  # type: ignore[arg-type]
    stop = program.text.find("\n", start)
    return start, end if stop < 0 else min(end, stop)


def _together(usual: FileResult, findings: tuple[Finding, ...]) -> FileResult:
    """The usual findings and the steps; of two that change the same text the step is kept."""
    taken = [(e.start, e.end) for f in findings if f.fix for e in f.fix.edits if e.end > e.start]
    kept = [
        finding
        for finding in usual.findings
        if finding.rule != IMPORT_RULE
        and not (
            finding.fix
            and any(e.start < b and a < e.end for e in finding.fix.edits for a, b in taken)
        )
    ]
    imports = [f for f in usual.findings if f.rule == IMPORT_RULE]
    steps = [f for f in findings if f.rule != IMPORT_RULE or not imports]
    merged = sorted(
        [*kept, *imports, *steps], key=lambda f: (f.location.line or 0, f.location.column or 0)
    )
    return replace(usual, status="migrated", findings=tuple(merged))
