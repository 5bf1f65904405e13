"""Every rule shows on its own example what it does, and its texts are translated."""

from __future__ import annotations

import csv
import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core import registry
from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text
from plugins.migration.core.tables import api_names, libraries, packages, variables
from studio.kernel.catalogue import read_po
from studio.paths import resource

if TYPE_CHECKING:
    from plugins.migration.core.model import FileResult, Rule

ROOT = Path(__file__).resolve().parents[3]
RULES = sorted(registry.rules().values(), key=lambda rule: rule.id)
NAMES = {
    "shell-option": "run.sh",
    "shell-tool": "run.sh",
    "old-launcher": "run.sh",
    "shell-mention": "run.sh",
    "asks-for-gpus": "run.sh",
    "config-value": "train.yaml",
    "config-value-unsure": "train.yaml",
    "config-mention": "train.yaml",
    "cuda-build": "requirements.txt",
    "cuda-package": "requirements.txt",
    "needs-torch-npu": "requirements.txt",
    "cuda-source": "add.cu",
    "custom-operator-binding": "bind.cpp",
    "custom-operator-target": "CMakeLists.txt",
}


def scan(rule: Rule, text: str) -> FileResult:
    return scan_text(text, Path(NAMES.get(rule.id, "train.py")))


@pytest.mark.parametrize("rule", [r for r in RULES if r.before], ids=lambda rule: rule.id)
def test_the_example_of_a_rule(rule: Rule) -> None:
    result = scan(rule, rule.before)
    hits = [finding for finding in result.findings if finding.rule == rule.id]
    assert hits
    assert migrated_text(rule.before, result.findings) == rule.after
    assert any(f.fix for f in hits) == (rule.before != rule.after)
    assert all(f.facts["status"] == rule.status for f in hits)


@pytest.mark.parametrize("rule", [r for r in RULES if r.before], ids=lambda rule: rule.id)
def test_a_second_look_at_an_example_changes_nothing(rule: Rule) -> None:
    assert scan(rule, rule.after).changes == 0


def test_ids_are_unique_and_named_once() -> None:
    families = (*registry.FAMILIES, *registry.OTHERS)
    assert len(registry.rules()) == sum(len(family.RULES) for family in families)


def test_every_text_of_rules_and_tables_is_translated() -> None:
    catalogue = read_po(ROOT / "plugins" / "migration" / "locale" / "zh_CN.po")
    texts = {text for rule in RULES for text in (rule.title, rule.why)}
    texts |= {entry.note for entry in api_names().values()}
    texts |= {entry.advice for entry in libraries().values()}
    texts |= {entry.advice for entry in variables().values()}
    assert sorted(texts - {""} - set(catalogue)) == []
    for text in texts - {""}:
        assert places(text) == places(catalogue[text][0]), text


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_tables_name_their_sources() -> None:
    for name in ("cuda_names", "libraries", "environment"):
        with resource("rules", f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                assert row["source"] or row["guess"] == "yes", row


def test_the_table_of_names_agrees_with_the_reference_data(shared: Path) -> None:
    place = shared / "data" / "migration" / "cuda_to_npu_api_map.csv"
    letters = {"supported": "supported", "limited": "limited", "unsupported": "unsupported"}
    compared = 0
    with place.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            entry = api_names().get(row["cuda_api"])
            if entry is None:
                assert not row["cuda_api"].startswith("torch.cuda."), row
                continue
            assert entry.npu == row["npu_api"]
            for version in ("2.6", "2.7.1", "2.8", "2.13"):
                if row[f"status_{version}"] in letters:
                    compared += 1
                    assert entry.judged(version) == letters[row[f"status_{version}"]], row
    assert compared > 400


def test_packages_lead_to_libraries() -> None:
    assert packages()["flash-attn"].verdict == "replace"
    assert all(name == name.lower() for name in packages())
