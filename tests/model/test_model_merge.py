"""Merging two texts that came from one, checked against `git merge-file` and by its laws."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.model.documents import Documents
from studio.model.merge import Choice, Kind, merge, merge_with_disk

if TYPE_CHECKING:
    from pathlib import Path

BASE = "a\nb\nc\nd\ne\n"


def clean(base: str | None, mine: str, theirs: str) -> str:
    """The merged text when there is no conflict."""
    found = merge(base, mine, theirs)
    return found.result([hunk.clean for hunk in found.hunks])


def kinds(base: str | None, mine: str, theirs: str) -> list[str]:
    """The kinds of all hunks."""
    return [hunk.kind.value for hunk in merge(base, mine, theirs).hunks]


def test_changes_at_different_places_are_both_taken() -> None:
    mine, theirs = BASE.replace("a", "A"), BASE.replace("e\n", "e\nf\n")
    assert kinds(BASE, mine, theirs) == ["mine", "same", "theirs", "same"]
    assert clean(BASE, mine, theirs) == "A\nb\nc\nd\ne\nf\n"


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    mine = BASE.replace("c", "C")
    assert clean(BASE, mine, mine) == mine
    assert "conflict" not in kinds(BASE, mine, mine)


def test_a_conflict_is_left_open_until_chosen() -> None:
    found = merge(BASE, BASE.replace("c", "mine"), BASE.replace("c", "theirs"))
    [at] = [n for n, hunk in enumerate(found.hunks) if hunk.kind is Kind.CONFLICT]
    choices = [hunk.clean for hunk in found.hunks]
    assert choices[at] is Choice.OPEN
    for choice, middle in {
        Choice.MINE: "mine\n", Choice.THEIRS: "theirs\n", Choice.BASE: "c\n",
        Choice.BOTH: "mine\ntheirs\n",
    }.items():  # fmt: skip
        choices[at] = choice
        assert found.result(choices) == f"a\nb\n{middle}d\ne\n"


def test_both_sides_of_a_text_without_a_last_line_end_stay_apart() -> None:
    found = merge("a\nb", "a\nmine", "a\ntheirs")
    assert found.result([Choice.MINE, Choice.BOTH]) == "a\nmine\ntheirs"


def test_without_a_common_text_every_difference_is_a_conflict() -> None:
    assert kinds(None, "a\nx\nc\n", "a\ny\nc\nd\n") == [
        "same", "conflict", "same", "conflict", "same",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="git is absent")
def test_clean_merges_are_those_of_git(tmp_path: Path) -> None:
    draw = random.Random(4)
    compared = 0
    for _ in range(60):
        base = [f"line {n}\n" for n in range(20)]
        sides = []
        for side in "mt":
            lines = list(base)
            for _ in range(2):
                at = draw.randrange(len(lines))
                match draw.randrange(3):
                    case 0:
                        lines[at] = f"{side} {at}\n"
                    case 1:
                        del lines[at]
                    case _:
                        lines.insert(at, f"{side} new {at}\n")
            sides.append("".join(lines))
        files = []
        for name, text in zip("mbt", (sides[0], "".join(base), sides[1]), strict=True):
            (tmp_path / name).write_text(text, encoding="utf-8")
            files.append(str(tmp_path / name))
        told = subprocess.run(["git", "merge-file", "-p", *files], capture_output=True, text=True)
        if told.returncode == 0 and "conflict" not in kinds("".join(base), *sides):
            compared += 1
            assert clean("".join(base), *sides) == told.stdout
    assert compared > 15


@pytest.mark.parametrize("seed", range(20))
def test_an_unchanged_side_yields_the_other(seed: int) -> None:
    draw = random.Random(seed)
    base, other = ("".join(draw.choice(["a\n", "b\n", "\n"]) for _ in range(30)) for _ in "xy")
    assert clean(base, base, other) == other
    assert clean(base, other, base) == other


def test_a_merged_document_saves_without_asking_and_is_one_step_away(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(BASE, encoding="utf-8")
    document = Documents().open(path)
    document.set_text(BASE.replace("a", "A"))
    path.write_text(BASE.replace("e", "E"), encoding="utf-8")
    found = merge_with_disk(path, document.saved_text, document.text, document.encoding_asked)
    text = found.merge.result([hunk.clean for hunk in found.merge.hunks])
    version = document.version
    document.merged(text, found.theirs, found.found)
    assert document.version == version + 1
    assert document.dirty
    document.save()
    assert path.read_text(encoding="utf-8") == "A\nb\nc\nd\nE\n"
    assert not document.dirty


def test_bytes_that_are_no_text_are_not_merged(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: utf-8\nx = '\xff\xfe\xfd'\n\xff")
    with pytest.raises(StudioError, match="cannot be merged"):
        merge_with_disk(path, "a", "b", "utf-8")
