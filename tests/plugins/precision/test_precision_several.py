"""One base against several candidates, and the report as a page."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.several import SeveralComparisons
from plugins.precision.ui.several import SeveralView, make_view
from plugins.precision.ui.sides import guess_other
from studio.app import App
from studio.cli import main
from studio.i18n import set_language
from tests.fixtures.pt_writer import write_dump
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

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


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


@pytest.mark.gui
def test_the_window_lists_a_row_for_each_candidate(
    app: App, qtbot: QtBot, runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, equal, off, nothing = runs
    view = make_view(app.studio("precision"), base, [str(equal), str(off)])
    assert isinstance(view, SeveralView)
    qtbot.addWidget(view)
    view.show()
    settle(app, view)
    assert view.title() == "base ↔ 2 runs"
    assert shown(view) == [("equal", "agrees", "0", ""), ("off", "deviates", "1", TANH)]
    view.add(nothing, off)
    settle(app, view)
    assert shown(view)[2][:2] == ("nothing", "not comparable")
    told: list[tuple[Path, dict[str, str]]] = []
    monkeypatch.setattr(
        type(view._studio), "open", lambda _, path, **words: told.append((path, words))
    )
    view.open_row(1)
    assert told == [(off, {"opener": "precision.compare", "base": str(base)})]
    view.table.select_row(1)
    view.remove_selected()
    settle(app, view)
    assert [row[0] for row in shown(view)] == ["equal", "nothing"]
    again = make_view(app.studio("precision"), base, [str(off)])
    qtbot.addWidget(again)
    again.restore_state(view.save_state())
    settle(app, again)
    assert shown(again) == shown(view)
    again.table.select_row(0)
    again.remove_selected()
    settle(app, again)
    again.table.select_row(0)
    again.remove_selected()
    settle(app, again)
    assert "No runs" in again._pages.currentWidget()._title.text()


def test_among_several_runs_the_one_called_a_base_is_guessed() -> None:
    runs = [Path("/x") / name for name in ("gpu_base", "npu_1", "npu_2")]
    assert guess_other(runs[1], runs) == (runs[0], runs[1])
    assert guess_other(runs[0], runs) == (None, runs[0])
    assert guess_other(runs[1], runs[1:]) == (runs[2], runs[1])


TANH = "Torch.<tanh>.0.forward"


def shown(view: SeveralView) -> list[tuple[str, ...]]:
    """Name, verdict, deviating values and operator of each row, as the table shows them."""
    model = view.table.model
    cells = [
        [str(model.index(row, column).data() or "") for column in (0, 1, 2, 5)]
        for row in range(model.rowCount())
    ]
    return [
        (Path(name).name, verdict, number, "" if operator == "–" else operator)
        for name, verdict, number, operator in cells
    ]


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
