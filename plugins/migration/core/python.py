"""Analysis of Python code: parse once, walk the lines of interest once, ask the rules."""

from __future__ import annotations

import ast
import gc
import re
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from plugins.migration.core import registry, support
from plugins.migration.core.edits import changed, plain_change
from plugins.migration.core.extensions import speaks_of
from plugins.migration.core.interest import places as places_of_interest
from plugins.migration.core.interest import speaks_of_interest, words_in
from plugins.migration.core.model import (
    OFFERED,
    Analysis,
    Asked,
    FileStatus,
    Hit,
    ScanContext,
    Status,
    Strategy,
)
from plugins.migration.core.parsing import Fault, parse, parses
from plugins.migration.core.rules import awareness, insertion, launches, operators, shim
from plugins.migration.core.source import PythonFile
from plugins.migration.core.tables import libraries as library_table
from plugins.migration.core.tables import library_of
from plugins.migration.core.userrules import user_rules
from plugins.migration.core.visiting import visit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugins.migration.core.scopes import Statement


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse the text of a Python file; whatever stands in it, this never raises.

    What the support list says of it for a torch version and chip is left to `judging`.
    """
    lines = text.count("\n") + text.count("\r") - text.count("\r\n") + (text[-1:] not in "\r\n")
    if not text.strip():
        return Analysis("empty", lines=lines, asked=Asked())
    with _without_collector():
        found = _hits(text, context)
    if isinstance(found, Fault):
        return Analysis("skipped", lines=lines, fault=found, asked=Asked())
    twin = replace(found.twin, lines=lines) if found.twin else None
    return replace(found, lines=lines, twin=twin)


def _hits(text: str, context: ScanContext) -> Analysis | Fault:
    tree = parse(text)
    if isinstance(tree, Fault):
        return tree
    users = _words_of_user(context)
    told = users is not None and users.search(text) is not None
    told = told or bool(context.exports) or speaks_of(text.encode(), context.extensions)
    if not told and not speaks_of_interest(text):
        return Analysis("clean", asked=Asked())
    too_deep = Fault("The code is nested too deeply to be analysed.")
    try:
        file = PythonFile(text, tree, context)
    except RecursionError:
        return too_deep
    try:
        visit(file, _active(file))
        awareness.keep_aware_code(file, _categories())
        found = list(file.hits)
        other: Strategy = "shim" if context.strategy == "rewrite" else "rewrite"
        analysis = _of_strategy(file, context.strategy)
        file.hits = found
        return replace(analysis, twin=_of_strategy(file, other))
    except RecursionError:
        return Analysis("skipped", fault=too_deep, asked=file.asked())
    finally:
        file.collected.release()


def _of_strategy(file: PythonFile, strategy: Strategy) -> Analysis:
    """What a strategy makes of the hits of a file, which it may replace."""
    hits = _finished(file, strategy)
    return Analysis(
        _status(hits),
        tuple(hits),
        apis=dict(file.apis),
        unverified=tuple(file.unverified),
        sites={name: tuple(sites) for name, sites in file.sites.items()},
        left=tuple(file.left),
        asked=file.asked(),
    )


@cache
def _categories() -> Mapping[str, str]:
    return {rule.id: rule.category for rule in registry.rules().values()}


def fault_in(text: str) -> Fault | None:
    """Why a text is no Python, None if it is."""
    if not text.strip():
        return None
    with _without_collector():
        tree = parse(text)
        return tree if isinstance(tree, Fault) else None


@contextmanager
def _without_collector() -> Iterator[None]:
    """Syntax trees hold no cycles, and parsing is far faster without the collector's walks."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def words_of_libraries() -> re.Pattern[bytes]:
    """The libraries that make a file of interest that never says torch or CUDA."""
    roots = {name.partition(".")[0] for name in library_table()} - {"torch"}
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, roots)))})\b".encode())


def _active(file: PythonFile) -> list[Statement]:
    """The statements on lines of interest, and those that use what such lines import."""
    known = words_in(file.text)
    places = places_of_interest(file.text, known, _tracked_names(file), file.lowered)
    if words := _words_of_user(file.context):
        places.extend(match.start() for match in words.finditer(file.text))
    if file.uses_torch:
        for name in known & support.all_methods():
            called = re.compile(rf"\.{name}[ \t]*\(")
            places.extend(match.start() for match in called.finditer(file.text))
    starts = file.positions.starts
    marks = [0] * (len(starts) + 2)
    for place in places:
        marks[bisect_right(starts, place)] = 1
    total = list(accumulate(marks))
    return [s for s in file.collected.statements if total[s.last] > total[s.first - 1]]


def _words_of_user(context: ScanContext) -> re.Pattern[str] | None:
    """The last words of the names that the user's rules speak of."""
    names = user_rules(context.rules).apis if context.rules else {}
    words = sorted({re.escape(name.rpartition(".")[2]) for name in names})
    return re.compile(rf"\b(?:{'|'.join(words)})\b") if words else None


def _tracked_names(file: PythonFile) -> set[str]:
    """Local names of things that matter wherever they are used."""
    users = user_rules(file.context.rules).apis if file.context.rules else {}
    wanted = users.keys() | file.names.exports.keys()
    found: set[str] = set()
    for one in file.collected.imports:
        for binding in one.bindings:
            entry = library_of(binding.module)
            single = entry is not None and entry.name == binding.module and "." in entry.name
            torch = f"{binding.module}.".startswith("torch.")
            if single or torch or binding.module in wanted:
                found.add(binding.name)
        if file.context.extensions and operators.imported_extension(file, one.node):
            found.update(binding.name for binding in one.bindings)
    found |= operators.loaded_by_builders(file) | launches.launched_names(file)
    module = file.names.module
    if "cpp_extension" in file.text:
        names = module.bindings
        found.update(name for name in names if operators.loads_extension(file, name, module))
    for name, bindings in module.bindings.items():
        aliases = any(isinstance(binding.value, ast.Attribute) for binding in bindings)
        meant = file.names.of_name(name, module) if aliases else ""
        if meant.startswith("torch.cuda") or operators.uses_extension(file, meant):
            found.add(name)
    return found


def _finished(file: PythonFile, strategy: Strategy) -> list[Hit]:
    categories = _categories()
    if strategy == "shim":
        shim.apply_shim(file)
    else:
        insertion.insert_import(file)
    _weigh_import(file, categories)
    ordered = sorted(file.hits, key=lambda hit: (hit.start, hit.end))
    hits = _without_overlaps(
        ordered, {i for i, h in enumerate(ordered) if categories[h.rule] == OFFERED}
    )
    changed_hits = [hit for hit in hits if hit.rule != insertion.IMPORT_NPU.id]
    changes = [change for hit in changed_hits for change in hit.changes]
    if all(plain_change(file.text, change) for change in changes):
        return hits
    if parses(changed(file.text, changes)):
        return hits
    safer = [hit if _is_sound(file.text, hit) else _without_changes(hit) for hit in hits]
    if parses(changed(file.text, [change for hit in safer for change in hit.changes])):
        return safer
    return [_without_changes(hit) for hit in hits]


def _weigh_import(file: PythonFile, categories: Mapping[str, str]) -> None:
    """Where all changes are only offered, so is the import of torch_npu."""
    others = [hit for hit in file.hits if hit.changes and hit.rule != insertion.IMPORT_NPU.id]
    if all(categories[hit.rule] == OFFERED for hit in others):
        file.hits = [
            replace(hit, status="info") if hit.rule == insertion.IMPORT_NPU.id else hit
            for hit in file.hits
        ]


def _is_sound(text: str, hit: Hit) -> bool:
    return all(plain_change(text, c) for c in hit.changes) or parses(changed(text, hit.changes))


def _without_overlaps(hits: list[Hit], offers: set[int]) -> list[Hit]:
    """Keep the changes of hits apart: of two that touch the same text the first one is kept.

    What is only offered gives way to what the migration needs, and stays as advice.
    """
    kept: list[tuple[int, Hit]] = []
    taken: list[tuple[int, int]] = []
    for index in sorted(range(len(hits)), key=lambda index: index in offers):
        hit = hits[index]
        spans = [(change.start, change.end) for change in hit.changes if change.end > change.start]
        if not any(a < d and c < b for a, b in spans for c, d in taken):
            taken.extend(spans)
            kept.append((index, hit))
        elif index in offers:
            kept.append((index, replace(hit, changes=(), status="info")))
    return [hit for _, hit in sorted(kept, key=lambda one: one[0])]


def _without_changes(hit: Hit) -> Hit:
    """A hit that is left to the user, because its change would break the syntax here."""
    status: Status = "review" if hit.changes else hit.status
    return replace(hit, changes=(), status=status)


def _status(hits: list[Hit]) -> FileStatus:
    rules = registry.rules()
    needed = (hit for hit in hits if hit.changes and hit.status != "info")
    if any(rules[hit.rule].category != OFFERED for hit in needed):
        return "migrated"
    return "clean"
