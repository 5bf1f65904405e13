"""Errors that a user is told about, and the one place where unexpected ones are reported."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class StudioError(Exception):
    """A problem told to the user in one sentence: what happened, to which file, why, what to do.

    The command line prints the sentence and ends with `exit_code`; the window shows it as a notice.
    """

    def __init__(self, message: str, *, path: Path | None = None, exit_code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.exit_code = exit_code


def report_error(error: BaseException, where: str) -> None:
    """Log an unexpected error (replaced by the full reporting in this module)."""
    logging.getLogger("studio").error("%s: %s", where, error, exc_info=error)
