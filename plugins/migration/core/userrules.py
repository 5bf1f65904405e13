r"""Rules of the user: `migration.toml` in the project or in the user's folder.

[[silence]]                      # findings of these rules are not shown
rule = "fused-*"                 # an id, * stands for anything
files = "legacy/*"               # only there; without it everywhere

[[support]]                      # what the user knows better than the support list
api = "torch.nn.GRU"
verdict = "supported"            # supported, limited, unsupported or unverified
torch = ["2.8"]                  # only for these versions; without it for all
chips = ["A2"]                   # likewise
reason = "Trained with it."

[[rule]]                         # a name that matters to this project
id = "our-attention"
api = "ourlib.attention"         # its full name, however it is imported
title = "ourlib.attention needs its build for NPUs"
why = "Install ourlib-npu."
status = "manual"                # review, manual, unsupported, limited or info
effort = "hours"                 # none, minutes, hours or days
replace = "ourlib_npu.attention" # what to write instead, where it is written in full

[[rule]]                         # a text that matters, in files of any kind
id = "our-partition"
pattern = '--partition=(gpu\w*)' # a regular expression of Python, in place of api
files = "*.sh"                   # only there; without it in every file that is looked at
title = "The cluster's NPUs are in another partition"
replace = "--partition=npu"      # \1 stands for what the first bracket matched
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugins.migration.core.model import CHIPS, TORCH_VERSIONS, Source
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.paths import config_dir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "migration.toml"
_KEYS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "silence": (frozenset(["rule"]), frozenset(["files"])),
    "support": (frozenset(["api", "verdict"]), frozenset(["torch", "chips", "reason"])),
    "rule": (
        frozenset(["id", "title"]),
        frozenset(["api", "pattern", "files", "why", "status", "effort", "replace"]),
    ),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "verdict": ("supported", "limited", "unsupported", "unverified"),
    "status": ("review", "manual", "unsupported", "limited", "info"),
    "effort": ("none", "minutes", "hours", "days"),
    "torch": TORCH_VERSIONS,
    "chips": CHIPS,
}
_LISTS = frozenset(["torch", "chips"])


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file of rules, checked; `base` is the folder that `files` start from."""

    values: Mapping[str, Any]
    base: Path
    origin: str

    def text(self, key: str, usual: str = "") -> str:
        """A value that is a text."""
        return str(self.values.get(key, usual))


@dataclass(frozen=True, slots=True)
class UserRules:
    """All rules that hold for a scan."""

    silence: tuple[Entry, ...] = ()
    support: tuple[Entry, ...] = ()
    rule: tuple[Entry, ...] = ()
    apis: Mapping[str, Entry] = field(default_factory=dict)

    def patterns(self, path: Path) -> list[Entry]:
        """The rules that look for a text in a file."""
        return [one for one in self.rule if "pattern" in one.values and _matches(path, one)]

    def silences(self, rule: str, path: Path) -> bool:
        """Whether findings of a rule are not wanted in a file."""
        return any(
            fnmatchcase(rule, one.text("rule")) and _matches(path, one) for one in self.silence
        )

    def supported(self, name: str, torch: str, chip: str) -> Entry | None:
        """What the user says of an API."""
        for one in self.support:
            holds = torch in (one.values.get("torch") or (torch,))
            if one.text("api") == name and holds and chip in (one.values.get("chips") or (chip,)):
                return one
        return None


def rule_files(root: Path) -> tuple[Source, ...]:
    """The files of rules for a project, each with its time of change."""
    folder = root if root.is_dir() else root.parent
    found = []
    for path in (config_dir() / NAME, folder / NAME):
        try:
            found.append((str(path), path.stat().st_mtime_ns))
        except OSError:
            continue
    return tuple(found)


@lru_cache(maxsize=8)
def user_rules(files: tuple[Source, ...]) -> UserRules:
    """Read files of rules; raises StudioError naming file and key if one is not right."""
    found: dict[str, list[Entry]] = {"silence": [], "support": [], "rule": []}
    for name, _ in files:
        for table, entries in _read(Path(name)).items():
            found[table] += entries
    apis = {entry.text("api"): entry for entry in found["rule"] if "api" in entry.values}
    return UserRules(tuple(found["silence"]), tuple(found["support"]), tuple(found["rule"]), apis)


def _read(path: Path) -> dict[str, list[Entry]]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _fault(path, str(error)) from error
    for table in content:
        if table not in _KEYS:
            known = ", ".join(f"[[{name}]]" for name in _KEYS)
            raise _fault(path, tr("{key} is not known; known are {names}.", key=table, names=known))
    return {table: _entries(path, table, content[table]) for table in content}


def _entries(path: Path, table: str, rows: object) -> list[Entry]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _fault(path, tr("{key} must be written as {shape}.", key=table, shape=f"[[{table}]]"))
    return [
        Entry(_checked(path, f"{table}[{number}]", table, row), path.parent, path.name)
        for number, row in enumerate(rows, 1)
    ]


def _checked(path: Path, place: str, table: str, row: dict[str, Any]) -> dict[str, Any]:
    needed, others = _KEYS[table]
    for key in sorted(needed - set(row)):
        raise _fault(path, tr("{place} has no {key}.", place=place, key=key))
    for key, value in row.items():
        where = f"{place}.{key}"
        if key not in needed | others:
            names = ", ".join(sorted(needed | others))
            raise _fault(path, tr("{key} is not known; known are {names}.", key=where, names=names))
        values = value if key in _LISTS else [value]
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            shape = tr("a list of texts") if key in _LISTS else tr("a text")
            raise _fault(path, tr("{key} must be {shape}.", key=where, shape=shape))
        _check_choice(path, where, _CHOICES.get(key, ()), values)
    if table == "rule":
        _check_subject(path, place, row)
    return row


def _check_subject(path: Path, place: str, row: dict[str, Any]) -> None:
    """A rule speaks of an API or of a pattern, and its replacement fits the pattern."""
    if ("api" in row) == ("pattern" in row):
        raise _fault(path, tr("{place} needs either api or pattern.", place=place))
    if "pattern" not in row:
        return
    key = f"{place}.pattern"
    try:
        pattern = re.compile(row["pattern"])
        key = f"{place}.replace"
        # This checks the groups of a replacement, also where nothing matches.
        pattern.sub(row.get("replace", ""), "")
    except (re.error, IndexError, RecursionError, OverflowError) as error:
        told = tr("{key} is no regular expression: {problem}", key=key, problem=error)
        raise _fault(path, told) from error
    if pattern.match(""):
        raise _fault(path, tr("{key} matches an empty text.", key=f"{place}.pattern"))


def _check_choice(path: Path, where: str, choices: Sequence[str], values: Sequence[str]) -> None:
    for value in values:
        if choices and value not in choices:
            names = ", ".join(choices)
            raise _fault(path, tr("{key} must be one of {names}.", key=where, names=names))


def _fault(path: Path, problem: str) -> StudioError:
    text = tr("{path}: {problem}", path=path, problem=problem)
    return StudioError(text, path=path, exit_code=2)


def _matches(path: Path, entry: Entry) -> bool:
    pattern = entry.text("files", "*")
    relative = path.relative_to(entry.base) if path.is_relative_to(entry.base) else path
    return fnmatchcase(relative.as_posix(), pattern)
