"""Grouping, filtering and writing out findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.problems.core import as_text, counts, grouped, wanted
from studio.model.findings import Finding, Severity
from studio.model.locations import Location

ALL = frozenset(Severity)


def finding(name: str, line: int, severity: Severity, rule: str, title: str = "x") -> Finding:
    where = Location.source(Path(f"/p/{name}"), line, 3)
    return Finding(f"{name}{line}", rule, severity, title, where)


FOUND = [
    finding("b.py", 9, Severity.HINT, "style"),
    finding("b.py", 2, Severity.WARNING, "cuda-call", "moves to the GPU"),
    finding("a.py", 5, Severity.WARNING, "cuda-call"),
    finding("c.sh", 1, Severity.ERROR, "nccl"),
]


def name(path: Path) -> str:
    return path.name


def lines(groups):
    return {str(key): [f.location.line for f in found] for key, found in groups.items()}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("file", [("/p/c.sh", [1]), ("/p/b.py", [2, 9]), ("/p/a.py", [5])]),
        ("rule", [("nccl", [1]), ("cuda-call", [5, 2]), ("style", [9])]),
        (
            "severity",
            [("Severity.ERROR", [1]), ("Severity.WARNING", [5, 2]), ("Severity.HINT", [9])],
        ),
    ],
)
def test_worst_and_fullest_groups_come_first(by, expected):
    assert list(lines(grouped(FOUND, by)).items()) == expected


def test_filter_wants_every_word_somewhere():
    assert wanted(FOUND, ALL, "CUDA b.py", name) == [FOUND[1]]
    assert wanted(FOUND, ALL, "gpu", name) == [FOUND[1]]
    assert wanted(FOUND, frozenset({Severity.ERROR}), "", name) == [FOUND[3]]
    assert wanted(FOUND, ALL, "nothing such", name) == []


def test_counts_name_every_severity():
    assert counts(FOUND) == {
        Severity.ERROR: 1,
        Severity.WARNING: 2,
        Severity.INFO: 0,
        Severity.HINT: 1,
    }


def test_text_is_what_compilers_write():
    assert as_text(FOUND[1:2], name) == "b.py:2:3: warning: moves to the GPU [cuda-call]"
