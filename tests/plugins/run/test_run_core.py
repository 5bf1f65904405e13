"""Configurations, interpreters, processes and links, without a window."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from plugins.run.core.configuration import Configuration, command_of
from plugins.run.core.decoding import OutputDecoder
from plugins.run.core.interpreters import Interpreter, find_interpreters, preferred
from plugins.run.core.links import file_of, links_in
from plugins.run.core.process import Running
from studio.kernel.errors import StudioError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


def finish(running: Running, seconds: float = 20) -> str:
    text, end = "", time.monotonic() + seconds
    while running.exit_code is None:
        assert time.monotonic() < end
        text += running.take()
        time.sleep(0.01)
    return text


# -- configurations ----------------------------------------------------------------------------
def test_commands_of_the_three_kinds(tmp_path):
    (tmp_path / "train.py").write_text("")
    (tmp_path / "go.sh").write_text("")
    script = Configuration("a", "script", "train.py", '--name "my run" -n 2')
    assert command_of(script, tmp_path, "/py").arguments == (
        "/py", str(tmp_path / "train.py"), "--name", "my run", "-n", "2",
    )  # fmt: skip
    module = Configuration("b", "module", "torch.distributed.run", "--nproc-per-node 8 train.py")
    assert command_of(module, tmp_path, "/py").arguments[:3] == (
        "/py",
        "-m",
        "torch.distributed.run",
    )
    shell = Configuration("c", "script", "go.sh")
    assert command_of(shell, tmp_path, "/py").arguments == ("bash", str(tmp_path / "go.sh"))
    own = Configuration("d", "script", "train.py", interpreter="/other")
    assert command_of(own, tmp_path, "/py").arguments[0] == "/other"


def test_the_environment_is_read_line_by_line(tmp_path):
    lines = "# devices\nASCEND_RT_VISIBLE_DEVICES=0,1\nexport EMPTY=\n\nA = b=c"
    command = command_of(Configuration("a", "shell", "true", environment=lines), tmp_path, "")
    found = {k: command.environment[k] for k in ("ASCEND_RT_VISIBLE_DEVICES", "EMPTY", "A")}
    assert found == {"ASCEND_RT_VISIBLE_DEVICES": "0,1", "EMPTY": "", "A": "b=c"}


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        (Configuration("a"), "does not say what to run"),
        (Configuration("a", target="no.py"), "does not exist"),
        (Configuration("a", "shell", "x", folder="nowhere"), "working folder"),
        (Configuration("a", "shell", "x", environment="A=1\nnonsense"), "Line 2"),
        (Configuration("a", "module", "x", arguments='"open'), "arguments are not valid"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, configuration, message):
    with pytest.raises(StudioError, match=message):
        command_of(configuration, tmp_path, "/py")


def test_values_that_were_kept_come_back():
    one = Configuration("a", "module", "pip", "list", "sub", "A=1", "/py")
    assert Configuration.from_json(one.to_json()) == one
    odd = Configuration.from_json({"name": "x", "kind": "future", "unknown": 1})
    assert odd == Configuration("x")


# -- interpreters ------------------------------------------------------------------------------
@POSIX
def test_pythons_are_found_by_their_files(tmp_path):
    root, home, bin_ = tmp_path / "p", tmp_path / "home", tmp_path / "bin"

    def python(folder: Path) -> Path:
        (folder / "bin").mkdir(parents=True)
        path = folder / "bin" / "python"
        path.write_text("#!/bin/sh\ntouch started\n")
        path.chmod(0o755)
        return path

    own = python(root / ".venv")
    (root / ".venv" / "pyvenv.cfg").write_text("home = /usr\nversion = 3.11.7\n")
    conda = python(home / "miniconda3" / "envs" / "npu")
    meta = home / "miniconda3" / "envs" / "npu" / "conda-meta"
    meta.mkdir()
    (meta / "python-3.10.14-h955ad1f_1.json").write_text("{}")
    bin_.mkdir()
    (bin_ / "python3").symlink_to(python(tmp_path / "x").rename(bin_ / "python3.12"))
    (bin_ / "python3-config").write_text("")
    found = find_interpreters(root, home, {"PATH": str(bin_)})
    assert [(one.path, one.kind, one.version) for one in found] == [
        (own, "venv", "3.11.7"),
        (conda, "conda", "3.10.14"),
        (bin_ / "python3", "system", "3.12"),
    ]
    assert [one.short for one in found] == [
        ".venv · Python 3.11.7", "conda npu · Python 3.10.14", "Python 3.12 (PATH)",
    ]  # fmt: skip
    assert preferred(found, "") == found[0]
    assert preferred(found, str(conda)) == found[1]
    assert preferred(found, "/own/python").path == Path("/own/python")
    old = Interpreter(Path("/usr/bin/python2"), "old", "system", "2.7.18")
    assert preferred([old, found[2]], "") == found[2]
    assert not list(tmp_path.rglob("started"))


@POSIX
def test_folders_of_others_hide_no_python(tmp_path, monkeypatch):
    """Clusters list environments in home folders that may not be looked into."""
    root, home = tmp_path / "p", tmp_path / "home"
    (home / ".conda").mkdir(parents=True)
    (home / ".conda" / "environments.txt").write_text(f"{tmp_path}/other/env\n")
    (root / "secret").mkdir(parents=True)
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "pyvenv.cfg").write_text("version = 3.11.7\n")
    (root / ".venv" / "bin" / "python").write_text("")
    stat = os.stat

    def refuse(path, *arguments, **options):
        if isinstance(path, str | os.PathLike) and {"other", "secret"} & set(Path(path).parts[:-1]):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return stat(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refuse)
    found = find_interpreters(root, home, {"PATH": "", "VIRTUAL_ENV": f"{root}/secret/venv"})
    assert [one.path for one in found] == [root / ".venv" / "bin" / "python"]


# -- processes ---------------------------------------------------------------------------------
def test_output_and_exit_code(tmp_path):
    code = "import sys; print('größe 数'); print('bad', file=sys.stderr); sys.exit(3)"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    running = Running(command_of(Configuration("a", target="a.py"), tmp_path, sys.executable))
    text = finish(running)
    assert "größe 数" in text
    assert "bad" in text
    assert running.exit_code == 3


def test_what_is_typed_arrives(tmp_path):
    (tmp_path / "a.py").write_text("print('got', input()); print('end', input.__name__)")
    running = Running(command_of(Configuration("a", target="a.py"), tmp_path, sys.executable))
    running.write("数\n")
    assert "got 数" in finish(running)


@POSIX
def test_stopping_ends_all_that_was_started(tmp_path):
    line = "sleep 300 & echo $!; sleep 300"
    running = Running(command_of(Configuration("a", "shell", line), tmp_path, ""))
    text, end = "", time.monotonic() + 20
    while "\n" not in text:
        assert time.monotonic() < end
        text += running.take()
        time.sleep(0.01)
    child = int(text.split()[0])
    os.kill(child, 0)
    running.stop()
    finish(running)
    assert running.exit_code == -signal.SIGTERM
    state = Path(f"/proc/{child}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


@POSIX
def test_a_program_that_closed_its_output_holds_up_nobody(tmp_path):
    line = "echo $$; exec >&- 2>&-; sleep 300"
    running = Running(command_of(Configuration("a", "shell", line), tmp_path, ""))
    text, end = "", time.monotonic() + 1
    while time.monotonic() < end:
        before = time.monotonic()
        text += running.take()
        assert time.monotonic() - before < 0.9
        time.sleep(0.01)
    assert text.strip().isdigit()
    assert running.active
    running.stop()
    finish(running)
    assert running.exit_code == -signal.SIGTERM


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="found through /proc")
def test_what_left_the_family_ends_as_well(tmp_path):
    """A daemon: in a session of its own, its parent gone, it still holds the output."""
    line = "(setsid sh -c 'echo $$; trap \"\" TERM; sleep 300' &) ; echo over"
    running = Running(command_of(Configuration("a", "shell", line), tmp_path, ""))
    text, end = "", time.monotonic() + 20
    while len(text.split()) < 2 or running.left_behind is None:
        assert time.monotonic() < end
        text += running.take()
        time.sleep(0.01)
    assert running.active
    daemon = next(int(word) for word in text.split() if word.isdigit())
    running.stop()
    finish(running)
    state = Path(f"/proc/{daemon}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert running.exit_code == 0


@POSIX
def test_input_ends_and_what_nobody_reads_holds_up_nobody(tmp_path):
    running = Running(command_of(Configuration("a", "shell", "wc -c"), tmp_path, ""))
    running.write("数\n")
    running.end_input()
    assert finish(running).split() == ["4"]
    deaf = Running(command_of(Configuration("a", "shell", "sleep 300"), tmp_path, ""))
    before = time.monotonic()
    deaf.write("x" * 1_000_000)  # more than a pipe takes
    assert time.monotonic() - before < 5
    deaf.shut()
    deaf._stopping.join(20)
    assert deaf._process.poll() is not None


# -- encodings ---------------------------------------------------------------------------------
GBK = "损失下降，训练完成\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("größe 数\n".encode(), "größe 数\n"),
        (GBK.encode("gbk"), GBK),
        ("ok 数\n".encode() + GBK.encode("gbk") + b"end", f"ok 数\n{GBK}end"),
        (b"a\xff\xfe\x00\x01b\n", "a\ufffd\ufffd\0\x01b\n"),
        ("数".encode()[:2], "\ufffd"),
    ],
)
def test_output_is_decoded_line_by_line(data, text):
    assert OutputDecoder().decode(data, final=True) == text


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_cut_off_character_waits(encoding):
    data, decoder = GBK.encode(encoding), OutputDecoder()
    whole = "".join(decoder.decode(data[at : at + 5]) for at in range(0, len(data), 5))
    assert whole + decoder.decode(b"", final=True) == GBK


def test_a_prompt_is_there_before_its_line_ends():
    assert OutputDecoder().decode("数据集损失: ".encode("gbk")) == "数据集损失: "
    assert OutputDecoder().decode(b"name? ") == "name? "


def test_a_program_that_is_not_there_is_named(tmp_path):
    (tmp_path / "a.py").write_text("")
    with pytest.raises(StudioError, match="/no/such/python cannot be started"):
        Running(command_of(Configuration("a", target="a.py"), tmp_path, "/no/such/python"))


# -- links -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('  File "/p/train.py", line 12, in main', [("/p/train.py", 12, None)]),
        ("src/model.py:7:3: error: no", [("src/model.py", 7, 3)]),
        ("E   ./tests/test_a.py:33", [("./tests/test_a.py", 33, None)]),
        ("[rank0] a.py:1 b.cpp:22:5", [("a.py", 1, None), ("b.cpp", 22, 5)]),
        ("at 12:30:59, loss 0.5:3, host:8080, 1.5:2", []),
        (r"C:\src\网络\net.cpp(12,5): error C2065: 'x'", [("C:\\src\\网络\\net.cpp", 12, 5)]),
        ("net.cpp(7) : warning C4100", [("net.cpp", 7, None)]),
        ("y = torch.zeros(3), x.view(2, 3)", []),
        ("go.sh: line 3: foo: command not found", [("go.sh", 3, None)]),
        ("Died at lib/x.pl line 14.", [("lib/x.pl", 14, None)]),
        ("make: *** [Makefile:7: all] Error 1", [("Makefile", 7, None)]),
        ('"模型/训练.py":3', [("模型/训练.py", 3, None)]),
        (
            "Exception raised from check at /pytorch/c10/Device.cpp:22 (most recent call first):",
            [("/pytorch/c10/Device.cpp", 22, None)],
        ),
        ("[ERROR] RUNTIME(1,python):2024 [engine.cc:1103]5 x", [("engine.cc", 1103, None)]),
        ("tcp://master.cluster:29500", []),
        ('File "<stdin>", line 1, in <module>', []),
        ("see a.py:0", []),
    ],
)
def test_places_in_output(text, expected):
    assert [(link.file, link.line, link.column) for link in links_in(text)] == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my run/a.py:3: AssertionError", "my run/a.py"),
        ("E  at ./my run/a.py:3 (first)", "my run/a.py"),
        ("run/a.py:3: AssertionError", "run/a.py"),
        ("found in 训练 记录/脚本 一.py:3", "训练 记录/脚本 一.py"),
        ("file=run/a.py:3", "run/a.py"),
        ('  File "my run/a.py", line 3, in main', "my run/a.py"),
        ("x" * 5000 + ".py:3", None),
    ],
)
def test_names_with_spaces_are_told_from_the_words_before(tmp_path, text, name):
    for there in ("my run/a.py", "run/a.py", "训练 记录/脚本 一.py"):
        (tmp_path / there).parent.mkdir(exist_ok=True)
        (tmp_path / there).write_text("")
    (link,) = links_in(text)
    assert file_of(link, [tmp_path]) == (tmp_path / name if name else None)


def test_a_long_word_is_looked_through_once():
    text = "a" * 200_000 + " " + "b.c" * 50_000 + ":x"
    before = time.process_time()
    assert list(links_in(text)) == []
    assert (
        time.process_time() - before < 5
    )  # some milliseconds; hours when looked at from each sign


def test_a_place_is_looked_for_in_the_folders_of_the_run(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text("")
    (link,) = links_in("a.py:1")
    assert file_of(link, [tmp_path, tmp_path / "sub"]) == tmp_path / "sub" / "a.py"
    assert file_of(link, [tmp_path]) is None


@POSIX
def test_output_is_read_beside_very_many_open_files(tmp_path):
    """`select` takes no file above number 1023."""
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < 1200:
        pytest.skip("the system allows too few open files")
    null = os.open(os.devnull, os.O_RDONLY)
    held = [null]
    try:
        while held[-1] < 1030:
            held.append(os.dup(null))
        shell = Configuration("a", "shell", "echo one; sleep 0.3; echo two")
        assert finish(Running(command_of(shell, tmp_path, ""))) == "one\ntwo\n"
    finally:
        for place in held:
            os.close(place)
