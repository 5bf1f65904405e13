"""Turn the words after `studio` into a command and its arguments, as the manifests declare them."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.kernel.commands import Registered
    from studio.kernel.declarations import Argument

_NUMBERS: dict[str, type] = {"int": int, "float": float}
_PATHS = ("path", "file", "folder")


class UsageError(StudioError):
    """The words make no sense; `usage` shows how it is meant."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message, exit_code=2)
        self.usage = usage


_CHINESE = ("zh", "zh_cn")


@dataclass
class Options:
    """What can be given with any command; `stuck` is set when a job would not end."""

    language: str | None = None
    safe: bool = False
    timings: bool = False
    version: bool = False
    stuck: bool = False
    words: list[str] = field(default_factory=list)


def take_options(arguments: Sequence[str]) -> Options:
    """Take the options of the program itself out of the arguments, wherever they stand."""
    options = Options()
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            options.words += [word, *rest]
        elif word == "--safe":
            options.safe = True
        elif word == "--timings":
            options.timings = True
        elif word == "--version":
            options.version = True
        elif name == "--lang":
            chosen = value if equals else next(rest, "")
            options.language = "zh_CN" if chosen.lower().replace("-", "_") in _CHINESE else chosen
        else:
            options.words.append(word)
    return options


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(_translate(message), self.format_usage().strip())


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:  # noqa: ANN401
        super().add_usage(usage, actions, groups, prefix or f"{tr('Usage')}: ")


def parse_arguments(command: Registered, words: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Read the arguments of a command; returns them with the wanted form of output.

    Raises UsageError for words that do not fit, and StudioError for files that are not there.
    """
    parser = command_parser(command)
    values = vars(parser.parse_args(list(words)))
    form = values.pop("output form") or "table"
    for argument in command.command.arguments:
        values[argument.keyword] = _finish(argument, values[argument.keyword])
    return values, form


def command_parser(command: Registered) -> argparse.ArgumentParser:
    """Build the parser of one command."""
    declared = command.command
    parser = _Parser(
        prog=f"studio {declared.cli}",
        description=tr(declared.help or declared.title),
        formatter_class=_Formatter,
        add_help=False,
        allow_abbrev=False,
    )
    positional = parser.add_argument_group(tr("Arguments"))
    optional = parser.add_argument_group(tr("Options"))
    for argument in declared.arguments:
        _add(optional if argument.is_option else positional, argument)
    output = optional.add_mutually_exclusive_group()
    for form, text in (("json", tr("Print the result as JSON")), ("csv", tr("Print it as CSV"))):
        output.add_argument(
            f"--{form}", dest="output form", action="store_const", const=form, help=text
        )
    optional.add_argument("-h", "--help", action="help", help=tr("Show this help"))
    return parser


def _add(group: argparse._ArgumentGroup, argument: Argument) -> None:
    settings: dict[str, Any] = {"help": tr(argument.help).replace("%", "%%"), "default": None}
    if argument.type == "bool" and argument.is_option:
        action = argparse.BooleanOptionalAction if argument.default is True else "store_true"
        group.add_argument(argument.name, dest=argument.keyword, action=action, **settings)
        return
    settings["type"] = _NUMBERS.get(argument.type, str)
    if argument.type == "choice":
        settings["choices"] = argument.choices
        settings["metavar"] = "|".join(filter(None, argument.choices))
    else:
        settings["metavar"] = argument.keyword.upper().rstrip("_")
    if argument.is_option:
        settings |= {"dest": argument.keyword, "required": argument.required}
        if argument.many:
            settings |= {"nargs": "+", "action": "extend"}
        group.add_argument(argument.name, **settings)
    else:
        settings["nargs"] = {
            (True, True): "+",
            (True, False): "*",
            (False, True): None,
            (False, False): "?",
        }[argument.many, argument.required]
        group.add_argument(argument.keyword, **settings)


def _finish(argument: Argument, given: Any) -> Any:  # noqa: ANN401 - as the type declares
    value: Any = argument.default if given is None or given == [] else given
    if argument.many:
        return tuple(_typed(argument, entry) for entry in value or ())
    if argument.type == "bool":
        return bool(value)
    return _typed(argument, value)


def _typed(argument: Argument, value: Any) -> Any:  # noqa: ANN401 - as the type declares
    if argument.type not in _PATHS:
        return value
    if value in ("", None):
        if argument.required:
            raise UsageError(tr("{name} is empty.", name=argument.keyword.upper()))
        return None
    path = Path(value)
    if argument.type == "path":
        return path
    if not path.exists():
        raise StudioError(tr("{path} does not exist.", path=path), path=path)
    if argument.type == "file" and path.is_dir():
        raise StudioError(tr("{path} is a folder, not a file.", path=path), path=path)
    if argument.type == "folder" and not path.is_dir():
        raise StudioError(tr("{path} is a file, not a folder.", path=path), path=path)
    return path


def _translate(message: str) -> str:
    """Say argparse's messages in the language of the program."""
    known = {
        r"the following arguments are required: (.+)": tr("Missing: {0}."),
        r"unrecognized arguments: (.+)": tr("Unknown argument: {0}."),
        r"argument (.+?): expected one argument": tr("{0} needs a value."),
        r"argument (.+?): expected at least one argument": tr("{0} needs a value."),
        r"argument (.+?): invalid int value: (.+)": tr("{0} must be a whole number, not {1}."),
        r"argument (.+?): invalid float value: (.+)": tr("{0} must be a number, not {1}."),
        r"argument (.+?): invalid choice: (.+?) \(choose from (.*)\)": tr(
            "{0} must be one of {2}, not {1}."
        ),
        r"argument (.+?): not allowed with argument (.+)": tr("{0} and {1} exclude each other."),
    }
    for pattern, text in known.items():
        match = re.fullmatch(pattern, message)
        if match:
            return text.format(*match.groups())
    return message
