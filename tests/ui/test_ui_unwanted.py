"""A closed view's jobs are cancelled, also those that its helpers started; others go on."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from studio.ui.unwanted import cancel_jobs_of

pytestmark = pytest.mark.gui


class Helper(QObject):
    def take(self, _result):
        """Show a result."""


class Part(QWidget):
    def take(self, _result):
        """Show a result."""


class Job:
    def __init__(self, done):
        self.done, self.failed, self.cancelled = done, None, False

    def cancel(self):
        self.cancelled = True


def cancelled(view, *owners):
    jobs = [Job(owner.take) for owner in owners]
    cancel_jobs_of(SimpleNamespace(active=lambda: jobs), view)
    return [job.cancelled for job in jobs]


def test_jobs_of_parts_and_of_helpers_are_cancelled(qapp):
    view, other = QWidget(), QWidget()
    part, helper, inner = Part(view), Helper(view), Helper()
    inner.setParent(part)
    elsewhere, free = Helper(other), Helper()
    assert cancelled(view, part, helper, inner, elsewhere, free) == [True] * 3 + [False] * 2


def test_a_job_of_what_is_gone_is_cancelled(qapp):
    view, gone = QWidget(), Helper()
    job = Job(gone.take)
    delete(gone)
    cancel_jobs_of(SimpleNamespace(active=lambda: [job]), view)
    assert job.cancelled
