"""What the guide says where it shows no steps: what stops it, and what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.view import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from plugins.migration.core.guide.guiding import Guide
    from studio.ui.view import EmptyState

_MOST = 3
_LONGEST = 28


def show_reasons(
    empty: EmptyState,
    guide: Guide,
    go_to: Callable[[Path, int], object],
    others: Sequence[Action],
) -> None:
    """Say why a script has no steps, and offer the place and other scripts."""
    reasons = [f"{finding.title}\n{finding.why}" for finding in guide.findings]
    line = guide.findings[0].location.line or 1 if guide.findings else 1
    there = Action(tr("Show line {line}", line=line), lambda: go_to(guide.path, line))
    title = tr("The guide stops at {name}", name=guide.path.name)
    empty.set_content("migration", title, "\n\n".join(reasons), [there, *others[:_MOST]])


def short_name(path: Path, among: Sequence[Path]) -> str:
    """A name for a button: the file's, with its folder where another file is called so too."""
    same = sum(other.name == path.name for other in among)
    name = path.name if same < 2 else f"{path.parent.name}/{path.name}"
    return name if len(name) <= _LONGEST else f"…{name[1 - _LONGEST :]}"


def show_made(
    empty: EmptyState, guide: Guide, launcher: str, go_to: Callable[[Path, int], object]
) -> None:
    """Say that the changes were made, and how to start the script."""
    text = tr("Each card gets a process of its own. Start them with {name}.", name=launcher)
    title = tr("{name} trains on several cards now", name=guide.path.name)
    opened = Action(tr("Open the script"), lambda: go_to(guide.path, 1), "edit")
    if launcher:
        empty.set_content("ok", title, text, [opened])
    else:
        title = tr("{name} was changed; it still trains on one card", name=guide.path.name)
        empty.set_content("ok", title, "", [opened])
