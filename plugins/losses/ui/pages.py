"""The pages of a training log: its progress, its curves, or why there are none and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.readpages import ReadPages
from studio.ui.view import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studio.api import Studio


class LogPages(ReadPages):
    """Offers to show the log as text and to read it with a pattern when it cannot be read."""

    def __init__(
        self,
        studio: Studio,
        icon: str,
        as_text: Callable[[], object],
        ask_pattern: Callable[[], object],
    ) -> None:
        super().__init__(studio, icon)
        self._as_text, self._ask_pattern = as_text, ask_pattern

    def tell(self, icon: str, title: str, text: str, actions: Sequence[Action] = ()) -> None:
        """Say why there are no curves."""
        offers = (
            Action(tr("Read with a regular expression…"), self._ask_pattern, "regex"),
            Action(tr("Show as text"), self._as_text, "text"),
        )
        super().tell(icon, title, text, [*actions, *offers])
