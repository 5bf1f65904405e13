"""What the analysis speaks of: rules, raw hits in one text, and the settings to judge by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from studio.model.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from plugins.migration.core.parsing import Fault
    from studio.model.findings import Finding

Status = Literal["auto", "review", "manual", "unsupported", "limited", "info", "unreadable"]
"""What is to be done: nothing but accept, look at it first, by hand, …"""

OFFERED = "performance"
"""The category of changes that only make a program faster: they are made when asked for."""

Effort = Literal["none", "minutes", "hours", "days"]

Value = str | int | bool

Span = tuple[int, int]
"""Start and end in a text."""

Source = tuple[str, int]
"""A file of rules of the user, with its time of change."""

Export = tuple[str, str]
"""The full name of something in a project, and the name in torch.cuda that it stands for."""


class Extension(NamedTuple):
    """An extension of a project in C++ or CUDA.

    `name` is that under which Python imports it ("" if it only registers operators), `place` the
    file and line that build it; operators of torch.ops are written `namespace::name`. `builder` is
    the class whose objects build and load it, as those of DeepSpeed do ("" if there is none).
    """

    name: str
    place: str
    sources: tuple[str, ...]
    operators: tuple[str, ...]
    kernels: tuple[str, ...]
    builder: str = ""


Strategy = Literal["rewrite", "shim"]
"""Change the code, or let torch_npu's transfer_to_npu replace the CUDA names at run time."""

STRATEGIES: tuple[Strategy, ...] = ("rewrite", "shim")
TORCH_VERSIONS = ("2.6", "2.7.1", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13")
CHIPS = ("A2", "A3", "950DT")


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing the analysis knows.

    `title` and `why` are message ids with places for a hit's values. `before` and `after` are a
    small file and what becomes of it: they explain the rule, and the tests run them.
    """

    id: str
    title: str
    why: str
    category: str
    status: Status
    severity: Severity = Severity.WARNING
    effort: Effort = "none"
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Replace `[start, end)` of the text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One place a rule applies to; small and free of texts, so that processes can hand it over."""

    rule: str
    start: int
    end: int
    changes: tuple[Change, ...] = ()
    status: Status = "info"
    note: str = ""
    source: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScanContext:
    """What verdicts depend on; `own` are the packages of the project itself."""

    torch: str = "2.8"
    chip: str = "A2"
    strategy: Strategy = "rewrite"
    rules: tuple[Source, ...] = ()
    exports: tuple[Export, ...] = ()
    own: tuple[str, ...] = ()
    extensions: tuple[Extension, ...] = ()


FileStatus = Literal["migrated", "clean", "aware", "skipped", "empty"]
"""changes proposed, nothing to change, knows NPUs already, cannot be analysed, nothing in it."""


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name of torch that nobody has verified; in a text by offsets, later by lines."""

    name: str
    start: int
    end: int


class Site(NamedTuple):
    """A use of an API of torch in a text, with all that decides what is said of it.

    `dtypes` are the element types that the code states for what a call is given, as the support
    list writes them, `arguments` the keywords given that a condition of the list may speak of;
    `first` is the first use of the API in the file, `on_cpu` one of what was moved to the CPU just
    before, and `aware` one in code that knows NPUs and is left alone.
    """

    start: int
    end: int
    dtypes: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    first: bool = False
    on_cpu: bool = False
    aware: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one analysis whose answers change more than what is said of its sites.

    `names` were looked up in the table of torch.cuda; `strategy` tells whether that matters.
    """

    names: tuple[str, ...] = ()
    strategy: bool = False


ONLY_STRATEGY = Asked(strategy=True)
"""What the analysis of files that are no Python asks."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found in one text, before it is put into words.

    `sites` are the uses of APIs by name, which `judging` turns into hits for a torch version and
    chip; `left` the places left alone since the code there knows NPUs. `twin` is what the other
    strategy makes of it, where that is known.
    """

    status: FileStatus
    hits: tuple[Hit, ...] = ()
    lines: int = 0
    fault: Fault | None = None
    apis: Mapping[str, int] = field(default_factory=dict)
    unverified: tuple[Use, ...] = ()
    sites: Mapping[str, tuple[Site, ...]] = field(default_factory=dict)
    left: tuple[Span, ...] = ()
    asked: Asked = field(default=ONLY_STRATEGY, compare=False)
    twin: Analysis | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FileResult:
    """What was found in one file.

    `reason` says why it was skipped or left alone; `apis` counts the names of torch it uses,
    `unverified` those that the support list does not name, by first and last line.
    """

    path: Path
    status: FileStatus
    findings: tuple[Finding, ...] = ()
    lines: int = 0
    reason: str = ""
    apis: Mapping[str, int] = field(default_factory=dict, compare=False, hash=False)
    unverified: tuple[Use, ...] = ()

    @property
    def changes(self) -> int:
        """How many findings propose a change that the migration needs."""
        return sum(
            f.fix is not None and f.category != OFFERED and f.facts["status"] != "info"
            for f in self.findings
        )

    @property
    def offers(self) -> int:
        """How many findings offer a change that makes the program faster."""
        return sum(f.fix is not None and f.category == OFFERED for f in self.findings)
