"""Unexpected errors are logged once, blamed on a plugin, and told to listeners."""

from __future__ import annotations

import logging
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import ErrorHub, Report, StudioError, blame, report_error
from studio.kernel.events import Event
from studio.kernel.logs import Log
from studio.kernel.plugins import PluginError, Plugins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kernel.conftest import MakePlugin


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hub(clock: Clock) -> Iterator[ErrorHub]:
    hub = ErrorHub(clock=clock)
    yield hub
    hub.close()


@pytest.fixture
def reports(hub: ErrorHub) -> list[Report]:
    found: list[Report] = []
    hub.listen(found.append)
    return found


def fail() -> None:
    raise ValueError("bad value")


def caught() -> Exception:
    try:
        fail()
    except ValueError as error:
        return error
    raise AssertionError


def test_a_report_tells_all(reports: list[Report]) -> None:
    report_error(caught(), "opening a view")
    (report,) = reports
    assert (report.summary, report.where, report.plugin) == (
        "ValueError: bad value",
        "opening a view",
        "",
    )
    assert "in fail" in report.details


def test_the_same_error_is_told_once_a_minute(
    reports: list[Report], clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(100):
        report_error(caught(), "paint")
    assert len(reports) == 1
    assert len(caplog.records) == 1
    clock.now = 61.0
    report_error(caught(), "paint")
    assert len(reports) == 2
    assert "and 99 times since" in caplog.records[-1].getMessage()


def test_different_errors_are_told_each(reports: list[Report]) -> None:
    report_error(caught(), "a")
    report_error(KeyError("x"), "b")
    report_error(KeyError("y"), "b")
    assert [report.summary for report in reports] == [
        "ValueError: bad value",
        "KeyError: 'x'",
        "KeyError: 'y'",
    ]


def test_one_failing_listener_does_not_keep_the_rest(hub: ErrorHub, reports: list[Report]) -> None:
    hub.listen(lambda report: fail())
    found: list[Report] = []
    hub.listen(found.append)
    report_error(caught(), "a")
    assert len(reports) == len(found) == 1


def test_an_event_reports_a_failing_listener_and_goes_on(reports: list[Report]) -> None:
    event: Event[int] = Event("numbers")
    heard: list[int] = []
    event.connect(lambda _: fail())
    connection = event.connect(heard.append)
    event.emit(1)
    connection.disconnect()
    connection.disconnect()
    event.emit(2)
    assert heard == [1]
    assert [report.where for report in reports] == ["event numbers"]


def test_the_plugin_to_blame_is_found(make_plugin: MakePlugin, tmp_path: Path) -> None:
    make_plugin(
        "demo_a",
        core="""
            def run(callback): callback()
            def boom(): raise RuntimeError("x")
            def wrapped():
                try: boom()
                except RuntimeError as error: raise KeyError("y") from error
        """,
    )
    plugins = Plugins([tmp_path / "plugins"])
    plugins.discover()
    try:
        for name in ("boom", "wrapped"):
            with pytest.raises((RuntimeError, KeyError)) as error:
                plugins.resolve("demo_a", f"core:{name}")()
            assert blame(error.value) == "demo_a"
        with pytest.raises(ValueError, match="bad value") as through:
            plugins.resolve("demo_a", "core:run")(fail)
        assert blame(through.value) == "demo_a"
    finally:
        plugins.close()
    assert blame(caught()) == ""
    assert blame(PluginError("demo_b", "reason")) == "demo_b"


def test_uncaught_errors_arrive_from_all_threads(hub: ErrorHub, reports: list[Report]) -> None:
    before = (sys.excepthook, threading.excepthook)
    hub.install()
    try:
        thread = threading.Thread(target=fail, name="worker-7")
        thread.start()
        thread.join()
        error = caught()
        sys.excepthook(type(error), error, error.__traceback__)
        sys.excepthook(KeyError, KeyError("main"), None)
    finally:
        hub.close()
    assert (sys.excepthook, threading.excepthook) == before
    assert [(report.where, report.summary) for report in reports] == [
        ("thread worker-7", "ValueError: bad value"),
        ("window", "KeyError: 'main'"),
    ]


def test_the_log_rotates_and_holds_the_traceback(tmp_path: Path) -> None:
    log = Log(tmp_path / "studio.log")
    report_error(caught(), "writing")
    logging.getLogger("studio.jobs").info("started %s", "a job")
    log.close()
    text = (tmp_path / "studio.log").read_text(encoding="utf-8")
    assert "ERROR studio.errors writing: ValueError: bad value\nTraceback" in text
    assert "INFO studio.jobs started a job" in text


def test_errors_for_the_user_carry_path_and_code(tmp_path: Path) -> None:
    error = StudioError("No such trace", path=tmp_path, exit_code=1)
    assert (str(error), error.path, error.exit_code) == ("No such trace", tmp_path, 1)
