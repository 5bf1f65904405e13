"""Results print exactly: whole numbers stay whole, what is not recorded is null."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest

from studio.kernel.render import plain, to_csv, to_json, to_table
from studio.kernel.text_table import width

BIG = 1_719_999_999_123_456_789


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Row:
    name: str
    start_ns: int
    share: float | None = None


@dataclass(frozen=True)
class Report:
    title: str
    rows: tuple[Row, ...]
    facts: dict[str, object] = field(default_factory=dict)


class Custom:
    def to_json(self) -> object:
        return {"rows": [Row("a", 1)], "path": PurePosixPath("x/y")}


class OwnTexts:
    def to_text(self) -> str:
        return "own text"

    def to_csv(self) -> str:
        return "own,csv"


def test_a_result_may_say_itself_how_it_prints() -> None:
    assert to_table(OwnTexts()) == "own text"
    assert to_csv(OwnTexts()) == "own,csv"


def test_json_keeps_every_digit() -> None:
    frame = pd.DataFrame(
        {
            "name": ["a", None],
            "start_ns": pd.array([BIG, None], dtype="Int64"),
            "plain": np.array([BIG, BIG + 1], dtype=np.int64),
            "value": [0.1, math.nan],
            "seen": pd.array([True, None], dtype="boolean"),
        }
    )
    assert json.loads(to_json(frame)) == [
        {"name": "a", "start_ns": BIG, "plain": BIG, "value": 0.1, "seen": True},
        {"name": None, "start_ns": None, "plain": BIG + 1, "value": None, "seen": None},
    ]


def test_json_of_dataclasses_and_mappings() -> None:
    report = Report("中文", (Row("a", BIG, math.inf), Row("b", 2)), {"k": Colour.RED})
    text = to_json(report)
    assert "中文" in text
    assert json.loads(text) == {
        "title": "中文",
        "rows": [
            {"name": "a", "start_ns": BIG, "share": "inf"},
            {"name": "b", "start_ns": 2, "share": None},
        ],
        "facts": {"k": "red"},
    }
    assert plain(Custom()) == {
        "rows": [{"name": "a", "start_ns": 1, "share": None}],
        "path": "x/y",
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(BIG), BIG),
        (np.float64("nan"), None),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (pd.NA, None),
        (pd.NaT, None),
        (pd.Timestamp("2026-01-02T03:04:05"), "2026-01-02T03:04:05"),
        (pd.Series([1, 2]), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        ((x for x in (1, 2)), [1, 2]),
        (Decimal("1.5"), "1.5"),
        ({1: True}, {"1": True}),
    ],
)
def test_plain_values(value: object, expected: object) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


def test_a_named_index_becomes_columns() -> None:
    frame = pd.DataFrame({"n": [1, 2]}, index=pd.Index(["a", "b"], name="key"))
    assert plain(frame) == [{"key": "a", "n": 1}, {"key": "b", "n": 2}]


def test_csv() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x,y", None], "c": [0.1, math.nan]})
    assert to_csv(frame) == 'a,b,c\n1,"x,y",0.1\n2,,\n'
    assert to_csv(frame.iloc[:0]) == "a,b,c\n"
    assert to_csv([Row("a", BIG)]) == f"name,start_ns,share\na,{BIG},\n"
    assert to_csv(Custom()) == "name,start_ns,share\na,1,\n"
    assert to_csv({"ok": True, "tags": ["x"]}) == 'ok,tags\ntrue,"[""x""]"\n'


def test_tables_align_also_wide_characters() -> None:
    text = to_table([Row("算子", 5), Row("a", 1234, 0.25)])
    assert text.splitlines() == [
        "name  start_ns  share",
        "算子         5      –",
        "a         1234   0.25",
    ]
    assert width("算子 a\u0301") == 6


def test_a_record_is_drawn_with_what_it_holds() -> None:
    report = Report("t", (Row("a", 1),), {"k": 1, "list": [1, 2]})
    assert to_table(report).splitlines() == [
        "title  t",
        "rows",
        "  name  start_ns  share",
        "  a            1      –",
        "facts",
        "  k     1",
        "  list  1, 2",
    ]
    assert to_table("text") == "text"
    assert to_table(["a", "b"]) == "a\nb"
    assert to_table(3) == "3"
    assert to_table([]) == ""
