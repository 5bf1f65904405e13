"""One base against several candidates, and the report as a page."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.several import SeveralComparisons
from studio.cli import main
from studio.i18n import set_language
from tests.fixtures.pt_writer import write_dump

if TYPE_CHECKING:
    from pathlib import Path

ARRAY = np.arange(1.0, 5.0, dtype=np.float32)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A base, an equal run, one whose second call is off by a tenth, and one that is no dump."""
    folders = [tmp_path / name for name in ("base", "equal", "off", "nothing")]
    for folder, factor in zip(folders, (1.0, 1.0, 1.1), strict=False):
        calls = {
            "Torch.relu.0.forward": {"input": [ARRAY], "output": [ARRAY]},
            "Torch.<tanh>.0.forward": {"input": [ARRAY], "output": [ARRAY * np.float32(factor)]},
        }
        write_dump(folder / "step0" / "rank0", calls, task="tensor")
    folders[3].mkdir()
    return folders


def test_each_candidate_is_compared_with_the_base(runs: list[Path]) -> None:
    base, equal, off, nothing = runs
    found = compare(base, equal, more=[off, nothing])
    assert isinstance(found, SeveralComparisons)
    assert found.exit_code == 1
    one, two, three = found.summaries
    assert (one.exit_code, one.deviating, one.total, one.operator) == (0, 0, 4, "")
    assert (two.exit_code, two.deviating, two.operator) == (1, 1, "Torch.<tanh>.0.forward")
    assert two.error == pytest.approx(0.1, rel=1e-5)
    assert (three.exit_code, found.tables[2]) == (3, None)
    assert "nothing" in three.problem


def test_the_command_line_prints_all_of_them(
    runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    base, equal, off, nothing = map(str, runs)
    words = ["precision", "compare", base, equal]
    assert main([*words, off, "--csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["candidate_run"] for row in rows] == [equal] * 4 + [off] * 4
    assert [row["status"] for row in rows].count("differs") == 1
    assert main([*words, equal]) == 0
    assert main(["precision", "compare", base, nothing, nothing]) == 3
    capsys.readouterr()
    assert main([*words, off, "--mode", "compatible", "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    counts = [entry["summary"]["counts"] for entry in content["candidates"]]
    # The input agrees and no element of the output is within a thousandth: msprobe's error.
    assert counts == [
        {"pass": 4, "warning": 0, "error": 0}, {"pass": 3, "warning": 0, "error": 1}
    ]  # fmt: skip
    assert len(content["candidates"][1]["comparison"]["rows"]) == 4


@pytest.mark.parametrize(("tongue", "word"), [("en", "Deviating values"), ("zh_CN", "偏差")])
def test_the_report_is_one_page_in_the_language_of_the_program(
    runs: list[Path], tmp_path: Path, tongue: str, word: str
) -> None:
    set_language(tongue)
    try:
        compare(runs[0], runs[2], report=str(tmp_path / "report"))
    finally:
        set_language("en")
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "tensors.csv", "diagnosis.json", "report.html",
    }  # fmt: skip
    text = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert word in text
    assert "Torch.&lt;tanh&gt;.0.forward.output.0" in text
    assert not re.search(r"https?:|<script|src=|@import|url\(", text)
    balance = _Balance()
    balance.feed(text)
    assert not balance.open
    assert balance.seen["table"] >= 3


def test_each_of_several_has_a_report_of_its_own(runs: list[Path], tmp_path: Path) -> None:
    compare(runs[0], runs[1], more=[runs[2]], report=str(tmp_path / "out"))
    pages = sorted(path.parent.name for path in tmp_path.glob("out/*/report.html"))
    assert pages == ["01_equal", "02_off"]


class _Balance(HTMLParser):
    """Counts elements and finds those that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
