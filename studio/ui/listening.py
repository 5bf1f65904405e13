"""Listening to events for as long as a widget lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

    from studio.kernel.events import Connection, Event

T = TypeVar("T")


def listen(owner: QObject, event: Event[T], listener: Callable[[T], object]) -> None:
    """Call `listener(value)` at each event until Qt deletes `owner`."""
    connection = event.connect(listener)
    owner.destroyed.connect(lambda: connection.disconnect())


class Listening:
    """Connections that are given up together: by `stop`, or when Qt deletes their owner."""

    def __init__(self, owner: QObject) -> None:
        self._connections: list[Connection[Any]] = []
        owner.destroyed.connect(lambda: self.stop())

    def to(self, event: Event[T], listener: Callable[[T], object]) -> None:
        """Listen to one more event."""
        self._connections.append(event.connect(listener))

    def stop(self) -> None:
        """Stop listening to all of them."""
        while self._connections:
            self._connections.pop().disconnect()
