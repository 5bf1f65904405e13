"""The program's log: one rotating file in the user's log folder."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from studio.paths import log_dir

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
_BYTES = 1_000_000
_FILES = 3


class Log:
    """The open log file; nothing is printed while it is open."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or log_dir() / "studio.log"
        self._logger = logging.getLogger("studio")
        self._handler: logging.Handler
        try:
            self._handler = RotatingFileHandler(
                self.path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8", delay=True
            )
        except OSError:
            self._handler = logging.NullHandler()
        self._handler.setFormatter(logging.Formatter(_FORMAT))
        self._logger.addHandler(self._handler)
        self._logger.setLevel(logging.INFO)

    def close(self) -> None:
        """Close the file."""
        self._logger.removeHandler(self._handler)
        self._handler.close()
