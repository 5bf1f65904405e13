"""Which further files belong to the curves: other runs, resumed runs, a pattern for texts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QWidget

from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Extra:
    """What is read besides the log and its base, as the job takes it."""

    others: tuple[str, ...] = ()
    """Further runs, compared with the base too."""
    continued: tuple[str, ...] = ()
    """Files in which the run of the log went on after a resume."""
    base_continued: tuple[str, ...] = ()
    """The same of the log it is compared with."""
    pattern: str = ""
    """A regular expression for texts of another form."""

    def saved(self) -> dict[str, Any]:
        """Plain values for the state of the view."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Extra:
        """Return what was saved; odd values are left out."""
        lists = {
            name: tuple(str(path) for path in state.get(name, ()) if isinstance(path, str))
            for name in ("others", "continued", "base_continued")
        }
        return cls(**lists, pattern=str(state.get("pattern", "")))

    def without(self, path: str) -> Extra:
        """Return the same without a file."""
        return replace(
            self,
            others=tuple(other for other in self.others if other != path),
            continued=tuple(other for other in self.continued if other != path),
            base_continued=tuple(other for other in self.base_continued if other != path),
        )


class RunsMenu(QMenu):
    """Adds and removes files; `changed` tells that all are to be read again."""

    changed = Signal()

    def __init__(self, path: Path, parent: QWidget, base: Callable[[], Path | None]) -> None:
        super().__init__(tr("Runs"), parent)
        self._path, self._base = path, base
        self.extra = Extra()
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)

    def set_extra(self, extra: Extra, *, tell: bool = True) -> None:
        """Read other files."""
        if extra != self.extra:
            self.extra = extra
            if tell:
                self.changed.emit()

    def add_runs(self, *paths: str) -> None:
        """Compare further runs."""
        known = {*self.extra.others, str(self._path)}
        new = tuple(path for path in dict.fromkeys(paths) if path not in known)
        self.set_extra(replace(self.extra, others=(*self.extra.others, *new)))

    def go_on_with(self, *paths: str) -> None:
        """Add files in which the run went on."""
        known = {*self.extra.continued, str(self._path)}
        new = tuple(path for path in dict.fromkeys(paths) if path not in known)
        self.set_extra(replace(self.extra, continued=(*self.extra.continued, *new)))

    def base_goes_on_with(self, *paths: str) -> None:
        """Add files in which the run of the base went on."""
        known = {*self.extra.base_continued, str(self._base()), str(self._path)}
        new = tuple(path for path in dict.fromkeys(paths) if path not in known)
        extra = replace(self.extra, base_continued=(*self.extra.base_continued, *new))
        self.set_extra(extra)

    def set_pattern(self, pattern: str) -> None:
        """Read the texts with a regular expression, "" for the known forms."""
        self.set_extra(replace(self.extra, pattern=pattern.strip()))

    def fill(self) -> None:
        """List what can be done, and what was added."""
        self.clear()
        for icon, title, run in (
            ("add", tr("Add runs to compare…"), self._ask_runs),
            ("forward", tr("Go on with the log of a resumed run…"), self._ask_continued),
            ("flag", tr("Go on with the log of the resumed base…"), self._ask_base_continued),
            ("regex", tr("Read with a regular expression…"), self.ask_pattern),
        ):
            action = self.addAction(title)
            set_icon(action, icon)
            action.triggered.connect(lambda _=False, run=run: run())
            if icon == "flag":
                action.setEnabled(self._base() is not None)
        added = [(p, tr("Remove {name}", name=Path(p).name)) for p in self.extra.others]
        added += [
            (p, tr("Do not go on with {name}", name=Path(p).name))
            for p in (*self.extra.continued, *self.extra.base_continued)
        ]
        if added:
            self.addSeparator()
        for path, words in added:
            action = self.addAction(literal(words))
            set_icon(action, "remove")
            action.setToolTip(path)
            action.triggered.connect(
                lambda _=False, path=path: self.set_extra(self.extra.without(path))
            )

    def ask_pattern(self) -> None:
        """Ask for a regular expression."""
        text, accepted = QInputDialog.getText(
            self.parentWidget(),
            tr("Regular expression"),
            tr(
                "With groups named step and after each series, such as "
                "step=(?P<step>\\d+) loss=(?P<loss>\\S+)"
            ),
            text=self.extra.pattern,
        )
        if accepted:
            self.set_pattern(text)

    def _ask_runs(self) -> None:
        self.add_runs(*self._ask(tr("Logs of further runs")))

    def _ask_continued(self) -> None:
        self.go_on_with(*self._ask(tr("Log of the resumed run")))

    def _ask_base_continued(self) -> None:
        self.base_goes_on_with(*self._ask(tr("Log of the resumed base")))

    def _ask(self, title: str) -> list[str]:
        names, _ = QFileDialog.getOpenFileNames(self.parentWidget(), title, str(self._path.parent))
        return names
