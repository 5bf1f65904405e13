"""The support tables in `resources/rules`, read when first needed."""

from __future__ import annotations

import csv
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from plugins.migration.core.model import TORCH_VERSIONS
from studio.paths import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

Support = Literal["supported", "limited", "unsupported", "unlisted", "absent", "not stated"]

_SUPPORT: Mapping[str, Support] = {
    "S": "supported",
    "L": "limited",
    "U": "unsupported",
    "C": "unlisted",
    "A": "absent",
}


class ApiName(NamedTuple):
    """A CUDA name of torch, its name on Ascend ("" if there is none) and how far it goes."""

    name: str
    npu: str
    support: Mapping[str, Support]
    note: str
    source: str

    @property
    def is_module(self) -> bool:
        """Whether it is a module, which says nothing about the names in it."""
        return self.name.rpartition(".")[2].islower() and "unlisted" in self.support.values()

    def judged(self, torch: str) -> Support:
        """The support in one torch version."""
        return self.support.get(torch, "not stated")


class Library(NamedTuple):
    """A library or feature that matters on Ascend; `guess` marks a verdict nobody has stated."""

    name: str
    packages: tuple[str, ...]
    title: str
    verdict: str
    advice: str
    guess: bool
    source: str


class Variable(NamedTuple):
    """An environment variable, its twin on Ascend if the meaning is the same, and advice if not."""

    name: str
    npu: str
    advice: str
    guess: bool
    source: str


class Affinity(NamedTuple):
    """What one fused operator of Ascend does, by the name of an API or of a pattern."""

    name: str
    kind: str
    npu: str
    source: str


@cache
def affinities() -> Mapping[str, Affinity]:
    """The fused operators by what they do."""
    return {
        row["name"]: Affinity(row["name"], row["kind"], row["npu"], _source(row))
        for row in _rows("affinity.csv")
    }


@cache
def api_names() -> Mapping[str, ApiName]:
    """Every CUDA name of torch that something is known about."""
    found = {}
    for row in _rows("cuda_names.csv"):
        support = {v: _SUPPORT[row[v]] for v in TORCH_VERSIONS if row[v]}
        found[row["name"]] = ApiName(row["name"], row["npu"], support, row["note"], _source(row))
    return found


@cache
def libraries() -> Mapping[str, Library]:
    """Libraries and torch features by import name."""
    return {
        row["name"]: Library(
            row["name"],
            tuple(row["packages"].split()),
            row["title"],
            row["verdict"],
            row["advice"],
            row["guess"] == "yes",
            _source(row),
        )
        for row in _rows("libraries.csv")
    }


@cache
def packages() -> Mapping[str, Library]:
    """Libraries by the normal form of their package name (PEP 503)."""
    return {package: library for library in libraries().values() for package in library.packages}


@cache
def variables() -> Mapping[str, Variable]:
    """Environment variables by name."""
    return {
        row["name"]: Variable(
            row["name"], row["npu"], row["advice"], row["guess"] == "yes", _source(row)
        )
        for row in _rows("environment.csv")
    }


@lru_cache(maxsize=20_000)
def library_of(name: str) -> Library | None:
    """The entry of the libraries for a dotted name or the nearest package it lies in."""
    return longest_entry(name, libraries())


def longest_entry(name: str, table: Mapping[str, Library]) -> Library | None:
    """The entry for a dotted name or the nearest package it lies in."""
    while name:
        if name in table:
            return table[name]
        name = name.rpartition(".")[0]
    return None


def _rows(name: str) -> list[dict[str, str]]:
    with resource("rules", name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _source(row: Mapping[str, str]) -> str:
    return " ".join(filter(None, (row["source"], row["version"])))
