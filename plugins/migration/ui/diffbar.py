"""The right half of the comparison's tool bar: what concerns the file as a whole."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from plugins.migration.ui.diffview import MigrationDiff
    from studio.api import Studio

_SHOWN = "migration.show_why"


def fill_bar(studio: Studio, view: MigrationDiff) -> None:
    """Add the buttons; the one for the reasons remembers whether they are shown."""

    def show_reasons() -> None:
        studio.set_setting(_SHOWN, view.why.isHidden())
        view.why.setVisible(bool(studio.setting(_SHOWN)))

    bar = view.diff.bar
    bar.add_stretch()
    bar.add("flag", tr("Next place without a change"), view.go_on_by_hand, keys="N")
    reasons = bar.add("help", tr("Why"), show_reasons, keys="W", checkable=True)
    reasons.setChecked(bool(studio.setting(_SHOWN)))
    view.why.setVisible(bool(studio.setting(_SHOWN)))
    for icon, title, keys, decision in (
        ("accept-all", tr("Accept all of this file"), "Shift+A", Decision.ACCEPTED),
        ("reject-all", tr("Reject all of this file"), "Shift+R", Decision.REJECTED),
    ):
        bar.add(icon, title, partial(view.decide_file, decision), keys=keys)
    bar.add("edit", tr("Open in the editor"), view.open_editor, keys="E")
    bar.add_command(studio, "migration.apply_accepted", text=True)
