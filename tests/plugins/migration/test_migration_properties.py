"""Properties over generated programs and real code: bytes kept, always valid, second run idle."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

import pytest

from plugins.migration.core import parallel, scan
from plugins.migration.core.edits import edits_for, migrated_text
from plugins.migration.core.parsing import parses
from plugins.migration.core.scan import scan_bytes, scan_files, scan_project, scan_text
from studio.model.edits import apply_edits
from studio.model.encoding import decode, encode

LINES = [
    "x = torch.zeros(1).cuda()",
    "y = torch.device('cuda:1')  # 中文 cuda",
    "z = f'é {torch.cuda.memory_allocated()} {x.is_cuda}'",
    "w = x.to(0)",
    "v = x.to(args.gpu)",
    "if torch.cuda.is_available(): torch.cuda.empty_cache()",
    "dist.init_process_group('nccl', device_id=rank)",
    "s = '''cuda\n  torch.cuda'''",
    "def f(a, device='cuda'):\n\treturn a.to(device)",
    "\x0c",
    "",
    "t = '𝒳'; u = x.cuda(non_blocking=True) ; v = 'cuda'",
    "r = x \\\n    .cuda()",
    "from torch import cuda as c",
    "k = {'cuda': 1, 'device': 'cuda'}",
]


def program(seed: int) -> tuple[str, str]:
    """A program of random lines with random line ends, and an encoding it can be written in."""
    chooser = random.Random(seed)
    encoding = chooser.choice(["utf-8", "utf-8", "gb18030"])
    head = [f"# -*- coding: {encoding} -*-", "import torch", "import torch.distributed as dist"]
    end = chooser.choice(["\n", "\r\n", "\r", ""])
    rows = head + [chooser.choice(LINES) for _ in range(12)]
    text = "".join(row.replace("\n", end or "\n") + (end or "\n") for row in rows)
    if not end:
        text = "".join(
            chooser.choice(["\n", "\r\n", "\r"]) if letter == "\n" else letter for letter in text
        )
    return (text.rstrip("\r\n") if chooser.random() < 0.3 else text), encoding


@pytest.mark.parametrize("seed", range(60))
def test_generated_programs(seed: int) -> None:
    text, encoding = program(seed)
    data = encode(text, encoding, bom=seed % 7 == 0 and encoding == "utf-8")
    path = Path("a.py")
    result = scan_bytes(data, path)
    decoded = decode(data)
    assert decoded.text == text
    new = migrated_text(text, result.findings)
    assert parses(text) == parses(new)
    again = scan_text(new, path)
    assert again.changes == 0
    edits = edits_for(result.findings, result.findings)
    assert kept(text, edits) == without(new, edits)
    shuffled = list(result.findings)
    random.Random(seed).shuffle(shuffled)
    assert migrated_text(text, shuffled, result.findings) == new
    back = encode(new, decoded.encoding, bom=decoded.bom)
    assert decode(back).text == new


def kept(text: str, edits: list) -> str:  # type: ignore[type-arg]
    """The text outside of the edits."""
    parts, done = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        parts.append(text[done : edit.start])
        done = edit.end
    return "\0".join([*parts, text[done:]])


def without(new: str, edits: list) -> str:  # type: ignore[type-arg]
    """The new text with what the edits wrote taken out again."""
    parts, done, moved = [], 0, 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        start = edit.start + moved
        parts.append(new[done:start])
        done = start + len(edit.text)
        moved += len(edit.text) - (edit.end - edit.start)
    return "\0".join([*parts, new[done:]])


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_any_choice_of_changes_leaves_valid_code(seed: int) -> None:
    text, _ = program(seed)
    findings = scan_text(text, Path("a.py")).findings
    chooser = random.Random(seed)
    for _ in range(6):
        chosen = [finding for finding in findings if chooser.random() < 0.5]
        assert parses(migrated_text(text, chosen, findings)) == parses(text)


def test_changes_can_be_made_one_by_one_in_any_order() -> None:
    text, _ = program(3)
    path = Path("a.py")
    expected = migrated_text(text, scan_text(text, path).findings)
    for seed in range(5):
        current = text
        while True:
            todo = [f for f in scan_text(current, path).findings if f.fix]
            changes = [f for f in todo if f.rule != "import-torch-npu"]
            if not changes:
                break
            one = random.Random(seed).choice(changes)
            current = migrated_text(current, [one], todo)
        assert current == expected


@pytest.mark.slow
def test_the_standard_library_is_analysed_without_a_fault() -> None:
    root = Path(sysconfig.get_paths()["stdlib"])
    files = [*sorted(root.glob("*.py")), *sorted(root.glob("*/*.py"))][::6]
    for path in files:
        text = decode(path.read_bytes()).text
        forced = f"import torch\n{text}" if "__future__" not in text else text
        result = scan_text(forced + "\nx = torch.zeros(1).cuda()\n", path)
        if result.status == "migrated":
            new = migrated_text(forced + "\nx = torch.zeros(1).cuda()\n", result.findings)
            assert parses(new), path
            assert scan_text(new, path).changes == 0, path


def test_edits_are_refused_on_another_text() -> None:
    from studio.kernel.errors import StudioError

    findings = scan_text("import torch\nx.cuda()\n", Path("a.py")).findings
    with pytest.raises(StudioError):
        apply_edits("import torch\ny.abcd()\n", edits_for(findings, findings))


def test_many_files_are_scanned_in_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        name = tmp_path / f"m{number:02}.py"
        name.write_text(
            "import torch\n" + "x = torch.zeros(1).cuda()\n" * (number + 1), encoding="utf-8"
        )
    (tmp_path / "bad.py").write_text("import torch\nx = (\n", encoding="utf-8")
    alone = scan_project(tmp_path)
    monkeypatch.setattr(scan, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(parallel, "_BATCH", 5000)
    together = scan_project(tmp_path)
    assert together.rows() == alone.rows()
    assert [r.path for r in together.results] == [r.path for r in alone.results]
    assert alone.summary()["changes"] == sum(range(1, 41)) + 40


def test_a_file_that_vanishes_or_may_not_be_read_is_one_finding(tmp_path: Path) -> None:
    results = scan_files([tmp_path / "gone.py"])
    (result,) = results.values()
    assert result.status == "skipped"
    assert len(result.findings) == 1
