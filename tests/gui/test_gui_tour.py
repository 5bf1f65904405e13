"""`studio tour`: a picture of every declared step, and a plain answer when a step fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from studio.app import App

pytestmark = [pytest.mark.gui, pytest.mark.slow]


def tour(*words: object) -> tuple[int, list[dict[str, str]]]:
    done = subprocess.run(
        [sys.executable, "-m", "studio", *map(str, words), "--json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def declared_steps() -> list[str]:
    app = App.start(safe=True)
    steps = sorted((s for _, s in app.plugins.contributions("tour")), key=lambda step: step.order)
    app.close()
    return [step.name for step in steps]


def test_every_step_of_the_sample_has_its_picture(tmp_path: Path) -> None:
    out = tmp_path / "pictures"
    code, pictures = tour("--lang", "zh_CN", "tour", "--out", out, "--theme", "light", "--scale", 2)
    assert [p["problem"] for p in pictures] == [""] * len(pictures)
    assert code == 0
    names = ["welcome", "project", *declared_steps()]
    files = [f"{number:02d}-{name}.png" for number, name in enumerate(names, 1)]
    assert [Path(p["file"]).name for p in pictures] == files
    assert sorted(path.name for path in out.iterdir()) == files
    first = QImage(pictures[0]["file"])
    assert (first.width(), first.height()) == (2880, 1800)
    assert first.pixelColor(5, first.height() // 2).lightness() > 200
    assert pictures[0]["title"] == "欢迎"


def test_a_step_that_cannot_be_shown_is_named(project: Path, tmp_path: Path) -> None:
    (project / "utils.py").write_text("    random.seed(seed)\n", encoding="utf-8")
    code, pictures = tour("tour", project, "--out", tmp_path / "out")
    problems = {Path(p["file"]).stem.split("-", 1)[1]: p["problem"] for p in pictures}
    assert code == 1
    assert problems["project"] == ""
    assert problems["timeline"] == "The project holds no trace."
    assert problems["merge"] == "Texts are only changed in the sample project."
    assert (project / "utils.py").read_text(encoding="utf-8") == "    random.seed(seed)\n"
    assert (tmp_path / "out" / "01-welcome.png").is_file()


def test_a_project_that_is_none_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studio", "tour", str(tmp_path / "none"), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert "is no folder" in done.stderr


@pytest.mark.parametrize("scale", ["0", "-1", "40"])
def test_a_scale_that_no_screen_has_is_wrong_usage(tmp_path: Path, scale: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studio", "tour", "--out", str(tmp_path), f"--scale={scale}"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (2, "studio: The scale must lie between 0.5 and 4.\n")
