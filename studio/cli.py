"""The command `studio`: opens the window, or runs a command that a manifest declares.

Results go to the standard output, everything else to the standard error stream. Exit codes: 0 done,
1 the documented "no" of a command, 2 wrong usage, 3 nothing readable, 4 an error of the program.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio import __version__
from studio.cli_parser import Options, UsageError, parse_arguments, take_options
from studio.i18n import LANGUAGES, tr
from studio.kernel import render
from studio.kernel.errors import StudioError, describe_error, report_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.app import App
    from studio.kernel.commands import Registered
    from studio.kernel.job_context import Progress

_INTERRUPTED = 130
_INTERNAL = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    begin = time.perf_counter()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = take_options(sys.argv[1:] if arguments is None else arguments)
    code = _guarded(options, begin)
    if options.stuck:
        # Python would wait for ever for the thread of a job that does not end.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _guarded(options: Options, begin: float) -> int:
    try:
        return _run(options, begin)
    except UsageError as error:
        _tell(error.message)
        _tell(error.usage)
        return error.exit_code
    except StudioError as error:
        _tell(f"studio: {error.message}")
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(options: Options, begin: float) -> int:
    if options.language is not None and options.language not in LANGUAGES:
        raise UsageError(
            tr("--lang must be one of {names}.", names=", ".join(LANGUAGES)), usage_line()
        )
    if options.version:
        _print(f"Ascent Studio {__version__}")
        return 0
    from studio.app import App

    app = App.start(safe=options.safe, language=options.language)
    app.timings["begin"] = time.perf_counter() - begin
    try:
        return _dispatch(app, options.words)
    except StudioError:
        raise
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise StudioError(_describe(error)) from error
    except Exception as error:  # noqa: BLE001 - logged with its traceback; the user gets one line
        report_error(error, " ".join(options.words))
        _tell(tr("studio: internal error: {error}", error=describe_error(error)))
        _tell(tr("The details are in {file}.", file=app.log.path))
        return _INTERNAL
    finally:
        options.stuck = not app.close()
        if options.timings:
            _print_timings(app, begin)


def _dispatch(app: App, words: list[str]) -> int:
    for problem in app.settings.problems:
        _tell(problem)
    commands = app.commands.by_words()
    if not words:
        return open_window(app, None)
    if words[0] in ("-h", "--help"):
        _print(program_help(commands))
        return 0
    if words[0] == "--":
        words = words[1:]
    elif words[0].startswith("-"):
        raise UsageError(tr("Unknown option: {word}.", word=words[0]), usage_line())
    elif any(words[0] == cli.split()[0] for cli in commands):
        return _run_words(app, commands, words)
    if len(words) > 1 or not Path(words[0]).exists():
        raise _unknown(commands, words)
    return open_window(app, Path(words[0]))


def _run_words(app: App, commands: dict[str, Registered], words: list[str]) -> int:
    for length in range(len(words), 0, -1):
        command = commands.get(" ".join(words[:length]))
        if command is not None:
            return run_command(app, command, words[length:])
    group = {cli: c for cli, c in commands.items() if cli.split()[0] == words[0]}
    if words[1:] and words[1] in ("-h", "--help"):
        _print(program_help(group))
        return 0
    raise UsageError(tr("“studio {words}” is no command.", words=" ".join(words[:2])), _list(group))


def run_command(app: App, command: Registered, words: Sequence[str]) -> int:
    """Run one command and print its result; returns the exit code."""
    try:
        arguments, form = parse_arguments(command, words)
    except SystemExit:
        return 0
    if sys.stderr.isatty():
        app.jobs.foreground_progress = _show_progress
    result = app.commands.call(command.id, arguments)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    if result is not None:
        write = {"json": render.to_json, "csv": render.to_csv, "table": render.to_table}[form]
        _print(write(result).rstrip("\n"))
    return int(getattr(result, "exit_code", 0))


def open_window(app: App, path: Path | None) -> int:
    """Open the window, on a project if there is a path; returns the exit code."""
    try:
        run = app.plugins.resolve("studio", "ui.main:run")
    except ImportError as error:
        raise StudioError(_why_no_window(error)) from error
    app.errors.install()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda caught, _frame: _close_window(app, caught))
    code: Any = run(app, path.absolute() if path else None)
    return int(code or 0)


def _close_window(app: App, caught: int) -> None:
    """End as if the user had closed the window; a second signal ends the program at once."""
    signal.signal(caught, signal.SIG_DFL)
    if app.window is None:
        raise KeyboardInterrupt
    app.post(app.window.parent().close)


def _why_no_window(error: ImportError) -> str:
    from importlib.util import find_spec

    if find_spec("PySide6") is None:
        return tr(
            "The window needs Qt, which is not installed; install it with:\n"
            "    {python} -m pip install 'ascent-studio[gui]'",
            python=sys.executable,
        )
    return tr("The window cannot be opened: {error}", error=error)


def usage_line() -> str:
    """Return how the program is called, in one line."""
    return f"{tr('Usage')}: studio [--safe] [--lang en|zh_CN] [--timings] [PATH | COMMAND …]"


def program_help(commands: dict[str, Registered]) -> str:
    """Return the help of the whole program, or of a group of commands."""
    options = {
        "--lang en|zh_CN": tr("Language of all texts"),
        "--safe": tr("Start without the user's own plugins"),
        "--timings": tr("Say at the end what the start and each plugin took"),
        "--version": tr("Print the version"),
        "-h, --help": tr("Show this help"),
    }
    parts = [
        usage_line(),
        tr("Opens the window, with PATH as its project; or runs a command without a window:"),
        _list(commands),
        tr("“studio COMMAND --help” explains a command. Options:"),
        _columns(options),
    ]
    return "\n\n".join(parts)


def _list(commands: dict[str, Registered]) -> str:
    return _columns({f"studio {cli}": commands[cli].title for cli in sorted(commands)})


def _columns(entries: dict[str, str]) -> str:
    widest = max(map(len, entries), default=0)
    return "\n".join(f"  {name:{widest}}  {text}" for name, text in entries.items())


def _unknown(commands: dict[str, Registered], words: list[str]) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(words[0], {cli.split()[0] for cli in commands}, n=1)
    hint = " " + tr("Did you mean “studio {word}”?", word=near[0]) if near else ""
    text = tr("“{word}” is neither a command nor a file or folder.", word=words[0])
    return UsageError(text + hint, usage_line())


def _describe(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _show_progress(progress: Progress) -> None:
    if progress.line is not None:
        return
    share = "" if progress.fraction is None else f"{progress.fraction:4.0%} "
    sys.stderr.write(f"\r\x1b[K{share}{progress.message}"[:100])
    sys.stderr.flush()


def _print_timings(app: App, begin: float) -> None:
    for name, seconds in app.timings.items():
        _tell(f"{name:24}{seconds * 1000:9.1f} ms")
    for plugin in app.plugins.all():
        if plugin.load_seconds:
            _tell(f"plugin {plugin.id:17}{plugin.load_seconds * 1000:9.1f} ms")
    _tell(f"{'all':24}{(time.perf_counter() - begin) * 1000:9.1f} ms")


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
