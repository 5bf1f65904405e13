"""The assessment: counts agree with the scan, the page stands alone, the vendor's lists fit."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core.assessment.facts import Assessment
from plugins.migration.core.assessment.sections import sections
from plugins.migration.core.assessment.write import report_command
from plugins.migration.core.scan import scan_command
from studio.cli import main
from studio.i18n import set_language
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "a <b>.py": "import torch\nimport cupy\nr = torch.nn.GRU(2, 2).cuda()\nt = torch.made_up(1)\n"
    "y = torch.nn.functional.gelu(x.double())\ns = torch.slogdet(x)\n",
    "k.cu": "__global__ void add(float *a) {}\n",
    "bind.cpp": 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add); }\n',
    "run.sh": "CUDA_VISIBLE_DEVICES=0 python a.py\n",
    "bad.py": "import torch\nx = (\n",
}
COLUMNS = {
    "change_list.csv": "File,Start Line,End Line,Operation Type,Message",
    "unsupported_api.csv": "File,Start Line,End Line,OP,Tips",
    "unknown_api.csv": "File,Start Line,End Line,OP,Tips",
    "cuda_op_list.csv": "File,Api",
    "affinity_api_call.csv": "File,Start Line,End Line,Api Type,Api Call Name,Affinity Api Name",
    "api_precision_advice.csv": "File,Start Line,End Line,OP,Tips",
    "api_performance_advice.csv": "File,Start Line,End Line,OP,Tips",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "rect", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "circle"):
            assert self.open.pop() == tag


def test_the_vendors_lists(project: Path, tmp_path: Path) -> None:
    report_command(project, tmp_path / "out")
    out = tmp_path / "out"
    for name, columns in COLUMNS.items():
        assert (out / name).read_text(encoding="utf-8").splitlines()[0] == columns
    changes = table(out / "change_list.csv")
    assert {(r["File"], r["Start Line"], r["Operation Type"]) for r in changes} == {
        ("a <b>.py", "1", "INSERT"),
        ("a <b>.py", "3", "MODIFY"),
        ("run.sh", "1", "MODIFY"),
        ("a <b>.py", "2", "UNSUPPORTED"),
        ("a <b>.py", "3", "UNSUPPORTED"),
    }
    assert [r["OP"] for r in table(out / "unsupported_api.csv")] == ["cupy", "torch.nn.GRU"]
    (unknown,) = table(out / "unknown_api.csv")
    assert (unknown["Start Line"], unknown["OP"]) == ("4", "torch.made_up")
    operators = [(r["File"], r["Api"]) for r in table(out / "cuda_op_list.csv")]
    assert operators == [("bind.cpp", "add"), ("k.cu", "add")]
    precision = [r["OP"] for r in table(out / "api_precision_advice.csv")]
    assert precision == ["torch.nn.functional.gelu", "float64"]
    (performance,) = table(out / "api_performance_advice.csv")
    assert performance["OP"] == "torch.slogdet"


def test_the_page_stands_alone(project: Path, tmp_path: Path) -> None:
    report_command(project, tmp_path / "out")
    text = (tmp_path / "out" / "migration-report.html").read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert all(link.startswith("#s") for link in reader.links)
    assert "prefers-color-scheme: dark" in text
    assert "<script" not in text
    assert "url(" not in text
    assert "a &lt;b&gt;.py" in text
    assert "<b>.py" not in text
    assert len(re.findall("<svg", text)) >= 4


def test_the_counts_are_those_of_the_scan(project: Path) -> None:
    report = scan_command(project)
    assessment = Assessment(report)
    counts = report.summary()
    for status in ("auto", "review", "manual", "unsupported", "limited", "info"):
        assert assessment.statuses[status] == counts[status]
    asking = [f for f in report.findings if f.facts["status"] != "info"]
    needed = [f for f in asking if f.category != "performance"]
    assert assessment.readiness == assessment.statuses["auto"] / len(needed)
    low, high = assessment.hours()
    assert 0 < low < high
    groups = (*assessment.replaced, *assessment.by_hand)
    groups += tuple(assessment.looked_at)
    assert all(row.changes for group in assessment.replaced for row in group.rows)
    for category in ("library", "custom_op", "precision", "performance"):
        groups += tuple(assessment.of_category(category))
    told = {(row.file, row.line, row.rule) for group in groups for row in group.rows}
    wanted = {(r.file, r.line, r.rule) for r in assessment.rows if r.status != "info"}
    assert wanted <= told


def test_an_effort_counts_once_per_subject(tmp_path: Path) -> None:
    code = "import torch\n" + "r = torch.nn.GRU(2, 2)\n" * 9
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    assert Assessment(scan_command(tmp_path)).hours() == (1.0, 4.0)


def test_markdown_and_json_say_the_same(project: Path, tmp_path: Path) -> None:
    written = report_command(project, tmp_path / "out")
    text = (tmp_path / "out" / "migration-report.md").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "out" / "migration-report.json").read_text(encoding="utf-8"))
    assert told["summary"] == written.summary
    for part in sections(Assessment(scan_command(project))):
        assert part.title.replace("_", "\\_").replace("<", "\\<").replace(">", "\\>") in text
    for row in [line for line in text.splitlines() if line.startswith("| ")]:
        assert row.endswith(" |")


def test_a_report_in_chinese(project: Path, tmp_path: Path) -> None:
    words = ["migration", "report", str(project), "--out", str(tmp_path / "out")]
    try:
        assert main([*words, "--lang", "zh"]) == 0
    finally:
        set_language("en")
    text = (tmp_path / "out" / "migration-report.html").read_text(encoding="utf-8")
    assert 'lang="zh-CN"' in text
    assert "自定义算子" in text
    assert "What cannot" not in text


def test_in_an_empty_project_there_is_nothing_to_judge(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    written = report_command(tmp_path / "in", tmp_path / "in" / "out")
    assert written.readiness is None
    assert "nothing to judge" in written.to_text()
    page = (tmp_path / "in" / "out" / "migration-report.html").read_text(encoding="utf-8")
    assert "100 %" not in page
    again = report_command(tmp_path / "in", tmp_path / "in" / "out")
    assert again.summary["files"] == 0


def test_code_that_needs_no_change_is_ready(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.zeros(1)\n", encoding="utf-8")
    assert report_command(tmp_path, tmp_path / "out").readiness == 1.0


def test_a_place_that_cannot_be_written(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StudioError, match="cannot be written"):
        report_command(project, tmp_path / "file")
