"""The open cases: words that look like CUDA, integer devices, launchers, bytes, broken files."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.scan import scan_command

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.core.apply import Applied


def case(cases: Path, name: str) -> tuple[Path, dict[str, Any]]:
    folder = next(cases.glob(f"{name}-*"))
    return folder / "input", json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def migrate(source: Path, tmp_path: Path) -> tuple[Applied, Path]:
    out = tmp_path / "out"
    return apply_command(source, out), out


def check_lines(before: Path, after: Path, expected: dict[str, Any]) -> None:
    """Compare line by line, the inserted lines taken out again."""
    old = before.read_text(encoding="utf-8").split("\n")
    new = after.read_text(encoding="utf-8").split("\n")
    for number in sorted(map(int, expected.get("inserted_after_line", {})), reverse=True):
        for line in expected["inserted_after_line"][str(number)]:
            assert new.pop(number) == line
    assert len(old) == len(new)
    for number, allowed in expected["changed"].items():
        assert new[int(number) - 1] in allowed
    for number in expected["unchanged"]:
        assert new[number - 1] == old[number - 1]


def test_words_that_look_like_cuda(cases: Path, tmp_path: Path) -> None:
    source, expected = case(cases, "A01")
    applied, out = migrate(source, tmp_path)
    check_lines(source / "train.py", out / "train.py", expected["files"]["train.py"])
    line = (out / "train.py").read_text(encoding="utf-8").split("\n")[27]
    assert line in expected["files"]["train.py"]["either_changed_or_review"]["27"]
    assert scan_command(out).summary()["changes"] == expected["second_run_changes"]
    rows = applied.report.rows()
    told = {(row["line"], row["old"], row["new"]) for row in rows if row["new"]}
    assert (22, '"cuda"', '"npu"') in told
    assert (25, "torch.cuda.memory_allocated", "torch.npu.memory_allocated") in told
    assert (2, "", "import torch_npu") in told
    left = {row["line"] for row in rows if row["status"] == "info"}
    assert left == {26, 27}


def test_devices_given_as_integers(cases: Path, tmp_path: Path) -> None:
    source, expected = case(cases, "A02")
    applied, out = migrate(source, tmp_path)
    wanted = expected["files"]["ddp.py"]
    check_lines(source / "ddp.py", out / "ddp.py", wanted)
    text = (out / "ddp.py").read_text(encoding="utf-8").split("\n")
    assert text[8] == 'dist.init_process_group("hccl", device_id=torch.device("npu", local_rank))'
    assert text[9] == 'net = torch.nn.Linear(8, 8).to(f"npu:{local_rank}")'
    status = {row["line"]: row["status"] for row in applied.report.rows()}
    assert status[9] == "review"
    assert any("2.5.1" in row["why"] for row in applied.report.rows() if row["line"] == 11)
    key = [row for row in applied.report.rows() if row["rule"] == "location-key"]
    assert [row["line"] for row in key] == [18]


def test_variables_are_left_to_the_user_with_safe_only(cases: Path, tmp_path: Path) -> None:
    source, _ = case(cases, "A02")
    apply_command(source, tmp_path / "out", safe_only=True)
    text = (tmp_path / "out" / "ddp.py").read_text(encoding="utf-8")
    assert "Linear(8, 8).to(local_rank)" in text
    assert 'torch.ones(2).to("npu:0")' in text


def test_launchers_and_environment(cases: Path, tmp_path: Path) -> None:
    source, expected = case(cases, "A03")
    applied, out = migrate(source, tmp_path)
    check_lines(source / "dist_train.py", out / "dist_train.py", expected["files"]["dist_train.py"])
    wanted = expected["files"]["run.sh"]
    check_lines(source / "run.sh", out / "run.sh", wanted)
    script = (out / "run.sh").read_text(encoding="utf-8")
    assert all(text in script for text in wanted["must_contain_after"])
    review = {
        row["line"]
        for row in applied.report.rows()
        if row["file"] == "run.sh" and row["status"] == "review"
    }
    assert review == set(wanted["review_lines"])
    assert (out / "run.sh").stat().st_mode & 0o555 == (source / "run.sh").stat().st_mode & 0o555


def test_bytes_are_kept(cases: Path, tmp_path: Path) -> None:
    source, expected = case(cases, "A04")
    _, out = migrate(source, tmp_path)
    for name, facts in expected["files"].items():
        data = (out / name).read_bytes()
        assert data == (source.parent / "expected" / name).read_bytes(), name
        assert hashlib.sha256(data).hexdigest() == facts["out_sha256"]


def test_files_that_do_not_parse(cases: Path, tmp_path: Path) -> None:
    source, expected = case(cases, "A05")
    applied, out = migrate(source, tmp_path)
    assert (out / "good.py").read_text(encoding="utf-8") == expected["good_out"]
    summary = applied.report.summary()
    assert (summary["migrated"], summary["skipped"], summary["empty"]) == (1, 6, 1)
    rows = {row["file"]: row for row in applied.report.rows() if row["status"] == "unreadable"}
    assert set(rows) == set(expected["skipped"])
    for name, wanted in expected["skipped"].items():
        assert (out / name).read_bytes() == (source / name).read_bytes()
        assert rows[name]["line"] in wanted.get("line_any_of", [wanted.get("line", 2)])
        assert wanted.get("word", "") in rows[name]["title"]


def test_third_party_libraries(cases: Path) -> None:
    source, expected = case(cases, "A06")
    rows = scan_command(source).rows()
    places: dict[str, set[str]] = {}
    verdicts: dict[str, str] = {}
    guarded = set()
    for row in rows:
        facts = row["facts"]
        name = str(facts.get("name", row["file"]))
        places.setdefault(name, set()).add(f"{row['file']}:{row['line']}")
        verdicts[name] = str(facts.get("verdict", row["status"]))
        guarded |= {name} if facts.get("guarded") else set()
    names = {
        "channels_last": "torch.channels_last",
        "CUDAExtension fastsum": "torch.utils.cpp_extension.CUDAExtension",
        "fastsum.cu": "ops/fastsum.cu",
    }
    for name, wanted in expected["libraries"].items():
        assert places[names.get(name, name)] == set(wanted["where"]), name
        assert not wanted.get("guarded") or name in guarded
    assert verdicts["apex.optimizers.FusedAdam"] == "manual"
    assert verdicts["amp_C"] == "remove"
    assert verdicts["deepspeed"] == "adapted"
    assert verdicts["flash_attn"] == "replace"
    assert verdicts["causal_conv1d"] == "unknown"
    assert verdicts["ops/fastsum.cu"] == "manual"


@pytest.mark.parametrize("name", ["A01", "A02", "A03", "A04", "A05", "A06"])
def test_a_second_run_changes_nothing(cases: Path, tmp_path: Path, name: str) -> None:
    source, _ = case(cases, name)
    shutil.copytree(source, tmp_path / "in")
    apply_command(tmp_path / "in", tmp_path / "once")
    applied = apply_command(tmp_path / "once", tmp_path / "twice")
    assert applied.changed == ()
