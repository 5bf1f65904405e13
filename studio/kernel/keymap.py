"""The user's own keys for commands, over those that manifests declare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.kernel.commands import Registered
    from studio.kernel.declarations import Command
    from studio.kernel.settings import Settings

SETTING = "studio.keys"
_SIGN = " = "
_BETWEEN = " | "


@dataclass(frozen=True, slots=True)
class Clash:
    """Two commands with one key: `certain` when nothing tells them apart."""

    keys: str
    other: Registered
    certain: bool


class KeyMap:
    """Kept in the hidden setting `studio.keys`, one text "command = Ctrl+A | Ctrl+B" each.

    No keys after the sign mean that the command has none any more. Keys are written as Qt's
    portable text.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def applied(self, command: Command) -> Command:
        """The command with the keys that it has now."""
        own = self._own().get(command.id)
        return command if own is None else replace(command, keys=own)

    def is_changed(self, command: str) -> bool:
        """Whether the user chose the keys of a command."""
        return command in self._own()

    def change(self, command: str, keys: Iterable[str]) -> None:
        """Give a command other keys, or none."""
        self._keep(self._own() | {command: tuple(dict.fromkeys(keys))})

    def reset(self, command: str) -> None:
        """Give a command the keys of its manifest again."""
        self._keep({name: keys for name, keys in self._own().items() if name != command})

    def reset_all(self) -> None:
        """Give every command the keys of its manifest."""
        self._settings.reset(SETTING)

    def _own(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for text in self._settings.get(SETTING):
            name, sign, keys = str(text).partition(_SIGN.strip())
            if sign:
                parts = (part.strip() for part in keys.strip().split(_BETWEEN))
                found[name.strip()] = tuple(part for part in parts if part)
        return found

    def _keep(self, own: dict[str, tuple[str, ...]]) -> None:
        if not own:
            self._settings.reset(SETTING)
            return
        lines = [f"{name}{_SIGN}{_BETWEEN.join(keys)}".rstrip() for name, keys in own.items()]
        self._settings.set(SETTING, sorted(lines))


def clashes(command: Registered, keys: str, commands: Iterable[Registered]) -> list[Clash]:
    """The other commands that a key runs as well, those that surely collide first.

    A key runs the first command whose condition holds, one with a condition before one without; so
    only equal conditions leave it open which of two is meant.
    """
    found = [
        Clash(keys, other, other.command.when.text == command.command.when.text)
        for other in commands
        if other.id != command.id and keys in other.command.keys
    ]
    return sorted(found, key=lambda clash: not clash.certain)
