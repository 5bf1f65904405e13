"""Changing many files in a job: progress, cancel, failures, and open documents."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.jobs import Jobs
from studio.model import changes
from studio.model.edits import TextEdit
from studio.model.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from studio.model.changes import Undo

FILES = 40
BEFORE, AFTER = b"d = 'cuda'\r\n", b"d = 'npu'\r\n"


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.shutdown()


@pytest.fixture
def project(tmp_path: Path, jobs: Jobs) -> Iterator[Project]:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(FILES):
        (root / f"f{number:02}.py").write_bytes(BEFORE)
    project = Project(root)
    project.documents.jobs = jobs
    yield project
    project.close()


class Heard:
    """What the two callbacks were told."""

    def __init__(self) -> None:
        self.undos: list[Undo] = []
        self.problems: list[BaseException] = []


def paths(project: Project) -> list[Path]:
    return sorted(project.root.glob("*.py"))


def contents(project: Project) -> set[bytes]:
    return {path.read_bytes() for path in paths(project)}


def start(project: Project, *extra: TextEdit) -> Heard:
    heard = Heard()
    edits = [TextEdit(path, 5, 9, "npu", "cuda") for path in paths(project)]
    project.apply_later(
        [*edits, *extra], "To NPU", done=heard.undos.append, failed=heard.problems.append
    )
    return heard


def hold_at(monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[threading.Event, threading.Event]:
    """Stop the writing before one file: the first event tells of it, the second lets it go on."""
    reached, go_on = threading.Event(), threading.Event()
    real = changes.write_atomic

    def held(path: Path, data: bytes) -> None:
        if path.name == name and not reached.is_set():
            reached.set()
            assert go_on.wait(20)
        real(path, data)

    monkeypatch.setattr(changes, "write_atomic", held)
    return reached, go_on


def test_all_files_are_one_step_of_undo(project: Project, jobs: Jobs) -> None:
    heard = start(project)
    assert jobs.wait(20)
    assert heard.problems == []
    assert contents(project) == {AFTER}
    assert project.history == heard.undos
    assert len(heard.undos[0].paths) == FILES
    assert jobs.history[-1].progress is not None
    back: list[str] = []
    project.undo_later(heard.undos[0], done=lambda: back.append("done"), failed=pytest.fail)
    assert jobs.wait(20)
    assert back == ["done"]
    assert contents(project) == {BEFORE}
    assert heard.undos[0].undone


def test_a_cancelled_job_leaves_every_file_as_it_was(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on = hold_at(monkeypatch, "f20.py")
    heard = start(project)
    assert reached.wait(20)
    assert contents(project) == {BEFORE, AFTER}
    jobs.active()[0].cancel()
    again = start(project)
    assert "being changed already" in str(again.problems[0])
    go_on.set()
    jobs.shutdown()
    jobs.pump()
    assert contents(project) == {BEFORE}
    assert (heard.undos, heard.problems, project.history) == ([], [], [])


def test_a_cancel_after_the_last_write_comes_too_late_and_is_told(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on = hold_at(monkeypatch, f"f{FILES - 1:02}.py")
    heard = start(project)
    assert reached.wait(20)
    jobs.active()[0].cancel()
    go_on.set()
    jobs.shutdown()
    jobs.pump()
    assert contents(project) == {AFTER}
    assert project.history == heard.undos
    assert len(heard.undos) == 1


@pytest.mark.parametrize("last", [True, False])
def test_a_project_that_is_closed_in_the_middle_has_all_changes_or_none(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch, last: bool
) -> None:
    reached, go_on = hold_at(monkeypatch, f"f{FILES - 1:02}.py" if last else "f20.py")
    heard = start(project)
    assert reached.wait(20)
    threading.Timer(0.1, go_on.set).start()
    jobs.cancel_all()
    project.close()  # nobody pumps any more
    assert contents(project) == {AFTER if last else BEFORE}
    assert project.history == heard.undos
    assert len(heard.undos) == int(last)
    jobs.pump()
    assert len(project.history) == int(last), "it is not told twice"


def test_a_disk_that_is_full_leaves_every_file_as_it_was(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = changes.write_atomic

    def failing(path: Path, data: bytes) -> None:
        if path.name == "f30.py":
            raise OSError(28, "No space left on device")
        real(path, data)

    monkeypatch.setattr(changes, "write_atomic", failing)
    heard = start(project)
    assert jobs.wait(20)
    assert contents(project) == {BEFORE}
    assert "f30.py: No space left on device" in str(heard.problems[0])
    assert (heard.undos, project.history) == ([], [])


def test_every_file_in_the_way_is_named(project: Project, jobs: Jobs) -> None:
    names = [path.name for path in paths(project)[:7]]
    wrong = [TextEdit(project.root / name, 0, 1, "x", "y") for name in names]
    heard = start(project, *wrong)
    assert jobs.wait(20)
    message = str(heard.problems[0])
    assert [name for name in names if name in message] == names[:5]
    assert message.endswith("2 more files")
    assert contents(project) == {BEFORE}


def test_unsaved_work_stays_and_is_not_saved(project: Project, jobs: Jobs) -> None:
    dirty = project.documents.open(project.root / "f00.py")
    dirty.set_text("d = 'cuda'\r\n# mine\r\n")
    clean = project.documents.open(project.root / "f01.py")
    heard = start(project)
    assert jobs.wait(20)
    assert heard.problems == []
    assert (dirty.text, dirty.dirty) == ("d = 'npu'\r\n# mine\r\n", True)
    assert (clean.text, clean.dirty) == (AFTER.decode(), False)
    assert dirty.path.read_bytes() == BEFORE
    assert {path.read_bytes() for path in paths(project)[1:]} == {AFTER}
    heard.undos[0].undo()
    assert dirty.text == "d = 'cuda'\r\n# mine\r\n"
    assert contents(project) == {BEFORE}


def test_typing_in_an_open_file_meanwhile_takes_everything_back(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = project.documents.open(project.root / "f00.py")
    reached, go_on = hold_at(monkeypatch, "f20.py")
    heard = start(project)
    assert reached.wait(20)
    document.set_text("d = 'cuda' # typed\r\n")
    go_on.set()
    assert jobs.wait(20)
    assert isinstance(heard.problems[0], StudioError)
    assert "f00.py was changed in the meantime" in str(heard.problems[0])
    assert document.text == "d = 'cuda' # typed\r\n"
    assert contents(project) == {BEFORE}


def test_what_another_program_writes_meanwhile_is_not_overwritten(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on = hold_at(monkeypatch, "f20.py")
    heard = start(project)
    assert reached.wait(20)
    late = project.root / "f30.py"
    late.write_bytes(b"written by somebody else\n")
    go_on.set()
    assert jobs.wait(20)
    assert "f30.py was changed in the meantime" in str(heard.problems[0])
    assert late.read_bytes() == b"written by somebody else\n"
    assert {path.read_bytes() for path in paths(project) if path != late} == {BEFORE}


def test_a_file_that_was_opened_meanwhile_is_followed(
    project: Project, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on = hold_at(monkeypatch, "f20.py")
    heard = start(project)
    assert reached.wait(20)
    document = project.documents.open(project.root / "f30.py")
    go_on.set()
    assert jobs.wait(20)
    assert len(heard.undos) == 1
    assert (document.text, document.dirty) == (AFTER.decode(), False)
