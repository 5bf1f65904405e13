"""What the support list of Ascend/pytorch says about every API of torch, per version and chip."""

from __future__ import annotations

import csv
from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from plugins.migration.core.model import CHIPS, TORCH_VERSIONS
from plugins.migration.core.userrules import user_rules
from studio.paths import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.migration.core.model import ScanContext

Verdict = Literal["supported", "limited", "unsupported", "fallback", "unverified", "not stated"]
"""`unverified`: the list does not name it; `not stated`: it does, but not for this chip."""

VERDICTS: tuple[Verdict, ...] = (
    "supported", "limited", "fallback", "unsupported", "unverified", "not stated",
)  # fmt: skip

CODES: Mapping[str, str] = {
    "float64": "fp64", "double": "fp64", "float32": "fp32", "float": "fp32", "float16": "fp16",
    "half": "fp16", "bfloat16": "bf16", "complex64": "complex64", "cfloat": "complex64",
    "complex128": "complex128", "cdouble": "complex128", "int64": "int64", "long": "int64",
    "int32": "int32", "int": "int32", "int16": "int16", "short": "int16", "int8": "int8",
    "uint8": "uint8", "bool": "bool",
}  # fmt: skip
"""The names of element types in torch and how the list writes them."""


class Listed(NamedTuple):
    """What the list says of an API: the page, and the number of its verdict per torch version.

    The numbers are in the order of the versions, "" where it is not named.
    """

    numbers: tuple[str, ...]
    page: str


class Row(NamedTuple):
    """One verdict of the list, shared by the APIs it holds for."""

    status: str
    chips: Mapping[str, str]
    dtypes: frozenset[str]
    without: frozenset[str]
    notes: tuple[str, ...]


class Judgement(NamedTuple):
    """What is known of one API for one torch version and chip.

    `dtypes` are the element types it takes there (none: not limited); `notes` are conditions.
    """

    name: str
    verdict: Verdict
    torch: str
    chip: str
    dtypes: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    source: str = ""

    def takes(self, dtype: str) -> bool:
        """Whether it takes an element type, written as the list does ("fp64")."""
        return dtype not in self.without and (not self.dtypes or dtype in self.dtypes)


_UNLISTED = Listed(("",) * len(TORCH_VERSIONS), "")


def canonical(name: str) -> str:
    """The name under which the list knows an API that torch exports under several names."""
    return aliases().get(name, name)


@lru_cache(maxsize=20_000)
def judged(name: str, torch: str, chip: str) -> Judgement:
    """What is known of an API, under whatever name torch exports it."""
    listed = canonical(name)
    numbers, page = listing().get(listed, _UNLISTED)
    row = verdicts().get(numbers[TORCH_VERSIONS.index(torch)])
    override = overrides().get(listed)
    if override is not None:
        return Judgement(listed, override[0], torch, chip, notes=(override[1],), source=override[2])
    if row is None:
        return Judgement(listed, "unverified", torch, chip)
    place, version = origins()[torch]
    without = {part.partition("@") for part in row.without}
    return Judgement(
        listed,
        _verdict(row, chip),
        torch,
        chip,
        row.dtypes,
        frozenset(dtype for dtype, _, where in without if where in ("", chip)),
        row.notes,
        f"{place}/{page}.md {version}",
    )


def judged_in(context: ScanContext, name: str) -> Judgement:
    """What is known of an API for a scan: what the user says of it goes before the list."""
    known = judged(name, context.torch, context.chip)
    if context.rules:
        said = user_rules(context.rules)
        entry = said.supported(name, context.torch, context.chip) or said.supported(
            known.name, context.torch, context.chip
        )
        if entry is not None:
            verdict = next((one for one in VERDICTS if one == entry.text("verdict")), known.verdict)
            notes = (entry.text("reason"),) if entry.text("reason") else ()
            source = entry.origin
            return Judgement(
                known.name, verdict, known.torch, known.chip, notes=notes, source=source
            )
    return known


def everything(name: str) -> list[Judgement]:
    """What is known of an API for each torch version and chip."""
    return [judged(name, torch, chip) for torch in TORCH_VERSIONS for chip in CHIPS]


def _verdict(row: Row, chip: str) -> Verdict:
    stated = row.chips[chip]
    if stated == "N":
        return "unsupported"
    if stated != "Y":
        return "not stated"
    if "may fall back to CPU" in row.notes:
        return "fallback"
    return "limited" if row.status == "limited" or row.without else "supported"


@cache
def listing() -> Mapping[str, Listed]:
    """What the list says, per API."""
    with resource("rules", "torch_support.csv").open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)  # of thousands of rows it reads each in a fraction of the time
        head = next(rows)
        name, page = head.index("name"), head.index("page")
        of_versions = itemgetter(*map(head.index, TORCH_VERSIONS))
        return {row[name]: Listed(of_versions(row), row[page]) for row in rows}


@cache
def verdicts() -> Mapping[str, Row]:
    """The verdicts by number."""
    return {
        row["number"]: Row(
            row["status"],
            {chip: row[chip] for chip in CHIPS},
            frozenset(row["dtypes"].split()),
            frozenset(row["without"].split()),
            tuple(filter(None, row["note"].split("; "))),
        )
        for row in _rows("torch_verdicts.csv")
    }


@cache
def aliases() -> Mapping[str, str]:
    """Names that torch exports beside the one that the list uses."""
    return {row["name"]: row["listed"] for row in _rows("torch_aliases.csv")}


@cache
def origins() -> Mapping[str, tuple[str, str]]:
    """Where the list of a torch version stands, and in which state it was read."""
    return {row["torch"]: (row["source"], row["version"]) for row in _rows("torch_sources.csv")}


@cache
def overrides() -> Mapping[str, tuple[Verdict, str, str]]:
    """Verdicts known to be wrong in the list: what holds instead, why, and says who."""
    known: Mapping[str, Verdict] = {"supported": "supported", "unverified": "unverified"}
    return {
        row["name"]: (known[row["verdict"]], row["reason"], row["source"])
        for row in _rows("torch_overrides.csv")
    }


@cache
def names_of_methods() -> frozenset[str]:
    """The methods of tensors and modules that the list judges."""
    owners = ("torch.Tensor.", "torch.nn.Module.")
    return frozenset(n.rpartition(".")[2] for n in listing() if n.startswith(owners))


class Telling(NamedTuple):
    """What the list says of an API for any torch version and chip: verdicts, limits of types."""

    verdicts: frozenset[Verdict]
    limits: bool


@lru_cache(maxsize=20_000)
def telling(name: str) -> Telling:
    """What the list has to say of an API, whatever is chosen."""
    listed = canonical(name)
    override = overrides().get(listed)
    if override is not None:
        return Telling(frozenset([override[0]]), limits=False)
    numbers, _ = listing().get(listed, _UNLISTED)
    rows = [_telling(number) for number in set(numbers) if number]
    found = frozenset[Verdict]().union(*(row.verdicts for row in rows))
    return Telling(found, any(row.limits for row in rows))


@cache
def _telling(number: str) -> Telling:
    row = verdicts()[number]
    found = frozenset(_verdict(row, chip) for chip in CHIPS)
    return Telling(found, bool(row.dtypes or row.without))


@cache
def all_methods() -> frozenset[str]:
    """The methods of tensors that do not run without a word on some chip with some torch."""
    found = (name for name in listing() if name.startswith("torch.Tensor."))
    silent: set[Verdict] = {"unsupported", "fallback"}
    return frozenset(name.rpartition(".")[2] for name in found if telling(name).verdicts & silent)


def _rows(name: str) -> list[dict[str, str]]:
    with resource("rules", name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
