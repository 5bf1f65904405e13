"""One plugin: what its manifest says, and how far it has come."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.manifest import Manifest
    from studio.kernel.references import Reference


class State(Enum):
    """How far a plugin has come."""

    FOUND = "found"
    DISABLED = "disabled"
    READY = "ready"
    ACTIVE = "active"
    FAILED = "failed"


class PluginError(StudioError):
    """A plugin cannot do what it was asked for; names the plugin and the cause.

    The log has the whole cause; whoever asked tells the user.
    """

    def __init__(self, plugin: str, reason: str, *, path: Path | None = None) -> None:
        super().__init__(
            tr("The plugin {plugin} failed: {reason}", plugin=plugin, reason=reason), path=path
        )
        self.plugin = plugin
        self.reason = reason

    def again(self) -> PluginError:
        """Return an equal error to raise; one raised again and again would keep every trace."""
        error = PluginError(self.plugin, self.reason, path=self.path)
        error.__cause__ = self.__cause__
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return PluginError, (self.plugin, self.reason)


@dataclass(eq=False)
class Plugin:
    """One plugin and its state; `reason` says why it is disabled or failed."""

    id: str
    folder: Path
    builtin: bool
    manifest: Manifest | None = None
    state: State = State.FOUND
    reason: str = ""
    load_seconds: float = 0.0
    failures: dict[Reference, PluginError] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    @property
    def title(self) -> str:
        """The translated title, or the id when the manifest could not be read."""
        return tr(self.manifest.title) if self.manifest else self.id

    @property
    def usable(self) -> bool:
        """Whether it contributes; a failure at use leaves what it declares in place."""
        return self.state in (State.READY, State.ACTIVE) or bool(self.failures)
