"""What the palette lists: commands after ">", files, lines after ":", and what plugins answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError, report_error
from studio.kernel.references import parameters
from studio.model.encoding import shown
from studio.model.locations import Location
from studio.ui.matching import best, likely
from studio.ui.palette import Entry
from studio.ui.text import native_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studio.ui.shell import MainWindow

_LIMIT = 60
_MANY = 2000


class QuickOpen:
    """Answers the palette for one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._recent: list[str] = []
        self._names: list[str] = []
        self._lowered: list[str] = []

    def entries(self, text: str) -> tuple[str, Sequence[Entry]]:
        """A hint and the entries for what is typed."""
        if text.startswith(">"):
            return tr("Enter runs the command, Esc closes"), self._commands(text[1:])
        if text.startswith(":"):
            return tr("Type a line number"), self._lines(text[1:])
        for plugin, provider in self._window.app.plugins.contributions("quick_open"):
            if text.startswith(provider.prefix):
                return tr(provider.title), self._provided(plugin, provider, text)
        return self._prefixes(), self._files(text)

    def _prefixes(self) -> str:
        providers = self._window.app.plugins.contributions("quick_open")
        known = [(">", tr("commands")), (":", tr("line"))]
        known += [(provider.prefix, tr(provider.title)) for _, provider in providers]
        return "   ".join(f"{prefix} {title}" for prefix, title in known)

    # -- commands -------------------------------------------------------------------------------
    def _commands(self, query: str) -> list[Entry]:
        commands = [c for c in self._window.actions_.all() if c.command.palette]
        recent = {command: rank for rank, command in enumerate(self._recent)}
        if not query.strip():
            commands.sort(
                key=lambda c: (
                    recent.get(c.id, len(recent)),
                    self._full_title(c.plugin, c.title).casefold(),
                )
            )
        titles = [self._full_title(c.plugin, c.title) for c in commands]
        values = self._window.app.when_values()
        entries = []
        for _, number, marks in best(query.strip(), titles, limit=200):
            command = commands[number]
            holds = command.command.when.holds(values)
            entries.append(
                Entry(
                    title=titles[number],
                    run=self._runner(command.id),
                    detail="" if holds else self._window.app.commands.reason(command.id),
                    keys=native_keys(command.command.keys[0]) if command.command.keys else "",
                    icon=command.command.icon or "command",
                    enabled=holds,
                    marks=marks,
                )
            )
        return sorted(entries, key=lambda entry: not entry.enabled)

    def _full_title(self, plugin: str, title: str) -> str:
        found = self._window.app.plugins.get(plugin)
        plain = title.replace("&", "")
        return f"{found.title}: {plain}" if found is not None else plain

    def _runner(self, command: str) -> Callable[[], object]:
        def run() -> None:
            self._recent = [command, *(c for c in self._recent if c != command)][:20]
            self._window.actions_.run(command)

        return run

    # -- files, lines, providers ----------------------------------------------------------------
    def _files(self, query: str) -> list[Entry]:
        project = self._window.app.project
        if project is None:
            return []
        name, line = _split_line(query)
        names = project.files.names
        if not name:
            shown = [str(page.path) for page in self._window.centre.pages()]
            found = [(0, n, ()) for n, s in enumerate(shown) if Path(s).is_file()]
            return [self._file(Path(shown[n]), line, marks) for _, n, marks in found[:_LIMIT]]
        pool: Sequence[str] = names
        if len(names) > _MANY:
            if self._names is not names:
                self._names, self._lowered = names, [n.casefold() for n in names]
            pool = likely(name.casefold(), names, self._lowered, _MANY)
        return [
            self._file(Path(project.root, pool[number]), line, marks, pool[number])
            for _, number, marks in best(name, pool, _LIMIT)
        ]

    def _file(self, path: Path, line: int | None, marks: tuple[int, ...], name: str = "") -> Entry:
        folder, _, last = (name or os.fspath(path)).rpartition("/")
        start = len(folder) + 1 if folder else 0
        inside = tuple(mark - start for mark in marks if mark >= start)

        def run() -> None:
            if line is None or not self._window.app.reveal(Location.source(path, line)):
                self._window.open(path, "", {})

        return Entry(shown(last), run, detail=shown(folder), icon="file", marks=inside)

    def _lines(self, text: str) -> list[Entry]:
        page = self._window.centre.active()
        if page is None or not text.strip().isdigit():
            return []
        location = Location.source(page.path, int(text))
        title = tr("Go to line {line} of {name}", line=int(text), name=page.path.name)
        return [Entry(title, lambda: self._window.app.reveal(location), icon="goto")]

    def _provided(self, plugin: str, provider: Any, text: str) -> list[Entry]:  # noqa: ANN401 - a declaration
        """What a plugin answers: pairs or triples of title, (detail,) and location or function."""
        app = self._window.app
        query = text[len(provider.prefix) :].strip()
        try:
            function = app.plugins.resolve(plugin, provider.run)
            wanted = parameters(function)
            given: dict[str, Any] = {"studio": app.studio(plugin)} if "studio" in wanted else {}
            if "path" in wanted:
                page = self._window.centre.active()
                given["path"] = page.path if page is not None else None
            answers = list(function(query, **given))[:_LIMIT]
        except StudioError as error:
            return [Entry(error.message, lambda: None, icon="warn", enabled=False)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; the palette goes on
            report_error(error, f"quick open {provider.prefix}")
            return []
        return [self._answer(answer) for answer in answers]

    def _answer(self, answer: Any) -> Entry:  # noqa: ANN401 - a tuple or an object of a plugin
        if isinstance(answer, tuple):
            title, *details, target = answer
            detail = str(details[0]) if details else ""
        else:
            title, detail, target = answer.title, getattr(answer, "detail", ""), answer.location
        reveal = self._window.app.reveal
        run = target if callable(target) else lambda: reveal(target)
        return Entry(str(title), run, detail=detail, icon="goto")


def _split_line(query: str) -> tuple[str, int | None]:
    name, colon, line = query.rpartition(":")
    return (name, int(line)) if colon and line.isdigit() else (query.rstrip(":"), None)
