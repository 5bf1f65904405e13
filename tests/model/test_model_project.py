"""The project: what it remembers, links, and keeps current."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.jobs import Jobs
from studio.model.context import ContextValues
from studio.model.project import Project
from studio.model.scan import Scanner, scan
from studio.model.store import Store, project_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCANNERS = [Scanner("core", "script", ("*.py",)), Scanner("core", "trace", ("*.json",))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "train.py").write_text("import torch\n")
    (root / "src" / "model.py").write_text("x = 1\n")
    return root


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.shutdown()


def test_what_was_chosen_is_remembered(root: Path, tmp_path: Path) -> None:
    with closing(Project(root)) as project:
        project.context.set(torch_version="2.6", chip="A3")
        project.paths.choose("/srv/train.py", root / "train.py")
        project.link(tmp_path / "profiles")
        project.state("timeline")["zoom"] = [0, 2**62 + 1]
    inside = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    assert inside == ["src/model.py", "train.py"]
    with closing(Project(root)) as project:
        assert project.context.values == ContextValues(torch_version="2.6", chip="A3")
        assert project.paths.resolve("/srv/train.py") == [root / "train.py"]
        assert project.linked == [tmp_path / "profiles"]
        assert project.state("timeline") == {"zoom": [0, 2**62 + 1]}
        assert project.state("other") == {}
        project.context.set(chip=ContextValues().chip, torch_version=ContextValues().torch_version)
        project.unlink(tmp_path / "profiles")
    with closing(Project(root)) as project:
        assert project.context.values == ContextValues()
        assert project.linked == []


def test_the_state_is_found_by_the_real_path(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    assert project_folder(link) == project_folder(root)
    assert project_folder(tmp_path) != project_folder(root)
    with closing(Project(link)) as project:
        assert project.root == link


def test_only_folders_are_projects(root: Path) -> None:
    for path in (root / "train.py", root / "none"):
        with pytest.raises(StudioError, match="is not a folder"):
            Project(path)


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 2, "data": {}}', '{"data": {}}', "\0"])
def test_broken_state_is_set_aside(root: Path, content: str) -> None:
    store = Store(root)
    store.folder.mkdir(parents=True)
    (store.folder / "context.json").write_text(content)
    with closing(Project(root)) as project:
        assert project.context.values == ContextValues()
        (aside,) = project.store.set_aside
        assert aside.read_text() == content
        project.context.set(chip="A3")
    with closing(Project(root)) as project:
        assert project.context.values.chip == "A3"
        assert project.store.set_aside == []


def test_unknown_values_of_another_version_do_no_harm(root: Path) -> None:
    Store(root).save("context", {"chip": "A5", "not_yet_known": 1})
    with closing(Project(root)) as project:
        assert project.context.values.chip == "A5"


def test_two_windows_overwrite_only_what_both_changed(root: Path) -> None:
    with closing(Project(root)) as first, closing(Project(root)) as second:
        first.context.set(chip="A3")
        second.state("timeline")["zoom"] = 1
        second.save_state()
        first.state("timeline")["zoom"] = 2
        first.save_state()
    files = sorted(path.name for path in project_folder(root).glob("*.json"))
    assert files == ["context.json", "plugin-timeline.json"]
    for name in files:
        assert json.loads((project_folder(root) / name).read_text())["version"] == 1
    with closing(Project(root)) as project:
        assert project.context.values.chip == "A3"
        assert project.state("timeline") == {"zoom": 2}


def test_items_of_all_roots(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "t.json").write_text("[]")
    with closing(Project(root)) as project:
        project.link(other)
        told: list[int] = []
        project.items_changed.connect(lambda items: told.append(len(items)))
        project.take_scan(scan(root, SCANNERS))
        project.take_scan(scan(other, SCANNERS), other)
        assert told == [2, 3]
        assert [item.path for item in project.items_of("trace")] == [other / "t.json"]
        item = project.item_at(root / "train.py")
        assert item is not None
        assert item.kind == "script"
        assert project.item_at(root) is None
        assert project.files.names == ["train.py", "src/model.py"]
        assert project.paths.resolve("/x/t.json") == [other / "t.json"]
        assert project.contains(other / "t.json")
        assert not project.contains(tmp_path)
        assert project.relative(root / "src" / "model.py") == "src/model.py"
        assert project.relative(other) == other.as_posix()
        project.unlink(other)
        assert told == [2, 3, 2]
        project.take_scan(scan(other, SCANNERS), other)
        assert len(project.items) == 2


def test_it_stays_current_while_live(root: Path, tmp_path: Path, jobs: Jobs) -> None:
    def wait_for(*names: str) -> None:
        arrived = threading.Event()
        for _ in range(2000):
            jobs.pump()
            found = [project.relative(item.path) for item in project.items]
            if found == list(names) and jobs.idle():
                return
            arrived.wait(0.005)
        raise AssertionError(found)

    with closing(Project(root)) as project:
        project.go_live(jobs, lambda: SCANNERS)
        project.go_live(jobs, lambda: SCANNERS)
        wait_for("src/model.py", "train.py")
        (root / "src" / "new").mkdir()
        (root / "src" / "new" / "b.py").write_text("")
        wait_for("src/model.py", "src/new/b.py", "train.py")
        document = project.documents.open(root / "train.py")
        (root / "train.py").write_text("import torch_npu\n")
        shutil.rmtree(root / "src")
        wait_for("train.py")
        assert document.text == "import torch_npu\n"
        linked = tmp_path / "linked"
        linked.mkdir()
        (linked / "t.json").write_text("[]")
        project.link(linked)
        wait_for("train.py", (linked / "t.json").as_posix())
    assert not [thread for thread in threading.enumerate() if thread.name == "studio-watch"]


def test_items_of_kinds_in_the_order_asked_for(tmp_path: Path) -> None:
    for name in ("b.py", "a.yaml", "c.py"):
        (tmp_path / name).touch()
    project = Project(tmp_path)
    project.take_scan(
        scan(tmp_path, [Scanner("p", "script", ("*.py",)), Scanner("p", "config", ("*.yaml",))])
    )
    names = [item.path.name for item in project.items_of("script", "config")]
    assert names == ["b.py", "c.py", "a.yaml"]
    assert [item.path.name for item in project.items] == ["a.yaml", "b.py", "c.py"]
    assert project.items_of("trace") == []
    project.close()
