"""Names that matter to one project, from its migration.toml."""

from __future__ import annotations

import ast
import re
from itertools import islice
from typing import TYPE_CHECKING, cast

from plugins.migration.core.model import Change, Hit, Rule, Status
from plugins.migration.core.userrules import user_rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugins.migration.core.model import ScanContext
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile
    from plugins.migration.core.userrules import Entry

USER = Rule("user-rule", "{title}", "{why}", "api", "review", effort="minutes")
RULES = (USER,)

_MOST = 1000


def check_name(file: PythonFile, node: ast.Attribute | ast.Name, scope: Scope) -> None:
    """Tell a name that the user's rules speak of."""
    if not file.context.rules or isinstance(file.parent(node), ast.Attribute):
        return
    entry = user_rules(file.context.rules).apis.get(file.qualified(node, scope))
    if entry is None:
        return
    new = entry.text("replace")
    changes = [(*file.span(node), new)] if new and file.source(node) == entry.text("api") else []
    why = entry.text("why") or entry.text("title")
    file.hit(
        USER.id, node, cast("Status", entry.text("status", "review")), changes,
        source=entry.origin, id=entry.text("id"), name=entry.text("api"),
        title=entry.text("title"), why=why, effort=entry.text("effort", "minutes"),
    )  # fmt: skip


def pattern_hits(text: str, path: Path, context: ScanContext, taken: Sequence[Hit]) -> list[Hit]:
    """The places in a file that the user's patterns match; changes give way to those of `taken`."""
    spans = [(c.start, c.end) for hit in taken for c in hit.changes]
    found: list[Hit] = []
    for entry in user_rules(context.rules).patterns(path):
        matches = re.finditer(entry.text("pattern"), text, re.MULTILINE)
        for match in islice((m for m in matches if m.end() > m.start()), _MOST):
            start, end = match.span()
            free = not any(start < b and a < end for a, b in spans)
            changes: tuple[Change, ...] = ()
            if "replace" in entry.values and free:
                changes = (Change(start, end, match.expand(entry.text("replace"))),)
                spans.append((start, end))
            found.append(_pattern_hit(entry, (start, end), changes))
    return found


def _pattern_hit(entry: Entry, span: tuple[int, int], changes: tuple[Change, ...]) -> Hit:
    values = {
        "id": entry.text("id"),
        "name": entry.text("id"),
        "title": entry.text("title"),
        "why": entry.text("why") or entry.text("title"),
        "effort": entry.text("effort", "minutes"),
    }
    status = cast("Status", entry.text("status", "review"))
    return Hit(USER.id, *span, changes, status, source=entry.origin, values=values)


HANDLERS = {ast.Attribute: (check_name,), ast.Name: (check_name,)}
