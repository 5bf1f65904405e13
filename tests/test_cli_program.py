"""The command line: help, errors without tracebacks, exit codes, output on the right stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio import cli, i18n
from studio.cli_parser import UsageError, take_options

ROOT = Path(__file__).resolve().parent.parent
FROZEN = ROOT / "tests" / "fixtures" / "plugins" / "frozen" / "api1"
BROKEN = ROOT / "tests" / "fixtures" / "plugins" / "broken"


@pytest.fixture(autouse=True)
def _english(studio_home: Path) -> None:
    """Start each test in English with the frozen plugin in the user's plugin folder."""
    i18n.set_language("en")
    folder = studio_home / "plugins"
    folder.mkdir()
    (folder / "api1").symlink_to(FROZEN)


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = cli.main(["--lang", "en", *map(str, words)])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.api1"
    path.write_text("api1\nlonger line\n\n", encoding="utf-8")
    return path


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--help")
    assert (code, err) == (0, "")
    for line in ("studio project scan", "studio plugins", "studio tour", "studio api1 count"):
        assert f"\n  {line} " in out
    assert all(len(line) < 120 for line in out.splitlines())


def test_help_of_a_command_and_of_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "api1", "count", "--help")
    assert code == 0
    assert out.startswith("Usage: studio api1 count ")
    assert "Count the lines of a file" in out
    assert "--mode all|filled" in out
    code, out, _ = run(capsys, "project", "--help")
    assert code == 0
    assert "studio project scan" in out
    assert "studio plugins" not in out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, "Ascent Studio 0.1.0\n", "")


def test_arguments_reach_the_function(capsys: pytest.CaptureFixture[str], text: Path) -> None:
    words = ("api1", "count", text, "--least", "3", "--tags", "a", "b", "--tags", "c", "--json")
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "file": "text.api1",
        "lines": 2,
        "tags": ["a", "b", "c"],
        "exit_code": 0,
    }


def test_csv_and_table(capsys: pytest.CaptureFixture[str], text: Path) -> None:
    _, out, _ = run(capsys, "api1", "count", text, "--mode", "filled", "--csv")
    assert out == "file,lines,tags,exit_code\ntext.api1,2,[],0\n"
    _, out, _ = run(capsys, "api1", "count", text)
    assert out.splitlines()[:2] == ["file       text.api1", "lines      3"]


def test_the_documented_no_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    code, out, _ = run(capsys, "api1", "count", tmp_path / "empty", "--json")
    assert code == 1
    assert json.loads(out)["lines"] == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["api1", "count"], 2, "Missing: FILE."),
        (
            ["api1", "count", "{text}", "--least", "x"],
            2,
            "--least must be a whole number, not 'x'.",
        ),
        (["api1", "count", "{text}", "--least"], 2, "--least needs a value."),
        (
            ["api1", "count", "{text}", "--mode", "x"],
            2,
            "--mode must be one of 'all', 'filled', not 'x'.",
        ),
        (["api1", "count", "{text}", "--nope"], 2, "Unknown argument: --nope."),
        (["api1", "count", "{text}", "--json", "--csv"], 2, "--csv and --json exclude each other."),
        (["api1", "cuont"], 2, "“studio api1 cuont” is no command."),
        (["api1"], 2, "“studio api1” is no command."),
        (["projct"], 2, "“projct” is neither a command nor a file or folder. Did you mean"),
        (["--nope"], 2, "Unknown option: --nope."),
        (["api1", "count", "{folder}/none"], 3, "none does not exist."),
        (["api1", "count", "{folder}"], 3, "is a folder, not a file."),
        (["api1", "count", "{binary}"], 3, "is no text"),
        (["project", "scan", "{folder}/none"], 3, "none does not exist."),
    ],
)
def test_errors_say_what_is_wrong(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    text: Path,
    words: list[str],
    code: int,
    message: str,
) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\xfd")
    filled = [word.format(text=text, folder=tmp_path, binary=binary) for word in words]
    found, out, err = run(capsys, *filled)
    assert (found, out) == (code, "")
    assert message in err


def test_an_error_of_the_system_is_one_line(
    capsys: pytest.CaptureFixture[str], text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_text = Path.read_text

    def refuse(path: Path, *arguments: str, **options: str) -> str:
        if path == text:
            raise PermissionError(13, "Permission denied", str(text))
        return read_text(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", refuse)
    code, out, err = run(capsys, "api1", "count", text)
    assert (code, out, err) == (3, "", f"studio: {text}: Permission denied\n")


def test_an_error_of_the_program_names_the_log(
    capsys: pytest.CaptureFixture[str], studio_home: Path
) -> None:
    code, _, err = run(capsys, "api1", "count", studio_home, "--tags")
    assert code == 2
    folder = studio_home / "plugins" / "demo_err"
    folder.mkdir()
    (folder / "plugin.toml").write_text(
        'title = "E"\ndescription = "E"\nversion = "1"\napi = 1\n[[commands]]\n'
        'id = "demo_err.go"\ntitle = "Go"\nrun = "core:go"\ncli = "demo-err"\n'
    )
    (folder / "core.py").write_text("def go(): raise ZeroDivisionError('oops')\n")
    code, out, err = run(capsys, "demo-err")
    assert (code, out) == (4, "")
    log = studio_home / "logs" / "studio.log"
    assert err.splitlines() == [
        "studio: internal error: ZeroDivisionError: oops",
        f"The details are in {log}.",
    ]
    assert "Traceback" in log.read_text()


def test_a_broken_settings_file_is_told_and_the_command_runs(
    capsys: pytest.CaptureFixture[str], studio_home: Path, text: Path
) -> None:
    (studio_home / "config").mkdir()
    (studio_home / "config" / "settings.toml").write_text("[[[")
    code, out, err = run(capsys, "api1", "count", text, "--json")
    assert code == 0
    assert json.loads(out)["lines"] == 3
    assert "settings.toml.broken" in err


def test_plugins_lists_states_and_problems(
    capsys: pytest.CaptureFixture[str], studio_home: Path
) -> None:
    for source in BROKEN.iterdir():
        (studio_home / "plugins" / source.name).symlink_to(source)
    code, out, _ = run(capsys, "plugins", "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    assert code == 1
    assert (rows["ok"]["state"], rows["old_api"]["state"]) == ("ready", "failed")
    assert rows["import_error"]["problems"] == []
    code, out, _ = run(capsys, "plugins", "--check", "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    broken = {source.name for source in BROKEN.iterdir()} - {"ok"}
    assert {name for name, row in rows.items() if row["problems"]} & (broken | {"ok"}) == broken


def test_safe_mode_leaves_out_user_plugins(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "plugins", "--json", "--safe")
    assert "api1" not in {row["id"] for row in json.loads(out)}
    assert code == 0


def test_project_scan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.api1").write_text("api1\n")
    (tmp_path / "b.api1").write_text("other\n")
    code, out, err = run(capsys, "project", "scan", tmp_path, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "root": str(tmp_path),
        "items": [{"path": "deep/a.api1", "kind": "api1", "facts": {"lines": 1}}],
    }


def test_timings_are_printed_to_the_error_stream(
    capsys: pytest.CaptureFixture[str], text: Path
) -> None:
    code, out, err = run(capsys, "api1", "count", text, "--json", "--timings")
    assert code == 0
    json.loads(out)
    names = [line.split()[0] for line in err.splitlines()]
    assert names == ["settings", "manifests", "begin", "plugin", "all"]


def test_options_of_the_program_are_taken_out_anywhere() -> None:
    options = take_options(["a", "--safe", "--lang=zh_CN", "b", "--", "--safe"])
    assert (options.safe, options.language) == (True, "zh_CN")
    assert options.words == ["a", "b", "--", "--safe"]


def test_an_unknown_language_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--lang", "xx", "plugins"]) == 2
    assert "--lang must be one of en, zh_CN." in capsys.readouterr().err


def test_without_qt_the_window_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "studio.ui.main", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = run(capsys)
    assert code == 3
    assert "pip install 'ascent-studio[gui]'" in err


def program(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        check=False,
    )


def test_it_starts_from_any_folder_even_one_with_plugins_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "__init__.py").write_text("raise SystemExit('wrong package')")
    done = program("-m", "studio", "plugins", "--check", "--json", cwd=tmp_path)
    assert "api1" in {row["id"] for row in json.loads(done.stdout)}


HEAVY = """
import sys
from studio.cli import main
code = main({words!r})
heavy = {{"pandas", "numpy", "PySide6", "tomlkit", "multiprocessing", "watchdog"}} - {allowed!r}
print(code, sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "allowed"),
    [(["--help"], set()), (["plugins"], set()), (["project", "scan", "."], {"numpy"})],
)
def test_nothing_heavy_is_imported(tmp_path: Path, words: list[str], allowed: set[str]) -> None:
    for path in sorted((ROOT / "tests" / "cases" / "A01-words-that-look-like-cuda").rglob("*.py")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    done = program("-c", HEAVY.format(words=words, allowed=allowed), cwd=tmp_path)
    assert done.stderr.decode().strip().splitlines()[-1] == "0 []", done.stderr.decode()


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m studio --help | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (b"0", b"")


def test_usage_errors_carry_the_usage() -> None:
    error = UsageError("wrong", "Usage: studio")
    assert (error.exit_code, error.usage) == (2, "Usage: studio")


INTERRUPTED = """
import gc, os, signal, sys, threading, time
from studio.cli import main

def interrupt():
    while not any(type(found).__name__ == "HostWindow" for found in gc.get_objects()):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
sys.exit(main(["--lang", "en", "--safe", "."]))
"""


@pytest.mark.gui
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_closes_the_window(tmp_path: Path, studio_home: Path) -> None:
    done = program("-c", INTERRUPTED, cwd=tmp_path, QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_an_empty_path_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "project", "scan", "")
    assert (code, out) == (2, "")
    assert err.startswith("PATH is empty.\n")
