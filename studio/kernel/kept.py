"""Objects that several views make from the same files, made once and kept while one uses them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class Kept:
    """Gives the same object for the same key as long as anybody holds it; any thread may ask.

    Two that ask for a key at the same time wait for each other: it is made once. When making fails
    or is cancelled, the next one tries anew.
    """

    def __init__(self) -> None:
        self._found: WeakValueDictionary[Hashable, object] = WeakValueDictionary()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object of a key; `make` makes it when nobody holds one."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            found = self._found.get(key)
            if found is None:
                found = make()
                self._found[key] = found
        with self._lock:
            if not making.locked():
                self._making.pop(key, None)
        return found  # type: ignore[return-value]  # made by the `make` of the same key

    def __len__(self) -> int:
        return len(self._found)
