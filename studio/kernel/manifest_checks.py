"""What must hold between the keys of a manifest, beyond the type of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.declarations import Command, Setting
from studio.kernel.values import value_fault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studio.kernel.declarations import Argument
    from studio.kernel.schema import Faults

API = 1
"""The newest `api` number of the facade, see `studio.api`."""

_EVERYWHERE = frozenset({"json", "csv", "help", "lang", "safe", "timings", "version"})


def check_whole(
    identifier: str,
    head: Mapping[str, object],
    sections: Mapping[str, list[object]],
    faults: Faults,
) -> None:
    """Add the faults of a manifest whose tables were read one by one."""
    _check_identity(identifier, head, faults)
    _check_ids(str(head.get("id", identifier)), sections, faults)
    for index, command in enumerate(sections["commands"], 1):
        if isinstance(command, Command):
            _check_arguments(f"commands[{index}].arguments", command.arguments, faults)
            if command.process and command.run.split(":")[0].split(".")[0] == "ui":
                faults.add(f"commands[{index}].process", tr("not for a function of the window"))
    for index, setting in enumerate(sections["settings"], 1):
        if isinstance(setting, Setting):
            _check_setting(f"settings[{index}]", setting, faults)


def _check_identity(identifier: str, head: Mapping[str, object], faults: Faults) -> None:
    named = head.get("id", identifier)
    if isinstance(named, str) and named != identifier:
        faults.add(
            "id",
            tr(
                'the id "{id}" belongs to a folder of that name; this one is "{folder}"',
                id=named,
                folder=identifier,
            ),
        )
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


def _check_arguments(where: str, arguments: Sequence[Argument], faults: Faults) -> None:
    seen: set[str] = set()
    optional = False
    for number, argument in enumerate(arguments, 1):
        place = f"{where}[{number}]"
        if argument.keyword in seen:
            faults.add(f"{place}.name", tr('"{name}" is doubled', name=argument.name))
        seen.add(argument.keyword)
        if argument.is_option and argument.keyword in _EVERYWHERE:
            faults.add(f"{place}.name", tr('"{name}" belongs to every command', name=argument.name))
        if (argument.type == "choice") != bool(argument.choices):
            faults.add(f"{place}.choices", tr('belongs to type "choice", and to no other'))
        if argument.default not in (None, "") and not argument.many:
            problem = value_fault(argument, argument.default)
            if problem:
                faults.add(f"{place}.default", problem)
        if not argument.is_option:
            if optional and argument.default is None:
                faults.add(place, tr("a required argument follows one that may be left out"))
            optional = optional or argument.default is not None or argument.many


def _check_setting(where: str, setting: Setting, faults: Faults) -> None:
    if (setting.type == "choice") != bool(setting.choices):
        faults.add(f"{where}.choices", tr('belongs to type "choice", and to no other'))
    problem = value_fault(setting, setting.default)
    if problem:
        faults.add(f"{where}.default", problem)
