"""Running scripts in the real window."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from plugins.run.core.configuration import Configuration
from plugins.run.ui.dialog import ConfigurationDialog
from plugins.run.ui.history import history_menu
from plugins.run.ui.kept import history
from studio.ui.idle import wait_idle
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.run.ui.panel import RunPanel
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def panel(window: MainWindow, project: Path) -> RunPanel:
    """The panel of a window on the small project, whose Python is the one that runs the tests."""
    window.app.open_project(project, live=False)
    window.app.project.context.set(interpreter=sys.executable)
    found: Any = window.show_panel("run.panel")
    return found


def write(project: Path, text: str) -> Path:
    path = project / "go.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_script_runs_and_its_traceback_leads_to_the_line(panel, window, project):
    path = write(project, "print('\\x1b[31mred\\x1b[0m')\n\n\nraise ValueError('no')\n")
    window.app.commands.run("run.file", {"path": path})
    assert wait_idle(window, 30)
    tab = panel.current()
    text = tab.output.toPlainText()
    assert "\nred\n" in text
    assert "exit code 1" in text
    assert tab.running.exit_code == 1
    block = tab.output.document().find("line 4").block()
    cursor = QTextCursor(block)
    tab.output.setTextCursor(cursor)
    QTest.keyClick(tab.output, Qt.Key.Key_Return)
    assert wait_idle(window, 20)
    view = window.app.window.active_view()
    assert view.title() == "go.py"
    assert view.edit.cursor_place()[0] == 4


def test_progress_bars_stay_on_their_line(panel, window, project):
    bar = "import sys\nfor n in range(5): sys.stdout.write(f'\\r{n}0%|' + '#' * n)\nprint()\n"
    window.app.commands.run("run.file", {"path": write(project, bar)})
    assert wait_idle(window, 30)
    lines = panel.current().output.toPlainText().splitlines()
    assert "40%|####" in lines
    assert not [line for line in lines if line.startswith("30%")]


def test_what_is_typed_reaches_the_program_and_stop_ends_it(panel, window, project, qtbot):
    code = "name = input()\nprint('hello', name, flush=True)\ninput()\n"
    window.app.commands.run("run.file", {"path": write(project, code)})
    tab = panel.current()
    QTest.keyClicks(tab.input, "npu")
    QTest.keyClick(tab.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "hello npu" in tab.output.toPlainText(), timeout=20_000)
    assert tab.active
    window.app.commands.run("run.stop", {})
    assert wait_idle(window, 30)
    assert "Stopped after" in tab.output.toPlainText()


def test_many_lines_arrive_in_order_and_the_oldest_go(panel, window, project):
    code = "for n in range(120_000): print(n)\n"
    window.app.commands.run("run.file", {"path": write(project, code)})
    assert wait_idle(window, 120)
    output = panel.current().output
    numbers = [int(line) for line in output.toPlainText().splitlines() if line.isdigit()]
    assert numbers == list(range(numbers[0], 120_000))
    assert 99_000 < len(numbers) <= 100_000


def test_what_was_run_is_kept_and_run_again(panel, window, project):
    window.app.commands.run("run.file", {"path": write(project, "print('once')\n")})
    assert wait_idle(window, 30)
    assert panel.choice.currentText() == "go.py"
    window.app.commands.run("run.last", {})
    assert wait_idle(window, 30)
    assert panel.tabs.count() == 1
    assert panel.current().output.toPlainText().count("\nonce\n") == 2
    window.app.close_project()
    assert panel.tabs.count() == 0
    window.app.open_project(project, live=False)
    assert panel.choice.currentText() == "go.py"


def test_the_input_ends_by_key_and_lines_come_back(panel, window, project, qtbot):
    code = "import sys\nprint('first', input(), flush=True)\nprint('rest', sys.stdin.read())\n"
    window.app.commands.run("run.file", {"path": write(project, code)})
    tab = panel.current()
    QTest.keyClicks(tab.input, "npu")
    QTest.keyClick(tab.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "first npu" in tab.output.toPlainText(), timeout=20_000)
    QTest.keyClick(tab.input, Qt.Key.Key_Up)
    assert tab.input.text() == "npu"
    QTest.keyClick(tab.input, Qt.Key.Key_Down)
    assert tab.input.text() == ""
    QTest.keyClicks(tab.input, "all")
    QTest.keyClick(tab.input, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert wait_idle(window, 30)
    assert "\nrest all\n" in tab.output.toPlainText()


def test_colours_are_where_they_belong(panel, window, project):
    code = (
        "for n in range(3000): print(n)\n"
        "print('😀 \\x1b[31mred\\x1b[0m \\x1b[1;38;2;200;220;240mown\\x1b[0m', end='\\r\\n')\n"
    )
    window.app.commands.run("run.file", {"path": write(project, code)})
    assert wait_idle(window, 60)
    output = panel.current().output
    output.verticalScrollBar().setValue(output.verticalScrollBar().maximum())
    block = output.document().find("red own").block()
    looks = [(look.start, look.length) for look in block.layout().formats()]
    assert looks == [(3, 3), (7, 3)]  # the face counts twice in Qt
    colours = [look.format.foreground().color().name() for look in block.layout().formats()]
    assert colours == [current_theme().colour("error").name(), "#c8dcf0"]
    assert not output.document().find("1500").block().layout().formats()


def test_what_a_text_widget_takes_for_line_ends_breaks_nothing(panel, window, project):
    code = (
        "import sys, time\n"
        "for n in range(4): sys.stdout.write(f'\\r{n}\\u2029x\\u2028y'); sys.stdout.flush();"
        " time.sleep(0.1)\n"
        "print(); sys.stdout.buffer.write(bytes(range(256)) * 40)\n"
    )
    window.app.commands.run("run.file", {"path": write(project, code)})
    assert wait_idle(window, 30)
    output = panel.current().output
    assert output.toPlainText().splitlines()[1] == "3\ufffdx\ufffdy"
    assert output.blockCount() == output.terminal.count


def test_several_run_at_once_and_what_is_over_can_be_run_again(panel, window, project):
    for name in ("a.py", "b.py"):
        (project / name).write_text("input()\nprint('over')\n")
        window.app.commands.run("run.file", {"path": project / name})
    first, second = panel.runs()
    assert first.active
    assert second.active
    for tab in (second, first):
        QTest.keyClick(tab.input, Qt.Key.Key_Return)
    assert wait_idle(window, 30)
    past = history(window.app.project)
    assert sorted((one.configuration.name, one.code) for one in past) == [("a.py", 0), ("b.py", 0)]
    menu = history_menu(panel, window.app.project, panel.run)
    assert [action.text()[:4] for action in menu.actions()] == [
        one.configuration.name for one in past
    ]
    assert "exit code 0" in menu.actions()[0].text()
    menu.actions()[1].trigger()
    menu.deleteLater()
    again = next(tab for tab in panel.runs() if tab.active)
    assert again.configuration == past[1].configuration
    again.stop()
    assert wait_idle(window, 30)


def test_stopping_before_it_begins(panel, window, project):
    window.app.project.context.set(interpreter="")
    window.app.commands.run("run.file", {"path": write(project, "print('ran')\n")})
    window.app.commands.run("run.stop", {})
    assert wait_idle(window, 30)
    assert panel.runs() == []


def test_closing_asks_while_a_program_runs(panel, window, project, monkeypatch):
    window.app.commands.run("run.file", {"path": write(project, "input()\n")})
    (tab,) = panel.runs()
    answers, asked = ["", "End them and close"], []

    def ask(title: str, _question: str, choices: list[str], _default: str) -> str:
        asked.append((title, choices))
        return answers.pop(0)

    monkeypatch.setattr(window.app.window, "ask", ask)
    assert not window.projects.close()
    assert tab.active
    process = tab.running._process
    assert window.projects.close()
    assert asked[0] == ("1 program is still running", ["End them and close"])
    tab.running._stopping.join(20)
    assert process.poll() is not None


def test_programs_end_with_the_window_also_when_another_follows(
    panel, window, project, monkeypatch
):
    window.app.commands.run("run.file", {"path": write(project, "input()\n")})
    (tab,) = panel.runs()
    process = tab.running._process
    monkeypatch.setattr(window.app.window, "ask", lambda *_: "End them and close")
    window.restarting = True
    window.close()
    assert window.app.project is not None
    assert tab.running._stopping is not None
    tab.running._stopping.join(20)
    assert process.poll() is not None


def test_the_dialog_edits_a_copy(panel, window, project):
    before = [Configuration("a", "script", "a.py"), Configuration("b", "shell", "make")]
    dialog = ConfigurationDialog(None, project, before)
    dialog.list.setCurrentRow(1)
    assert dialog.kind.currentData() == "shell"
    QTest.keyClicks(dialog.arguments, " test")
    dialog.duplicate()
    assert [one.name for one in dialog.result_list()] == ["a", "b", "b 2"]
    assert dialog.result_list()[2].arguments == " test"
    dialog.list.setCurrentRow(0)
    dialog.remove()
    assert [one.target for one in dialog.result_list()] == ["make", "make"]
    dialog.add()
    assert len(dialog.result_list()) == 2
    dialog.deleteLater()


@pytest.mark.skipif(sys.platform == "win32", reason="links to programs are POSIX")
def test_the_best_python_is_found_in_the_background(panel, window, project):
    window.app.project.context.set(interpreter="")
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (project / ".venv" / "pyvenv.cfg").write_text("version = 3.11.7\n")
    window.app.commands.run("run.file", {"path": write(project, "print('found')\n")})
    assert panel.runs() == [], "looking for it does not hold up the window"
    assert wait_idle(window, 30)
    output = panel.current().output.toPlainText()
    assert str(project / ".venv" / "bin" / "python") in output
    assert "\nfound\n" in output
