"""One open text: editing, saving, encodings, and what happens to its file outside."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.jobs import Jobs
from studio.model.document import ChangedOutsideError, Document, Outside
from studio.model.documents import Documents

if TYPE_CHECKING:
    from pathlib import Path

CASE = "A29-encodings-round-trip"
NAMES = [
    "gbk.py",
    "gbk_cookie.py",
    "gb18030.py",
    "big5.txt",
    "utf16.txt",
    "utf8_nobom.py",
    "utf8_bom_crlf.py",
]


@pytest.fixture
def documents() -> Documents:
    return Documents()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"v = 0\n")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_changes_only_its_own_bytes(
    cases: Path, tmp_path: Path, documents: Documents, name: str
) -> None:
    path = tmp_path / name
    shutil.copyfile(cases / CASE / "input" / name, path)
    document = documents.open(path)
    document.save()
    assert path.read_bytes() == (cases / CASE / "input" / name).read_bytes()
    document.set_text(document.text.replace("old", "new", 1))
    assert document.dirty
    document.save()
    assert not document.dirty
    assert path.read_bytes() == (cases / CASE / "expected" / name).read_bytes()


def test_odd_bytes_are_read_only_for_typing_and_kept_by_edits(
    cases: Path, tmp_path: Path, documents: Documents
) -> None:
    path = tmp_path / "odd.py"
    shutil.copyfile(cases / CASE / "input" / "odd.py", path)
    document = documents.open(path)
    assert document.read_only
    assert "Some bytes are not valid utf-8" in document.notice
    assert document.shown_text == "name = 'old'\nx = b'\\xff'  # \ufffd\ufffd\ufffd\n"
    with pytest.raises(StudioError, match="Some bytes"):
        document.set_text(document.shown_text)
    document.replace_text(document.text.replace("old", "new", 1))
    document.save()
    assert path.read_bytes() == (cases / CASE / "expected" / "odd.py").read_bytes()
    document.reopen("latin-1")
    assert not document.read_only
    assert document.text.endswith("# \xff\xfe\x80\n")


def test_a_character_the_encoding_lacks_is_asked_about(
    cases: Path, tmp_path: Path, documents: Documents
) -> None:
    path = tmp_path / "gbk.py"
    shutil.copyfile(cases / CASE / "input" / "gbk.py", path)
    before = path.read_bytes()
    document = documents.open(path)
    document.set_text(document.text + "# 😀\n")
    with pytest.raises(StudioError, match=r"gbk has no character 😀 \(U\+1F600, line 3\)"):
        document.save()
    assert path.read_bytes() == before
    assert (document.encoding, document.dirty) == ("gbk", True)
    document.save_with("utf-8", bom=True)
    assert path.read_bytes() == b"\xef\xbb\xbf" + document.text.encode()
    assert (document.encoding, document.bom, document.dirty) == ("utf-8", True, False)


def test_reopening_with_an_encoding(tmp_path: Path, documents: Documents) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("日志".encode("gbk"))
    document = documents.open(path, "latin-1")
    assert document.text == "日志".encode("gbk").decode("latin-1")
    document.reopen("gbk")
    assert (document.text, document.encoding, document.dirty) == ("日志", "gbk", False)


def test_changes_are_counted_and_told(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    told: list[tuple[int, bool]] = []
    documents.changed.connect(lambda d: told.append((d.version, d.dirty)))
    document.set_text("v = 1\n")
    document.set_text("v = 1\n")
    document.set_text("v = 0\n")
    assert told == [(1, True), (2, False)]


def test_one_document_per_file_whatever_its_name(
    documents: Documents, file: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(file)
    document = documents.open(file)
    assert documents.open(link) is document
    assert documents.get(tmp_path / "x" / ".." / "a.py") is document
    documents.close(link)
    assert documents.all() == []


def test_a_failed_save_keeps_the_file(
    documents: Documents, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = documents.open(file)
    document.set_text("v = 1\n")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(StudioError, match=r"Cannot write .*a\.py: No space left on device"):
        document.save()
    assert file.read_bytes() == b"v = 0\n"
    assert document.dirty
    assert [path.name for path in file.parent.iterdir()] == ["a.py"]


def test_save_as_follows_the_new_file_and_asks_before_overwriting(
    documents: Documents, file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "b.py"
    other.write_bytes(b"mine\n")
    document = documents.open(file)
    document.set_text("v = 1\n")
    with pytest.raises(ChangedOutsideError, match=r"b\.py exists already"):
        document.save_as(other)
    document.save_as(other, overwrite=True)
    assert (document.path, document.dirty) == (other, False)
    assert (other.read_bytes(), file.read_bytes()) == (b"v = 1\n", b"v = 0\n")


def test_unreadable_and_missing_files_are_told(documents: Documents, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"Cannot read .*none\.py: No such file"):
        documents.open(tmp_path / "none.py")
    with pytest.raises(StudioError, match="Is a directory"):
        documents.open(tmp_path)


def test_a_new_document_is_dirty_until_saved(documents: Documents, tmp_path: Path) -> None:
    document = documents.create(tmp_path / "new" / "a.py", "x = 1\n")
    assert document.dirty
    document.save()
    assert (tmp_path / "new" / "a.py").read_bytes() == b"x = 1\n"
    assert not document.dirty


# -- outside ----------------------------------------------------------------------------------


def conflicts(documents: Documents) -> list[Document]:
    found: list[Document] = []
    documents.conflict.connect(found.append)
    return found


def test_a_clean_document_follows_its_file(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    found = conflicts(documents)
    file.write_bytes(b"v = 1\n")  # same size, perhaps the same time stamp
    documents.look_outside()
    assert (document.text, document.dirty, document.version) == ("v = 1\n", False, 1)
    os.utime(file)
    documents.look_outside([file.parent])
    assert document.version == 1
    assert found == []


def test_unsaved_work_is_never_overwritten(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    found = conflicts(documents)
    document.set_text("mine\n")
    file.write_bytes(b"theirs\n")
    documents.look_outside([file])
    documents.look_outside([file])
    assert found == [document]
    assert (document.text, document.outside) == ("mine\n", Outside.CHANGED)
    document.keep_mine()
    assert document.outside is Outside.NOTHING
    assert document.dirty
    documents.look_outside([file])
    assert found == [document]
    with pytest.raises(ChangedOutsideError, match="changed by another program"):
        document.save()
    assert file.read_bytes() == b"theirs\n"
    file.write_bytes(b"theirs again\n")
    documents.look_outside([file])
    assert found == [document, document]
    document.save(overwrite=True)
    assert file.read_bytes() == b"mine\n"
    assert (document.dirty, document.outside) == (False, Outside.NOTHING)


def test_reloading_gives_up_mine(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    document.set_text("mine\n")
    file.write_bytes(b"theirs\n")
    documents.look_outside()
    document.reload()
    assert (document.text, document.dirty, document.outside) == (
        "theirs\n",
        False,
        Outside.NOTHING,
    )


def test_the_same_text_written_outside_makes_it_clean(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    document.set_text("same\n")
    file.write_bytes(b"same\n")
    documents.look_outside()
    assert (document.dirty, document.outside, document.version) == (False, Outside.NOTHING, 1)


def test_a_deleted_file_is_marked_and_saving_makes_it_again(
    documents: Documents, file: Path
) -> None:
    document = documents.open(file)
    found = conflicts(documents)
    file.unlink()
    documents.look_outside()
    assert (document.outside, found) == (Outside.DELETED, [])
    document.save()
    assert file.read_bytes() == b"v = 0\n"
    assert document.outside is Outside.NOTHING
    file.unlink()
    document.set_text("mine\n")
    documents.look_outside()
    assert (document.outside, found) == (Outside.DELETED, [document])
    file.write_bytes(b"v = 0\n")
    documents.look_outside()
    assert (document.outside, document.text) == (Outside.NOTHING, "mine\n")


def test_a_document_closed_while_its_file_is_read_again_is_left_alone(
    documents: Documents, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.model.documents.LONG", 0)
    documents.jobs = jobs = Jobs()
    document = documents.open(file)
    document.set_text("v = 1\n")
    file.write_bytes(b"v = 22\n")
    documents.look_outside([file])
    assert jobs.active()
    file.unlink()  # so that reading fails, unless it was done already
    documents.close(file)
    heard: list[object] = []
    documents.changed.connect(heard.append)
    documents.conflict.connect(heard.append)
    assert jobs.wait(20)
    jobs.shutdown()
    assert heard == []
    assert (document.text, document.outside) == ("v = 1\n", Outside.NOTHING)


def test_own_saves_are_no_outside_changes(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    found = conflicts(documents)
    document.set_text("v = 1\n")
    document.save()
    document.set_text("v = 2\n")
    documents.look_outside([file])
    assert (found, document.text, document.outside) == ([], "v = 2\n", Outside.NOTHING)
    document.save()
    assert file.read_bytes() == b"v = 2\n"


def test_documents_follow_renamed_files_and_folders(documents: Documents, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "x").mkdir(parents=True)
    (old / "x" / "a.py").write_bytes(b"1\n")
    (old / "b.py").write_bytes(b"2\n")
    first, second = documents.open(old / "x" / "a.py"), documents.open(old / "b.py")
    old.rename(new)
    (new / "b.py").rename(new / "c.py")
    documents.follow([(old, new), (new / "b.py", new / "c.py")])
    assert (first.path, second.path) == (new / "x" / "a.py", new / "c.py")


def test_a_save_by_way_of_a_backup_is_no_rename(documents: Documents, file: Path) -> None:
    document = documents.open(file)
    backup = file.with_name("a.py~")
    file.rename(backup)
    file.write_bytes(b"v = 3\n")
    documents.follow([(file, backup)])
    documents.look_outside([file])
    assert (document.path, document.text) == (file, "v = 3\n")


def test_linked_and_write_protected_files_are_read_only(file: Path, tmp_path: Path) -> None:
    documents = Documents(is_linked=lambda path: path.is_relative_to(tmp_path))
    document = documents.open(file)
    assert (document.read_only, document.notice) == (True, "This file is read-only.")
    for change in (document.set_text, document.replace_text):
        with pytest.raises(StudioError, match="read-only"):
            change("x")
    with pytest.raises(StudioError, match="read-only"):
        document.save()
