"""Commands: one declaration each, run by id from menus, keys, palette, command line and plugins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.plugin import PluginError, State
from studio.kernel.references import Reference, parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studio.kernel.declarations import Command
    from studio.kernel.job import Job
    from studio.kernel.job_context import JobContext
    from studio.kernel.jobs import Jobs
    from studio.kernel.keymap import KeyMap
    from studio.kernel.plugin import Plugin
    from studio.kernel.plugins import Plugins


@dataclass(frozen=True, slots=True)
class Registered:
    """A command and the plugin that declares it."""

    plugin: str
    command: Command

    @property
    def id(self) -> str:
        """The id of the command."""
        return self.command.id

    @property
    def title(self) -> str:
        """The translated title."""
        return tr(self.command.title)

    @property
    def reference(self) -> Reference:
        """The function behind it."""
        return Reference.of_manifest(self.plugin, self.command.run)


class Commands:
    """All commands of the usable plugins and of the host."""

    def __init__(
        self,
        plugins: Plugins,
        jobs: Jobs,
        facade: Callable[[str], Any],
        when_values: Callable[[], Mapping[str, object]],
        keymap: KeyMap | None = None,
    ) -> None:
        self.keymap = keymap
        self._plugins = plugins
        self._jobs = jobs
        self._facade = facade
        self._when_values = when_values
        self._by_id: dict[str, Registered] | None = None
        plugins.changed.connect(self._forget)

    def forget(self) -> None:
        """Take the declarations and keys anew at next use."""
        self._by_id = None

    def _forget(self, _plugin: Plugin) -> None:
        self.forget()

    def _known(self) -> dict[str, Registered]:
        if self._by_id is None:
            found = [self._registered(*pair) for pair in self._plugins.contributions("commands")]
            self._by_id = {registered.id: registered for registered in found}
        return self._by_id

    def _registered(self, plugin: str, command: Command) -> Registered:
        return Registered(plugin, self.keymap.applied(command) if self.keymap else command)

    def all(self) -> list[Registered]:
        """Return every command in dependency order of the plugins."""
        return list(self._known().values())

    def get(self, command: str) -> Registered:
        """Return a command by its id; raises StudioError for an unknown one."""
        registered = self._known().get(command)
        if registered is None:
            raise StudioError(tr("There is no command {id}.", id=command), exit_code=2)
        return registered

    def by_words(self) -> dict[str, Registered]:
        """Return the commands of the command line by their words; of twins, the first."""
        found: dict[str, Registered] = {}
        for registered in self.all():
            if registered.command.cli:
                found.setdefault(registered.command.cli, registered)
        return found

    def enabled(self, command: str) -> bool:
        """Whether a command can run now."""
        return not self.reason(command)

    def reason(self, command: str) -> str:
        """Say why a command cannot run now, "" when it can."""
        try:
            registered = self.get(command)
        except StudioError as error:
            return error.message
        plugin = self._plugins.get(registered.plugin)
        if plugin is not None and plugin.state is State.FAILED:
            failure = plugin.failures.get(registered.reference)
            if failure is not None:
                return failure.message
        return registered.command.when.reason(self._when_values())

    def run(self, command: str, arguments: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401
        """Run a command now, on this thread, and return its result.

        Raises StudioError with the reason when it cannot run now.
        """
        reason = self.reason(command)
        if reason:
            raise StudioError(reason)
        return self.call(command, arguments)

    def call(
        self,
        command: str,
        arguments: Mapping[str, Any] | None = None,
        job: JobContext | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the command returns
        """Run a command whatever its condition says, as the command line does."""
        registered = self.get(command)
        values = dict(arguments or {})
        _require(registered, values)
        function = self._plugins.load(registered.reference)
        places: list[Any] = []
        if registered.reference.needs_window:
            places.append(self._facade(registered.plugin))
        else:
            wanted = parameters(function)
            if "studio" in wanted:
                values.setdefault("studio", self._facade(registered.plugin))
            if "job" in wanted:
                values.setdefault("job", job or self._jobs.foreground())
        try:
            return function(*places, **values)
        except SystemExit as error:
            raise PluginError(registered.plugin, tr("tried to end the program")) from error

    def start(
        self,
        command: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        done: Callable[[Any], object] | None = None,
    ) -> Job | None:
        """Run a command without holding up the caller, as the window does.

        The work of a core command becomes a job, and so does the import of its module. A command of
        the window's side runs at once, and so does one that needs the facade when its module is in
        memory. `done(result)` is called in all cases.
        """
        reason = self.reason(command)
        if reason:
            raise StudioError(reason)
        registered = self.get(command)
        _require(registered, arguments or {})
        reference = registered.reference
        if registered.command.process:
            return self._work(registered, arguments, done)
        if reference.needs_window or reference.imported:
            return self._start(registered, arguments, done)
        return self._jobs.start(
            "studio:kernel.references.import_module_of",
            {"reference": reference},
            title=registered.title,
            key=f"command/{command}",
            done=lambda _: self._start(registered, arguments, done),
            # Once more on this thread, where the failure is noted at the plugin.
            failed=lambda _: self._start(registered, arguments, done),
            owner=registered.plugin,
        )

    def _start(
        self,
        registered: Registered,
        arguments: Mapping[str, Any] | None,
        done: Callable[[Any], object] | None,
    ) -> Job | None:
        function = self._plugins.load(registered.reference)
        if registered.reference.needs_window or "studio" in parameters(function):
            result = self.call(registered.id, arguments)
            if done is not None:
                done(result)
            return None
        return self._work(registered, arguments, done)

    def _work(
        self,
        registered: Registered,
        arguments: Mapping[str, Any] | None,
        done: Callable[[Any], object] | None,
    ) -> Job:
        return self._jobs.start(
            str(registered.reference),
            dict(arguments or {}),
            title=registered.title,
            key=f"command/{registered.id}",
            process=registered.command.process,
            done=done,
            owner=registered.plugin,
        )


def _require(registered: Registered, given: Mapping[str, Any]) -> None:
    missing = [
        argument.keyword
        for argument in registered.command.arguments
        if argument.required and argument.keyword not in given
    ]
    if missing:
        raise StudioError(
            tr("“{title}” needs {names}.", title=registered.title, names=", ".join(missing)),
            exit_code=2,
        )
