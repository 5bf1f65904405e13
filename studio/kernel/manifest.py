"""Read and check one `plugin.toml`: every fault is named with file and key, all at once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.declarations import (
    SECTIONS,
    Command,
    Contents,
    ContextMenu,
    Opener,
    Panel,
    QuickOpen,
    Reveal,
    Scanner,
    Setting,
    StatusItem,
    TourStep,
)
from studio.kernel.errors import StudioError
from studio.kernel.schema import Fault, Faults, describe, read_table
from studio.kernel.values import value_fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

API = 1
"""The newest `api` number of the facade, see `studio.api`."""

FILE_NAME = "plugin.toml"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one plugin says about itself."""

    id: str
    path: Path
    title: str
    description: str
    version: str
    api: int
    requires: tuple[str, ...] = ()
    activate: str = ""
    commands: tuple[Command, ...] = ()
    panels: tuple[Panel, ...] = ()
    openers: tuple[Opener, ...] = ()
    scanners: tuple[Scanner, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    quick_open: tuple[QuickOpen, ...] = ()
    context_menus: tuple[ContextMenu, ...] = ()
    status_items: tuple[StatusItem, ...] = ()
    settings: tuple[Setting, ...] = ()
    tour: tuple[TourStep, ...] = ()

    def references(self) -> Iterator[tuple[str, str]]:
        """Yield (where, "module:name") for every reference in the manifest."""
        if self.activate:
            yield "activate", self.activate
        for section in SECTIONS:
            for index, declaration in enumerate(getattr(self, section), 1):
                for name in ("run", "make", "sniff", "facts"):
                    reference = getattr(declaration, name, "")
                    if reference:
                        yield f"{section}[{index}].{name}", reference


class ManifestError(StudioError):
    """All faults of one manifest."""

    def __init__(self, path: Path, faults: Sequence[Fault]) -> None:
        lines = [f"{path.name}: {fault}" for fault in faults]
        super().__init__("\n".join(lines), path=path)
        self.faults = tuple(faults)


def read_manifest(path: Path, *, plugin: str = "") -> Manifest:
    """Read a manifest; raises ManifestError with every fault in it.

    `plugin` is the plugin's id, by default the name of the folder.
    """
    identifier = plugin or path.parent.name
    faults = Faults()
    data = _parse(path)
    head = {key: value for key, value in data.items() if key not in SECTIONS}
    contents = read_table(Contents, head, "", faults)
    sections = {
        name: _read_section(name, kind, data.get(name, []), faults)
        for name, kind in SECTIONS.items()
    }
    _check_identity(identifier, head, faults)
    _check_ids(identifier, sections, faults)
    _check_commands(sections, faults)
    _check_settings(sections, faults)
    if faults.found or contents is None:
        raise ManifestError(path, faults.found)
    values = {f.name: getattr(contents, f.name) for f in fields(contents) if f.name != "id"}
    return Manifest(id=identifier, path=path, **values, **_present(sections))


def _parse(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(
            path, [Fault("", tr("not valid TOML: {error}", error=error))]
        ) from error
    except UnicodeDecodeError as error:
        raise ManifestError(path, [Fault("", tr("is not UTF-8 text"))]) from error
    except OSError as error:
        reason = tr("cannot be read: {error}", error=error.strerror)
        raise ManifestError(path, [Fault("", reason)]) from error


def _read_section(name: str, kind: type, data: object, faults: Faults) -> list[object]:
    if not isinstance(data, list):
        message = tr("expected [[{name}]], found {value}", name=name, value=describe(data))
        faults.add(name, message)
        return []
    return [read_table(kind, entry, f"{name}[{i}]", faults) for i, entry in enumerate(data, 1)]


def _present(sections: Mapping[str, list[object]]) -> dict[str, Any]:
    return {name: tuple(e for e in found if e is not None) for name, found in sections.items()}


def _check_identity(identifier: str, head: Mapping[str, object], faults: Faults) -> None:
    named = head.get("id", identifier)
    if named != identifier:
        faults.add("id", tr('must be the name of the folder, "{folder}"', folder=identifier))
    if not identifier.isidentifier() or identifier != identifier.lower():
        faults.add("", tr('the folder name "{folder}" is not a lower-case name', folder=identifier))
    api = head.get("api")
    if isinstance(api, int) and not isinstance(api, bool) and not 1 <= api <= API:
        faults.add(
            "api",
            tr("made for api {wanted}; this program offers 1 to {newest}", wanted=api, newest=API),
        )


def _check_ids(identifier: str, sections: Mapping[str, list[object]], faults: Faults) -> None:
    for section, declarations in sections.items():
        seen: dict[str, int] = {}
        for index, declaration in enumerate(declarations, 1):
            key = "key" if section == "settings" else "name" if section == "tour" else "id"
            name = getattr(declaration, key, None)
            if name is None:
                continue
            where = f"{section}[{index}].{key}"
            if section != "tour" and not name.startswith(f"{identifier}."):
                faults.add(
                    where, tr('"{name}" must start with "{prefix}."', name=name, prefix=identifier)
                )
            if name in seen:
                faults.add(
                    where,
                    tr(
                        '"{name}" is already used by {first}',
                        name=name,
                        first=f"{section}[{seen[name]}]",
                    ),
                )
            seen.setdefault(name, index)


def _check_commands(sections: Mapping[str, list[object]], faults: Faults) -> None:
    for index, command in enumerate(sections["commands"], 1):
        if not isinstance(command, Command):
            continue
        seen: set[str] = set()
        optional = False
        for number, argument in enumerate(command.arguments, 1):
            where = f"commands[{index}].arguments[{number}]"
            if argument.keyword in seen:
                faults.add(f"{where}.name", tr('"{name}" is doubled', name=argument.name))
            seen.add(argument.keyword)
            if (argument.type == "choice") != bool(argument.choices):
                faults.add(f"{where}.choices", tr('belongs to type "choice", and to no other'))
            if argument.default is not None and not argument.many:
                problem = value_fault(argument, argument.default)
                if problem and argument.default != "":
                    faults.add(f"{where}.default", problem)
            if not argument.is_option:
                if optional and argument.default is None:
                    faults.add(where, tr("a required argument follows one that may be left out"))
                optional = optional or argument.default is not None or argument.many


def _check_settings(sections: Mapping[str, list[object]], faults: Faults) -> None:
    for index, setting in enumerate(sections["settings"], 1):
        if not isinstance(setting, Setting):
            continue
        where = f"settings[{index}]"
        if (setting.type == "choice") != bool(setting.choices):
            faults.add(f"{where}.choices", tr('belongs to type "choice", and to no other'))
        problem = value_fault(setting, setting.default)
        if problem:
            faults.add(f"{where}.default", problem)
