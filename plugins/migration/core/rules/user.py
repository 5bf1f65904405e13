"""Names that matter to one project, from its migration.toml."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from plugins.migration.core.model import Rule, Status
from plugins.migration.core.userrules import user_rules

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

USER = Rule("user-rule", "{title}", "{why}", "api", "review", effort="minutes")
RULES = (USER,)


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


HANDLERS = {ast.Attribute: (check_name,), ast.Name: (check_name,)}
