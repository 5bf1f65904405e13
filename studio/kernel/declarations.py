"""What a plugin can declare in its `plugin.toml`, one frozen dataclass per kind of table.

Titles, descriptions and helps are message ids: the host translates them where it shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from keyword import iskeyword
from typing import TYPE_CHECKING

from studio.kernel.schema import (
    any_value,
    checked,
    filled_text,
    matching,
    number,
    one_of,
    reference,
    table,
    tables,
    text,
    texts,
    truth,
    whole_number,
)
from studio.kernel.when import Condition, condition

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENT_TYPES = ("str", "int", "float", "bool", "path", "file", "folder", "choice")
SETTING_TYPES = ("bool", "int", "float", "str", "choice", "path", "list")
AREAS = ("left", "right", "bottom")
MENUS = ("File", "Edit", "View", "Go", "Run", "Tools", "Help")
ACTIVITIES = ("", "files", "migration", "performance", "precision", "training")

IDENTIFIER = checked(matching(r"[a-z]\w*(\.[a-z]\w*)+", "an id such as timeline.fit"))
TITLE = checked(filled_text)
TEXT = checked(text)
REFERENCE = checked(reference)
TEXTS = checked(texts)
TRUTH = checked(truth)
WHOLE = checked(whole_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a command: positional, or an option when its name starts with dashes."""

    name: str = field(
        metadata=checked(matching(r"(--)?[a-z][a-z0-9]*([-_][a-z0-9]+)*", "a name or --name"))
    )
    type: str = field(default="str", metadata=checked(one_of(*ARGUMENT_TYPES)))
    help: str = field(default="", metadata=TEXT)
    default: object = field(default=None, metadata=checked(any_value))
    choices: tuple[str, ...] = field(default=(), metadata=TEXTS)
    many: bool = field(default=False, metadata=TRUTH)

    @property
    def keyword(self) -> str:
        """The parameter of the function that receives it; `from_` for a word of Python."""
        name = self.name.lstrip("-").replace("-", "_")
        return f"{name}_" if iskeyword(name) else name

    @property
    def is_option(self) -> bool:
        """Whether it is given by name."""
        return self.name.startswith("--")

    @property
    def required(self) -> bool:
        """Whether the command cannot run without it."""
        if self.is_option and (self.many or self.type == "bool"):
            return False
        return self.default is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something one can do; feeds palette, menus, keys, tool bars and the command line.

    With `process` the window runs it in a process of its own, for work that holds Python's lock.
    """

    id: str = field(metadata=IDENTIFIER)
    title: str = field(metadata=TITLE)
    run: str = field(metadata=REFERENCE)
    help: str = field(default="", metadata=TEXT)
    menu: str = field(
        default="",
        metadata=checked(
            matching(
                rf"({'|'.join(MENUS)})(/[^/]+)?/\d+|", 'a place such as "View/50" or "View/Zoom/50"'
            )
        ),
    )
    keys: tuple[str, ...] = field(default=(), metadata=TEXTS)
    when: Condition = field(default_factory=Condition, metadata=checked(condition))
    icon: str = field(default="", metadata=TEXT)
    toolbar: bool = field(default=False, metadata=TRUTH)
    palette: bool = field(default=True, metadata=TRUTH)
    process: bool = field(default=False, metadata=TRUTH)
    cli: str = field(
        default="",
        metadata=checked(
            matching(r"([a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*)?", "words after `studio`")
        ),
    )
    arguments: tuple[Argument, ...] = field(default=(), metadata=checked(tables(Argument)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A dock: `make(studio)` returns its widget at first showing."""

    id: str = field(metadata=IDENTIFIER)
    title: str = field(metadata=TITLE)
    make: str = field(metadata=REFERENCE)
    area: str = field(metadata=checked(one_of(*AREAS)))
    activity: str = field(default="", metadata=checked(one_of(*ACTIVITIES)))
    icon: str = field(default="", metadata=TEXT)
    start: bool = field(default=False, metadata=TRUTH)
    order: int = field(default=50, metadata=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """A centre view: `make(studio, path, **arguments)` returns its widget."""

    id: str = field(metadata=IDENTIFIER)
    title: str = field(metadata=TITLE)
    make: str = field(metadata=REFERENCE)
    icon: str = field(default="", metadata=TEXT)
    patterns: tuple[str, ...] = field(default=(), metadata=TEXTS)
    kinds: tuple[str, ...] = field(default=(), metadata=TEXTS)
    sniff: str = field(default="", metadata=REFERENCE)
    priority: int = field(default=50, metadata=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Recognises one kind of item by name patterns and, if need be, by content."""

    kind: str = field(metadata=TITLE)
    title: str = field(metadata=TITLE)
    patterns: tuple[str, ...] = field(metadata=TEXTS)
    icon: str = field(default="", metadata=TEXT)
    folders: bool = field(default=False, metadata=TRUTH)
    sniff: str = field(default="", metadata=REFERENCE)
    facts: str = field(default="", metadata=REFERENCE)
    priority: int = field(default=50, metadata=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """Shows locations of one kind: `run(studio, location)` returns whether it could."""

    kind: str = field(metadata=TITLE)
    run: str = field(metadata=REFERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickOpen:
    """Answers what is typed after a prefix in quick open."""

    prefix: str = field(metadata=TITLE)
    title: str = field(metadata=TITLE)
    run: str = field(metadata=REFERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMenu:
    """Puts a command into the context menu of a place."""

    command: str = field(metadata=IDENTIFIER)
    where: str = field(metadata=TITLE)
    kinds: tuple[str, ...] = field(default=(), metadata=TEXTS)
    order: int = field(default=50, metadata=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusItem:
    """A small widget in the status bar: `make(studio)` returns it."""

    id: str = field(metadata=IDENTIFIER)
    make: str = field(metadata=REFERENCE)
    order: int = field(default=50, metadata=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value the user can choose; hidden ones are kept by the program itself."""

    key: str = field(metadata=IDENTIFIER)
    type: str = field(metadata=checked(one_of(*SETTING_TYPES)))
    default: object = field(metadata=checked(any_value))
    title: str = field(metadata=TITLE)
    help: str = field(default="", metadata=TEXT)
    choices: tuple[str, ...] = field(default=(), metadata=TEXTS)
    min: float | None = field(default=None, metadata=checked(number))
    max: float | None = field(default=None, metadata=checked(number))
    restart: bool = field(default=False, metadata=TRUTH)
    hidden: bool = field(default=False, metadata=TRUTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStep:
    """One picture of `studio tour`: what to open, which command to run, how to name the picture.

    In the sample, texts of the file are first replaced as if they were `typed`, and then as another
    program would that has `written` the file meanwhile.
    """

    name: str = field(metadata=checked(matching(r"[a-z0-9]+(-[a-z0-9]+)*", "a file name")))
    title: str = field(metadata=TITLE)
    order: int = field(default=50, metadata=WHOLE)
    activity: str = field(default="", metadata=checked(one_of(*ACTIVITIES)))
    kind: str = field(default="", metadata=TEXT)
    file: str = field(default="", metadata=TEXT)
    typed: Mapping[str, object] = field(default_factory=dict, metadata=checked(table))
    written: Mapping[str, object] = field(default_factory=dict, metadata=checked(table))
    command: str = field(default="", metadata=TEXT)
    arguments: Mapping[str, object] = field(default_factory=dict, metadata=checked(table))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Everything a `plugin.toml` can hold."""

    title: str = field(metadata=TITLE)
    description: str = field(metadata=TITLE)
    version: str = field(metadata=TITLE)
    api: int = field(metadata=WHOLE)
    id: str = field(default="", metadata=TEXT)
    requires: tuple[str, ...] = field(default=(), metadata=TEXTS)
    activate: str = field(default="", metadata=REFERENCE)


SECTIONS: Mapping[str, type] = {
    "commands": Command,
    "panels": Panel,
    "openers": Opener,
    "scanners": Scanner,
    "reveals": Reveal,
    "quick_open": QuickOpen,
    "context_menus": ContextMenu,
    "status_items": StatusItem,
    "settings": Setting,
    "tour": TourStep,
}
"""The arrays of tables a manifest may hold, and what each table declares."""
