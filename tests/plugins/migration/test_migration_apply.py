"""Writing a migrated copy: complete, never half, never over something else, original untouched."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.migration.core import apply as apply_module
from plugins.migration.core.apply import REPORTS, apply_command
from plugins.migration.core.scan import scan_command
from studio.cli import main
from studio.kernel.errors import StudioError

CODE = "import torch\nx = torch.zeros(1).cuda()\n"
NEW = "import torch\nimport torch_npu\nx = torch.zeros(1).npu()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "项目 +1"
    (root / "子" / ".git").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "子" / "t+1.py").write_text(CODE, encoding="utf-8")
    (root / "子" / ".git" / "config.py").write_text(CODE, encoding="utf-8")
    (root / "data.bin").write_bytes(bytes(range(256)))
    (root / "run.sh").write_text("export CUDA_VISIBLE_DEVICES=0\n", encoding="utf-8")
    (root / "run.sh").chmod(0o755)
    (root / "link.py").symlink_to(Path("子") / "t+1.py")
    (root / "loop").symlink_to(root)
    return root


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_the_copy_is_complete_and_the_original_untouched(project: Path, tmp_path: Path) -> None:
    before = files(project)
    applied = apply_command(project, tmp_path / "out")
    out = tmp_path / "out"
    assert files(project) == before
    assert (out / "子" / "t+1.py").read_text(encoding="utf-8") == NEW
    assert (out / "data.bin").read_bytes() == bytes(range(256))
    assert (out / "empty").is_dir()
    assert not (out / "子" / ".git").exists()
    assert os.readlink(out / "link.py") == os.readlink(project / "link.py")
    assert (out / "loop").is_symlink()
    assert (out / "run.sh").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in applied.changed) == ["run.sh", "t+1.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", project.name]


def test_the_reports_lie_beside_the_code(project: Path, tmp_path: Path) -> None:
    apply_command(project, tmp_path / "out")
    told = json.loads((tmp_path / "out" / REPORTS[0]).read_text(encoding="utf-8"))
    assert told["summary"]["migrated"] == 2
    assert list(told["results"]) == ["run.sh", "子/t+1.py"]
    with (tmp_path / "out" / REPORTS[1]).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["file"], row["line"], row["old"], row["new"]) for row in rows][-1] == (
        "子/t+1.py", "2", "cuda", "npu",
    )  # fmt: skip


def test_an_earlier_result_is_replaced(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    apply_command(project, out)
    (out / "stale.py").write_text("", encoding="utf-8")
    apply_command(project, out)
    assert not (out / "stale.py").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", project.name]


def test_a_folder_with_other_things_is_refused(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(StudioError, match="not empty"):
        apply_command(project, out)
    assert files(out) == {"thesis.txt": b"years of work"}
    apply_command(project, out, force=True)
    assert (out / "子" / "t+1.py").is_file()


@pytest.mark.parametrize("place", [".", "..", "a/.."])
def test_the_project_itself_is_refused(project: Path, place: str) -> None:
    before = files(project)
    with pytest.raises(StudioError, match="project itself"):
        apply_command(project, project / place, force=True)
    assert files(project) == before


def test_a_target_inside_the_project_is_not_copied_into_itself(project: Path) -> None:
    apply_command(project, project / "out")
    apply_command(project, project / "out")
    assert (project / "out" / "子" / "t+1.py").read_text(encoding="utf-8") == NEW
    assert not (project / "out" / "out").exists()


def test_a_file_as_target_is_refused(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(StudioError, match="is a file"):
        apply_command(project, tmp_path / "out", force=True)


def test_one_file(project: Path, tmp_path: Path) -> None:
    apply_command(project / "子" / "t+1.py", tmp_path / "out")
    assert set(files(tmp_path / "out")) == {"t+1.py", *REPORTS}
    assert (tmp_path / "out" / "t+1.py").read_text(encoding="utf-8") == NEW


def test_a_read_only_tree(project: Path, tmp_path: Path) -> None:
    for path in (project / "子" / "t+1.py", project / "子", project):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        apply_command(project, tmp_path / "out")
        apply_command(project, tmp_path / "out")
    finally:
        for path in (project, project / "子"):
            path.chmod(0o755)
    assert (tmp_path / "out" / "子" / "t+1.py").read_text(encoding="utf-8") == NEW


@pytest.mark.skipif(sys.platform != "linux", reason="names there are text")
def test_a_file_name_that_is_no_text(project: Path, tmp_path: Path) -> None:
    place = Path(os.fsdecode(os.fsencode(project) + b"/caf\xe9.py"))
    place.write_text(CODE, encoding="utf-8")
    applied = apply_command(project, tmp_path / "out")
    assert (tmp_path / "out" / place.name).read_text(encoding="utf-8") == NEW
    told = json.loads((tmp_path / "out" / REPORTS[0]).read_text(encoding="utf-8"))
    assert place.name in told["results"]
    assert place in applied.changed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_project_does_not_block(project: Path, tmp_path: Path) -> None:
    os.mkfifo(project / "pipe.py")
    apply_command(project, tmp_path / "out")
    assert not (tmp_path / "out" / "pipe.py").exists()


def test_a_file_that_cannot_be_read_is_told_and_does_not_stop_the_rest(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.read_bytes

    def read(path: Path) -> bytes:
        if path.name == "data.bin":
            raise PermissionError(13, "denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    applied = apply_command(project, tmp_path / "out")
    assert applied.not_copied == ("data.bin",)
    assert "data.bin" in applied.to_text()
    assert (tmp_path / "out" / "run.sh").is_file()


def test_nothing_half_written_stays(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(apply_module, "_change_all", fail)
    with pytest.raises(KeyboardInterrupt):
        apply_command(project, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == [project.name]


def test_a_missing_path_is_told() -> None:
    with pytest.raises(StudioError, match="does not exist"):
        apply_command(Path("nowhere"), Path("out"))
    with pytest.raises(StudioError, match="does not exist"):
        scan_command(Path("nowhere"))


@pytest.mark.parametrize("version", ["2.8", "2.8.0", "v2.8", "2.8.0+cpu", ""])
def test_versions_as_people_write_them(project: Path, version: str) -> None:
    assert scan_command(project, torch=version).context.torch == "2.8"


def test_unknown_versions_and_chips_are_refused(project: Path) -> None:
    assert scan_command(project, torch="2.7").context.torch == "2.7.1"
    with pytest.raises(StudioError, match=r"2\.13"):
        scan_command(project, torch="1.8")
    with pytest.raises(StudioError, match="950DT"):
        scan_command(project, chip="H100")


def test_the_command_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migration", "scan", str(project), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) >= {"root", "files", "findings", "summary"}
    first = told["findings"][0]
    assert (first["file"], first["line"], first["status"]) == ("run.sh", 1, "auto")
    assert main(["migration", "scan", str(project), "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(told["findings"])
    assert main(["migration", "scan", str(project)]) == 0
    assert "子/t+1.py:2:20:" in capsys.readouterr().out
    out = project.parent / "out"
    assert main(["migration", "apply", str(project), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == ["run.sh", "子/t+1.py"]


def test_scanners_and_engine_agree_on_the_kinds_of_files() -> None:
    from plugins.migration.core.recognise import kind_of
    from studio.kernel.manifest import read_manifest

    place = Path(__file__).resolve().parents[3] / "plugins" / "migration" / "plugin.toml"
    for scanner in read_manifest(place).scanners:
        for pattern in scanner.patterns:
            assert kind_of(Path(pattern.replace("*", "a"))) is not None, pattern


def test_the_engine_loads_neither_qt_nor_pandas() -> None:
    code = (
        "import sys, plugins.migration.core.apply; "
        "print([m for m in ('PySide6', 'pandas', 'numpy') if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
