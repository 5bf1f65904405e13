"""Plain Python events: typed, without Qt; a failing listener hides no event from the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from studio.kernel.errors import report_error

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(eq=False)
class Connection(Generic[T]):
    """One listener of one event; `disconnect` may be called more than once."""

    event: Event[T]
    listener: Callable[[T], object]

    def disconnect(self) -> None:
        """Stop listening."""
        self.event.remove(self)


class Event(Generic[T]):
    """Something that happens and that others want to hear of.

    Emitted on the thread that caused it, which for everything in the project model is the main one.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._connections: list[Connection[T]] = []

    def connect(self, listener: Callable[[T], object]) -> Connection[T]:
        """Call `listener(value)` at each `emit`, in order of connection."""
        connection = Connection(self, listener)
        self._connections.append(connection)
        return connection

    def remove(self, connection: Connection[T]) -> None:
        """Forget a connection; unknown ones are ignored."""
        if connection in self._connections:
            self._connections.remove(connection)

    def emit(self, value: T) -> None:
        """Tell every listener; an error in one is reported and the rest still hear of it."""
        for connection in tuple(self._connections):
            try:
                connection.listener(value)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - reported with the plugin to blame
                report_error(error, f"event {self.name}")
