"""Edits in many files: all or none, a way back, and nobody's work overwritten."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.model import changes
from studio.model.edits import TextEdit, apply_edits
from studio.model.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_bytes(b"a = 'cuda'\r\n")
    (root / "b.py").write_bytes("# 训练\nb = 'cuda'\n".encode("gbk"))
    (root / "c.py").write_bytes(b"\xef\xbb\xbfc = 'cuda'\n")
    project = Project(root)
    yield project
    project.close()


def to_npu(path: Path, text: str) -> TextEdit:
    start = text.index("cuda")
    return TextEdit(path, start, start + 4, "npu", "cuda")


def edits(project: Project) -> list[TextEdit]:
    return [
        to_npu(project.root / "a.py", "a = 'cuda'"),
        to_npu(project.root / "b.py", "# 训练\nb = 'cuda'"),
        to_npu(project.root / "c.py", "c = 'cuda'"),
    ]


def contents(project: Project) -> list[bytes]:
    return [(project.root / name).read_bytes() for name in ("a.py", "b.py", "c.py")]


AFTER = [
    b"a = 'npu'\r\n",
    "# 训练\nb = 'npu'\n".encode("gbk"),
    b"\xef\xbb\xbfc = 'npu'\n",
]


def test_bytes_outside_the_edits_stay_and_undo_restores_all(project: Project) -> None:
    before = contents(project)
    undo = project.apply(edits(project), "To NPU")
    assert contents(project) == AFTER
    assert [path.name for path in undo.paths] == ["a.py", "b.py", "c.py"]
    assert undo.backup is not None
    backups = sorted(path for path in undo.backup.iterdir() if path.suffix == ".py")
    assert [path.read_bytes() for path in backups] == before
    undo.undo()
    assert contents(project) == before
    assert undo.undone
    undo.redo()
    assert contents(project) == AFTER
    assert project.history == [undo]


def test_an_edit_that_does_not_fit_changes_nothing(project: Project) -> None:
    before = contents(project)
    wrong = TextEdit(project.root / "c.py", 0, 1, "x", "y")
    with pytest.raises(
        StudioError, match=r"c\.py, line 1: the text is no longer the one"
    ) as caught:
        project.apply([*edits(project), wrong], "To NPU")
    assert caught.value.path == project.root / "c.py"
    assert contents(project) == before
    assert project.history == []


def test_a_failure_in_the_middle_restores_what_was_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    real = changes.write_atomic

    def failing(path: Path, data: bytes) -> None:
        if path.name == "c.py":
            raise OSError(28, "No space left on device")
        real(path, data)

    monkeypatch.setattr(changes, "write_atomic", failing)
    with pytest.raises(StudioError, match="No space left on device"):
        project.apply(edits(project), "To NPU")
    assert contents(project) == before


def test_a_character_the_encoding_lacks_changes_nothing(project: Project) -> None:
    before = contents(project)
    smile = TextEdit(project.root / "b.py", 0, 0, "😀", "")
    with pytest.raises(StudioError, match="gbk has no character 😀"):
        project.apply([*edits(project)[:1], smile], "Smile")
    assert contents(project) == before


def test_open_documents_are_changed_and_only_clean_ones_saved(project: Project) -> None:
    clean = project.documents.open(project.root / "a.py")
    dirty = project.documents.open(project.root / "c.py")
    dirty.set_text("# mine\nc = 'cuda'\n")
    wanted = [edits(project)[0], to_npu(dirty.path, dirty.text)]
    undo = project.apply(wanted, "To NPU")
    assert (clean.text, clean.dirty) == ("a = 'npu'\r\n", False)
    assert (dirty.text, dirty.dirty) == ("# mine\nc = 'npu'\n", True)
    assert (project.root / "a.py").read_bytes() == AFTER[0]
    assert (project.root / "c.py").read_bytes() == b"\xef\xbb\xbfc = 'cuda'\n"
    undo.undo()
    assert (clean.text, dirty.text) == ("a = 'cuda'\r\n", "# mine\nc = 'cuda'\n")
    assert (clean.dirty, dirty.dirty) == (False, True)
    assert (project.root / "a.py").read_bytes() == b"a = 'cuda'\r\n"
    dirty.save()


def test_undo_refuses_as_a_whole_when_a_file_was_changed_since(project: Project) -> None:
    undo = project.apply(edits(project), "To NPU")
    (project.root / "b.py").write_bytes(b"other\n")
    now = contents(project)
    with pytest.raises(StudioError, match=r"b\.py was changed in the meantime") as caught:
        undo.undo()
    assert caught.value.path == project.root / "b.py"
    assert contents(project) == now
    assert not undo.undone


def test_undo_refuses_when_an_open_document_was_edited_since(project: Project) -> None:
    document = project.documents.open(project.root / "a.py")
    undo = project.apply(edits(project), "To NPU")
    document.set_text(document.text + "more\n")
    with pytest.raises(StudioError, match=r"a\.py was changed in the meantime"):
        undo.undo()
    assert contents(project) == AFTER
    document.save()


def test_undo_goes_through_documents_opened_or_closed_since(project: Project) -> None:
    before = contents(project)
    project.documents.open(project.root / "b.py")
    undo = project.apply(edits(project), "To NPU")
    project.documents.close(project.root / "b.py")
    opened = project.documents.open(project.root / "a.py")
    undo.undo()
    assert contents(project) == before
    assert (opened.text, opened.dirty) == ("a = 'cuda'\r\n", False)


def test_a_clean_document_whose_file_is_newer_is_not_overwritten(project: Project) -> None:
    project.documents.open(project.root / "a.py")
    (project.root / "a.py").write_bytes(b"a = 'cuda'; b = 1\r\n")
    with pytest.raises(StudioError, match=r"a\.py was changed in the meantime"):
        project.apply(edits(project), "To NPU")
    assert contents(project)[1:] != AFTER[1:]


def test_linked_files_are_not_changed(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_bytes(b"d = 'cuda'\n")
    project.link(other)
    project.documents.open(other)
    with pytest.raises(StudioError, match="read-only"):
        project.apply([to_npu(other, "d = 'cuda'")], "To NPU")
    project.documents.close(other)
    with pytest.raises(StudioError, match="read-only"):
        project.apply([to_npu(other, "d = 'cuda'")], "To NPU")
    assert other.read_bytes() == b"d = 'cuda'\n"


def test_old_backups_are_removed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_BACKUPS_KEPT", 2)
    undo = project.apply(edits(project), "To NPU")
    for _ in range(3):
        undo.undo()
        undo = project.apply(edits(project), "To NPU")
    assert undo.backup is not None
    assert len(os.listdir(undo.backup.parent)) == 2


def test_edits_are_made_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "a.py"

    def edit(start: int, end: int, text: str) -> TextEdit:
        return TextEdit(path, start, end, text, "0123456789"[start:end])

    some = [edit(7, 9, "x"), edit(0, 0, "<"), edit(0, 0, ">"), edit(3, 7, ""), edit(10, 10, "!")]
    assert apply_edits("0123456789", some) == "<>012x9!"
    assert apply_edits("0123456789", []) == "0123456789"


@pytest.mark.parametrize(
    ("start", "end", "expected", "message"),
    [
        (3, 5, "bb", "line 2: the text is no longer the one"),
        (4, 6, "b\nx", "line 2: an edit lies outside"),
        (-1, 0, "", "line 1: an edit lies outside"),
        (1, 3, "\nb", "line 1: two edits change the same place"),
    ],
)
def test_edits_that_do_not_fit(
    tmp_path: Path, start: int, end: int, expected: str, message: str
) -> None:
    path = tmp_path / "a.py"
    first = TextEdit(path, 0, 2, "x", "a\n")
    with pytest.raises(StudioError, match=rf"a\.py, {message}"):
        apply_edits("a\nbc\n", [first, TextEdit(path, start, end, "", expected)])
