"""What the command line of the migration prints, and what it changes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.lookup import api_command, rules_command
from plugins.migration.core.scan import scan_command
from studio.cli import main
from studio.kernel.errors import StudioError

CODE = "import torch\n\nrnn = torch.nn.GRU(2, 2).cuda()\nbackend = dist('nccl')\n"
NEW = "import torch\nimport torch_npu\n\nrnn = torch.nn.GRU(2, 2).npu()\nbackend = dist('hccl')\n"
KEYS = {
    "file", "line", "column", "end_line", "end_column", "rule", "category", "status", "effort",
    "message", "before", "after",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text(CODE, encoding="utf-8", newline="\r\n")
    (root / "sub").mkdir()
    (root / "sub" / "run.sh").write_text("CUDA_VISIBLE_DEVICES=0 python a.py", encoding="utf-8")
    return root


def test_the_shape_of_a_scan(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migration", "scan", str(project), "--json"]) == 1  # the GRU is unsupported
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == 2
    assert told["lines"] == 5
    assert told["seconds"] >= 0
    assert told["summary"]["unsupported"] == 1
    assert set(told["results"]) == {"a.py", "sub/run.sh"}
    assert all(set(row) >= KEYS for row in told["findings"])
    (row,) = [row for row in told["findings"] if row["rule"] == "torch-api-unsupported"]
    assert (row["file"], row["line"], row["column"], row["end_column"]) == ("a.py", 3, 7, 19)
    (row,) = [row for row in told["findings"] if row["rule"] == "cuda-method"]
    assert (row["before"], row["after"]) == ("cuda", "npu")


def test_a_scan_says_no_only_while_something_is_unsupported(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migration", "scan", str(project), "--torch", "2.13"]) == 0
    assert scan_command(project, "2.13").summary()["apis"] == {
        "supported": 0, "limited": 1, "fallback": 0, "unsupported": 0, "unverified": 0,
        "not stated": 0,
    }  # fmt: skip
    capsys.readouterr()


def test_a_dry_run_prints_a_patch_that_git_takes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "a.py").read_bytes()
    assert main(["migration", "apply", str(project), "--dry-run"]) == 0
    patch = capsys.readouterr().out
    assert (project / "a.py").read_bytes() == before
    assert "+++ b/sub/run.sh" in patch
    assert "\\ No newline at end of file" in patch
    text = apply_command(project, dry_run=True).to_text()
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], input=text.encode(), cwd=project, check=True
    )
    assert (project / "a.py").read_bytes() == NEW.replace("\n", "\r\n").encode()
    shell = (project / "sub" / "run.sh").read_text(encoding="utf-8")
    assert shell == "ASCEND_RT_VISIBLE_DEVICES=0 python a.py"


def test_changes_in_place_keep_a_backup(project: Path) -> None:
    before = (project / "a.py").read_bytes()
    told = apply_command(project, in_place=True).to_json()
    assert isinstance(told, dict)
    assert told["changed"] == ["a.py", "sub/run.sh"]
    assert (project / "a.py").read_bytes() == NEW.replace("\n", "\r\n").encode()
    kept = [path.read_bytes() for path in Path(told["backup"]).rglob("*") if path.is_file()]
    assert before in kept
    assert apply_command(project, in_place=True).to_json()["changed"] == []  # type: ignore[index]


def test_only_some_rules_in_a_single_file(project: Path) -> None:
    apply_command(project / "a.py", in_place=True, only=["nccl-backend"])
    text = (project / "a.py").read_text(encoding="utf-8")
    assert ".cuda()" in text
    assert "'hccl'" in text
    assert "import torch_npu" in text


@pytest.mark.parametrize(
    "words",
    [
        ["apply", "."],
        ["apply", ".", "--out", "x", "--in-place"],
        ["apply", ".", "--dry-run", "--only", "no-such-rule"],
        ["scan", ".", "--torch", "1.0"],
        ["scan", ".", "--strategy", "magic"],
    ],
)
def test_wrong_usage(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["migration", *words]) == 2


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("nn.GRU", "torch.nn.GRU"),
        ("GRU", "torch.nn.GRU"),
        ("F.gelu", "torch.nn.functional.gelu"),
        ("Tensor.mode", "torch.Tensor.mode"),
        ("torch.nn.Parameter", "torch.nn.parameter.Parameter"),
        ("torch.cuda.Event()", "torch.cuda.Event"),
    ],
)
def test_names_as_people_write_them(name: str, listed: str) -> None:
    assert api_command(name).listed == listed


def test_the_answer_about_an_api() -> None:
    rows = api_command("torch.nn.GRU").rows()
    assert len(rows) == 24
    verdicts = {(row["torch"], row["chip"]): row["verdict"] for row in rows}
    assert verdicts["2.10", "A2"] == "unsupported"
    assert verdicts["2.13", "A2"] == "limited"
    assert verdicts["2.8", "950DT"] == "not stated"
    assert api_command("torch.nn.GRU", "2.13", "A2").rows()[0]["conditions"] == [
        "argument dropout not supported"
    ]
    text = api_command("torch.nn.functional.gelu").to_text()
    assert "bf16 fp16 fp32" in text
    assert api_command("torch.cuda.Event").npu.endswith("npu.Event")


def test_an_api_that_nobody_verified() -> None:
    with pytest.raises(StudioError, match="nothing was verified") as caught:
        api_command("torch.matmull")
    assert "torch.matmul" in str(caught.value)


def test_every_rule_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migration", "rules", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told) == len(rules_command()) > 50
    assert all(rule["why"] and rule["status"] and rule["category"] for rule in told)


def test_places_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"^/dev/null is neither a file nor a folder"):
        scan_command(Path("/dev/null"))
    script = tmp_path / "a.py"
    script.write_text("import torch\n", encoding="utf-8")
    with pytest.raises(StudioError, match=r"^/proc/x cannot be written: .*\.$"):
        apply_command(script, Path("/proc/x"))
