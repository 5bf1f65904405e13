"""Rules of the user: what they add, silence and override, and how their faults are told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core import userrules
from plugins.migration.core.apply import apply_command
from plugins.migration.core.scan import scan_command
from studio.cli import main
from studio.kernel.errors import StudioError
from studio.paths import config_dir

if TYPE_CHECKING:
    from pathlib import Path

CODE = """import torch
import ourlib
from ourlib import attention as att
r = torch.nn.GRU(2, 2)
o = torch.optim.AdamW(p)
y = ourlib.attention(q)
z = att(q)
x = torch.zeros(1).cuda()
"""
RULE = """[[rule]]
id = "our-attention"
api = "ourlib.attention"
title = "ourlib.attention needs its build for NPUs"
status = "manual"
effort = "hours"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("a.py", "legacy/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(CODE, encoding="utf-8")
    return tmp_path


def found(project: Path, rules: str, where: Path | None = None) -> list[tuple[str, int, str]]:
    place = (where or project) / "migration.toml"
    place.write_text(rules, encoding="utf-8")
    rows = scan_command(project).rows()
    return [(str(row["file"]), int(str(row["line"])), str(row["rule"])) for row in rows]


def test_a_rule_finds_a_name_however_it_is_imported(project: Path) -> None:
    told = [row for row in found(project, RULE) if row[2] == "user-rule"]
    assert [(name, line) for name, line, _ in told] == [
        ("a.py", 6), ("a.py", 7), ("legacy/b.py", 6), ("legacy/b.py", 7),
    ]  # fmt: skip
    row = next(r for r in scan_command(project).rows() if r["rule"] == "user-rule")
    assert row["title"] == "ourlib.attention needs its build for NPUs"
    assert (row["status"], row["effort"]) == ("manual", "hours")
    assert row["evidence"] == "migration.toml"


def test_a_rule_can_replace_what_is_written_in_full(project: Path) -> None:
    found(project, RULE.replace('"manual"', '"review"') + 'replace = "ourlib_npu.attention"\n')
    apply_command(project, in_place=True, only=["user-rule"])
    text = (project / "a.py").read_text(encoding="utf-8")
    assert "y = ourlib_npu.attention(q)" in text
    assert "z = att(q)" in text


def test_a_file_without_torch_is_looked_at_for_the_names_of_rules(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import ourlib\nourlib.attention(q)\n", encoding="utf-8")
    assert found(tmp_path, RULE) == [("a.py", 2, "user-rule")]


def test_rules_are_silenced_everywhere_or_in_some_files(project: Path) -> None:
    told = found(project, '[[silence]]\nrule = "fused-*"\nfiles = "legacy/*"\n')
    assert [name for name, _, rule in told if rule == "fused-optimizer"] == ["a.py"]
    silenced = "".join(f'[[silence]]\nrule = "{rule}"\n' for rule in ("cuda-method", "fused-*"))
    told = found(project, silenced)
    assert not [row for row in told if row[2] in ("cuda-method", "import-torch-npu")]
    assert scan_command(project).summary()["migrated"] == 0


def test_the_support_list_is_overridden(project: Path) -> None:
    text = '[[support]]\napi = "torch.nn.GRU"\nverdict = "supported"\n'
    assert "torch-api-unsupported" not in {rule for _, _, rule in found(project, text)}
    assert "torch-api-unsupported" in {
        rule for _, _, rule in found(project, text + 'torch = ["2.9"]\n')
    }
    assert "torch-api-unsupported" in {
        rule for _, _, rule in found(project, text + 'chips = ["A3"]\n')
    }
    worse = '[[support]]\napi = "torch.zeros"\nverdict = "unsupported"\nreason = "Seen."\n'
    assert ("a.py", 8, "torch-api-unsupported") in found(project, worse)


def test_rules_of_the_user_hold_for_every_project(project: Path) -> None:
    told = found(project, '[[silence]]\nrule = "*"\n', where=config_dir())
    assert told == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = [", "migration.toml"),
        ("[[rules]]\nid = 'a'\n", "rules is not known; known are [[silence]]"),
        ("silence = 'fused'\n", "silence must be written as [[silence]]"),
        ("[[silence]]\nfiles = 'a'\n", "silence[1] has no rule"),
        ("[[silence]]\nrule = 'a'\n[[silence]]\nrule = 3\n", "silence[2].rule must be a text"),
        ("[[silence]]\nrule = 'a'\nfile = 'b'\n", "silence[1].file is not known"),
        ("[[support]]\napi = 'a'\nverdict = 'good'\n", "support[1].verdict must be one of"),
        (
            "[[support]]\napi = 'a'\nverdict = 'limited'\ntorch = '2.8'\n",
            "support[1].torch must be a list of texts",
        ),
        (
            "[[support]]\napi = 'a'\nverdict = 'limited'\ntorch = ['1.0']\n",
            "support[1].torch must be one of 2.6",
        ),
        ("[[rule]]\nid = 'a'\ntitle = 'b'\n", "rule[1] needs either api or pattern"),
        (f"{RULE}pattern = 'x'\n", "rule[1] needs either api or pattern"),
        (
            "[[rule]]\nid = 'a'\ntitle = 'b'\npattern = '(x'\n",
            "rule[1].pattern is no regular expression: missing )",
        ),
        (
            "[[rule]]\nid = 'a'\ntitle = 'b'\npattern = 'x'\nreplace = '\\1'\n",
            "rule[1].replace is no regular expression: invalid group reference 1",
        ),
        ("[[rule]]\nid = 'a'\ntitle = 'b'\npattern = 'x*'\n", "matches an empty text"),
        (f"{RULE}status = 'auto'\n".replace('status = "manual"\n', ""), "status must be one of"),
    ],
)
def test_faults_name_file_and_key(project: Path, text: str, fault: str) -> None:
    with pytest.raises(StudioError) as caught:
        found(project, text)
    assert fault in str(caught.value)
    assert str(project / "migration.toml") in str(caught.value)
    assert main(["migration", "scan", str(project)]) == 2


def test_the_example_in_the_documentation_holds(project: Path) -> None:
    text = (userrules.__doc__ or "").split("\n", 1)[1]
    assert text.count("[[") == 4
    told = found(project, text)
    assert ("a.py", 6, "user-rule") in told
    assert ("legacy/b.py", 5, "fused-optimizer") not in told
    assert "torch-api-unsupported" not in {rule for _, _, rule in told}


PATTERN = """[[rule]]
id = "partition"
pattern = '--partition=(gpu)(\\d?)'
files = "*.sh"
title = "The NPUs are in another partition"
replace = '--partition=npu\\2'
"""


def test_a_pattern_is_found_and_replaced_in_any_file(project: Path) -> None:
    text = "srun --partition=gpu2 a\nsrun --partition=gpu --device cuda:0\n"
    (project / "run.sh").write_text(text, encoding="utf-8")
    (project / "run.yaml").write_text("x: --partition=gpu\n", encoding="utf-8")
    (project / "migration.toml").write_text(PATTERN, encoding="utf-8")
    rows = [row for row in scan_command(project).rows() if row["rule"] == "user-rule"]
    assert [(r["file"], r["line"], r["old"], r["new"], r["status"]) for r in rows] == [
        ("run.sh", 1, "--partition=gpu2", "--partition=npu2", "review"),
        ("run.sh", 2, "--partition=gpu", "--partition=npu", "review"),
    ]
    apply_command(project, in_place=True)
    assert (project / "run.sh").read_text(encoding="utf-8") == (
        "srun --partition=npu2 a\nsrun --partition=npu --device npu:0\n"
    )
    assert [row for row in scan_command(project).rows() if row["file"] == "run.sh"] == []


def test_a_pattern_gives_way_to_other_changes(project: Path) -> None:
    rule = PATTERN.replace("--partition=(gpu)(\\d?)", "(zeros.1..)(cuda)").replace("*.sh", "a.py")
    (project / "migration.toml").write_text(rule, encoding="utf-8")
    apply_command(project, in_place=True)
    assert "torch.zeros(1).npu()" in (project / "a.py").read_text(encoding="utf-8")


def test_changed_rules_are_read_anew(project: Path) -> None:
    before = found(project, "")
    place = project / "migration.toml"
    place.write_text('[[silence]]\nrule = "*"\n', encoding="utf-8")
    os.utime(place, ns=(1, 1))
    assert scan_command(project).rows() == []
    assert before
