"""Scanning texts, files and projects."""

from __future__ import annotations

import re
import stat
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core import (
    configs,
    judging,
    manifests,
    native,
    notebooks,
    python,
    requirements,
    shell,
)
from plugins.migration.core.analyses import Analyses
from plugins.migration.core.edits import IMPORT_RULE
from plugins.migration.core.exports import exports_of, own_packages
from plugins.migration.core.extensions import extensions_of, speaks_of
from plugins.migration.core.findings import findings_of
from plugins.migration.core.model import (
    CHIPS,
    STRATEGIES,
    TORCH_VERSIONS,
    Analysis,
    Asked,
    FileResult,
    FileStatus,
    ScanContext,
    Use,
)
from plugins.migration.core.parsing import Fault, undecodable
from plugins.migration.core.positions import positions_in
from plugins.migration.core.recognise import FileKind, kind_of
from plugins.migration.core.report import MigrationReport
from plugins.migration.core.rules.user import pattern_hits
from plugins.migration.core.sizes import total_size
from plugins.migration.core.userrules import UserRules, rule_files, user_rules
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.encoding import Decoded, declared_encoding, decode
from studio.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from studio.kernel.job_context import JobContext

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_LARGEST = 20_000_000
_LARGEST_CONFIG = 1_000_000
_PARALLEL_FROM = 6_000_000
_WORDS = re.compile(rb"torch|cuda|nccl|nvidia|__global__", re.IGNORECASE)


def scan_text(text: str, path: Path, context: ScanContext | None = None) -> FileResult:
    """Scan the text of a file, such as the one being edited, whose name tells its kind."""
    wanted = context or ScanContext()
    analysis = _analyse(text, kind_of(path) or "script", wanted)
    return _judged(path, text, analysis, wanted)


def _judged(path: Path, text: str, analysis: Analysis, wanted: ScanContext) -> FileResult:
    analysis = judging.judged(analysis, wanted)
    if wanted.rules and analysis.fault is None:
        analysis = _with_patterns(path, text, analysis, wanted)
    result = _result(path, text, analysis)
    return silenced(result, user_rules(wanted.rules)) if wanted.rules else result


def _with_patterns(path: Path, text: str, analysis: Analysis, wanted: ScanContext) -> Analysis:
    """An analysis with what the user's patterns find, which may depend on the place of the file."""
    found = pattern_hits(text, path, wanted, analysis.hits)
    hits = sorted([*analysis.hits, *found], key=lambda hit: (hit.start, hit.end))
    status = "migrated" if any(hit.changes for hit in found) else analysis.status
    return replace(analysis, hits=tuple(hits), status=status)


def scan_bytes(
    data: bytes, path: Path, context: ScanContext | None = None, kept: Analyses | None = None
) -> FileResult:
    """Scan the content of a file; its analysis may be taken from those that are kept."""
    kind = kind_of(path) or "script"
    if not data:
        return FileResult(path, "empty")
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    limit = _LARGEST_CONFIG if kind in ("config", "manifest") else _LARGEST
    if len(data) > limit:
        if kind in ("config", "manifest"):
            return FileResult(path, "clean", lines=lines)
        too_large = Fault("The file is too large to be analysed.")
        return _result(path, "", Analysis("skipped", lines=lines, fault=too_large))
    if b"\0" in data and not data.startswith(_WIDE):
        line = data.count(b"\n", 0, data.find(b"\0")) + 1
        null = "The file contains null bytes, so it is no Python source."
        binary = Fault(null if kind == "script" else "This is a binary file.", line)
        return _result(path, "", Analysis("skipped", lines=lines, fault=binary))
    if not _relevant(data, kind, context or ScanContext()):
        return _aside(data, path, kind, lines, kept)
    decoded = decode(data)
    fault = _undecodable(data, decoded) if kind == "script" else None
    if fault is not None:
        return _result(path, "", Analysis("skipped", lines=lines, fault=fault))
    if decoded.lossy:
        fault = Fault("Its bytes are no text in any known encoding.")
        return _result(path, "", Analysis("skipped", lines=lines, fault=fault))
    if kept is None:
        return scan_text(decoded.text, path, context)
    wanted = context or ScanContext()
    analysis = kept.get(data, kind, len(decoded.text))
    if analysis is None:
        analysis = _analyse(decoded.text, kind, wanted)
        kept.put(data, kind, analysis)
    return _judged(path, decoded.text, analysis, wanted)


def _aside(
    data: bytes, path: Path, kind: FileKind, lines: int, kept: Analyses | None
) -> FileResult:
    """The result for a file that says nothing of interest: all one asks is whether it is Python."""
    if kind != "script":
        return FileResult(path, "clean", lines=lines)
    analysis = kept.get(data, kind, len(data)) if kept is not None else None
    if analysis is None:
        decoded = decode(data)
        fault = _undecodable(data, decoded) or python.fault_in(decoded.text)
        told = replace(fault, aside=True) if fault is not None else None
        status: FileStatus = "skipped" if told else "clean"
        analysis = Analysis(status, lines=lines, fault=told, asked=Asked())
        if kept is not None:
            kept.put(data, kind, analysis)
    return _result(path, "", analysis)


def scan_file(
    path: Path, context: ScanContext | None = None, kept: Analyses | None = None
) -> FileResult:
    """Scan a file on disk; one that cannot be read is a skipped one."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return FileResult(path, "clean")  # reading a pipe or device may never end
        data = path.read_bytes()
    except OSError as error:
        fault = Fault("The file cannot be read: {problem}.", 1, {"problem": error.strerror or "?"})
        return _result(path, "", Analysis("skipped", fault=fault))
    return scan_bytes(data, path, context, kept)


def scan_files(
    paths: Iterable[Path], context: ScanContext | None = None, job: JobContext | None = None
) -> dict[Path, FileResult]:
    """Scan many files, in several processes if there is much to read that is not known yet."""
    todo = list(paths)
    wanted = context or ScanContext()
    results: dict[Path, FileResult] = {}
    with Analyses(wanted) as kept:
        many = total_size(todo) >= _PARALLEL_FROM
        for number, path in enumerate(todo):
            if job is not None:
                job.check()
                job.report(number / len(todo), path.name)
            found = _known(path, wanted, kept) if many else scan_file(path, wanted, kept)
            if found is not None:
                results[path] = found
    left = [path for path in todo if path not in results]
    if left and total_size(left) < _PARALLEL_FROM:
        with Analyses(wanted) as kept:
            results |= {path: scan_file(path, wanted, kept) for path in left}
    elif left:
        from plugins.migration.core.parallel import scan_in_processes

        results |= scan_in_processes(left, wanted, job)
    return {path: results[path] for path in todo}


def _known(path: Path, context: ScanContext, kept: Analyses) -> FileResult | None:
    """The result for a file whose analysis is kept, None for others."""
    kind = kind_of(path)
    try:
        if kind is None or not stat.S_ISREG(path.stat().st_mode):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) > _LARGEST or not kept.has(data, kind):
        return None
    return scan_bytes(data, path, context, kept)


def project_files(root: Path, without: Path | None = None) -> list[Path]:
    """The files of a project that the migration looks at; of a file, that file."""
    if root.is_file():
        return [root]
    if not root.exists():
        raise StudioError(tr("{path} does not exist.", path=root), path=root)
    if not root.is_dir():
        raise StudioError(tr("{path} is neither a file nor a folder.", path=root), path=root)
    found = (root / name for name in sorted(walk(root).files))
    looked_at = [path for path in found if kind_of(path) is not None]
    return [path for path in looked_at if without is None or not path.is_relative_to(without)]


def scan_project(
    root: Path,
    context: ScanContext | None = None,
    job: JobContext | None = None,
    without: Path | None = None,
) -> MigrationReport:
    """Scan all of a project, except for a folder in it."""
    begin = time.perf_counter()
    paths = project_files(root, without)
    wanted = for_project(context or ScanContext(), root, paths)
    results = scan_files(paths, wanted, job)
    seconds = time.perf_counter() - begin
    return MigrationReport(root, tuple(results.values()), wanted, seconds)


def scan_command(
    path: Path,
    torch: str = "",
    chip: str = "",
    strategy: str = "",
    job: JobContext | None = None,
) -> MigrationReport:
    """Scan a file or project for the command line."""
    return scan_project(Path(path), context_of(torch, chip, strategy), job)


def for_project(
    context: ScanContext, root: Path, paths: Sequence[Path] | None = None
) -> ScanContext:
    """A context with what a project adds: the user's rules, its packages and what they hand on.

    Raises StudioError if a file of rules is not right.
    """
    files = project_files(root) if paths is None else paths
    found = replace(
        context,
        rules=rule_files(root),
        exports=exports_of(root, files),
        own=own_packages(root, files),
        extensions=extensions_of(root, files),
    )
    user_rules(found.rules)
    return found


def context_of(torch: str = "", chip: str = "", strategy: str = "") -> ScanContext:
    """The context of choices as a user writes them; "" takes the usual one."""
    usual = ScanContext()
    version = ".".join(torch.removeprefix("v").split("+")[0].split(".")[:3])
    if version and version not in TORCH_VERSIONS:
        near = (
            v
            for v in TORCH_VERSIONS
            if f"{version}.".startswith(f"{v}.") or v.startswith(f"{version}.")
        )
        version = next(near, "")
        if not version:
            names = ", ".join(TORCH_VERSIONS)
            text = tr(
                "Nothing is known about torch {version}; known are {names}.",
                version=torch,
                names=names,
            )
            raise StudioError(text, exit_code=2)
    if chip and chip not in CHIPS:
        text = tr("The chip must be one of {names}.", names=", ".join(CHIPS))
        raise StudioError(text, exit_code=2)
    chosen = next((one for one in STRATEGIES if one == strategy), usual.strategy)
    if strategy and chosen != strategy:
        text = tr("The strategy must be one of {names}.", names=", ".join(STRATEGIES))
        raise StudioError(text, exit_code=2)
    return ScanContext(version or usual.torch, chip or usual.chip, chosen)


def _analyse(text: str, kind: FileKind, context: ScanContext) -> Analysis:
    analysers: Mapping[FileKind, Callable[[str, ScanContext], Analysis]] = {
        "script": python.analyse,
        "notebook": notebooks.analyse,
        "shell": shell.analyse,
        "requirements": requirements.analyse,
        "manifest": manifests.analyse,
        "config": configs.analyse,
        "native": native.analyse,
    }
    return analysers[kind](text, context)


def _relevant(data: bytes, kind: FileKind, context: ScanContext) -> bool:
    """Whether a file can hold anything of interest, judged by a quick look at its bytes."""
    if context.rules or context.exports or speaks_of(data, context.extensions):
        return True
    if kind in ("requirements", "manifest") or data.startswith(_WIDE):
        return True
    if _WORDS.search(data):
        return True
    asking = (b"install", b" add ", b"--gpus")
    if kind in ("shell", "config", "notebook") and any(word in data for word in asking):
        return True
    code = kind in ("script", "notebook")
    return code and python.words_of_libraries().search(data) is not None


def _undecodable(data: bytes, decoded: Decoded) -> Fault | None:
    """Python reads UTF-8 or what the coding line names; any other guess is not its text."""
    if decoded.encoding.startswith(("utf-16", "utf-32")):
        return Fault("Python does not read files in {name}.", 1, {"name": decoded.encoding.upper()})
    if decoded.lossy or (decoded.guessed and decoded.encoding != "utf-8"):
        return undecodable(data, declared_encoding(data) or "utf-8")
    return None


def silenced(result: FileResult, rules: UserRules) -> FileResult:
    """A result without the findings that the user does not want to see."""
    kept = [f for f in result.findings if not rules.silences(f.rule, result.path)]
    if not any(f.fix for f in kept if f.rule != IMPORT_RULE):
        kept = [f for f in kept if f.rule != IMPORT_RULE]
    changed = any(f.fix for f in kept)
    status = "clean" if result.status == "migrated" and not changed else result.status
    return replace(result, findings=tuple(kept), status=status)


def _result(path: Path, text: str, analysis: Analysis) -> FileResult:
    reason = ""
    if analysis.fault is not None:
        reason = tr(analysis.fault.message, **analysis.fault.values)
    elif analysis.status == "aware":
        reason = tr("It knows NPUs already.")
    findings = findings_of(path, text, analysis)
    unverified: tuple[Use, ...] = ()
    if analysis.unverified:
        line = positions_in(text).place
        unverified = tuple(
            Use(use.name, line(use.start)[0], line(use.end)[0]) for use in analysis.unverified
        )
    return FileResult(
        path, analysis.status, findings, analysis.lines, reason, analysis.apis, unverified
    )
