"""The configurations of a project, as they are kept in the user's folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from plugins.run.core.configuration import Configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.model.project import Project

_MOST = 50


@dataclass(frozen=True)
class Past:
    """A run that is over: when it ended (ISO 8601, UTC), what it took, and how it went."""

    configuration: Configuration
    at: str
    seconds: float
    code: int


def configurations(project: Project) -> list[Configuration]:
    """All configurations, in the order of their making."""
    kept = project.state("run").get("configurations", [])
    known = kept if isinstance(kept, list) else []
    return [Configuration.from_json(values) for values in known if isinstance(values, dict)]


def keep(project: Project, configurations: Sequence[Configuration]) -> None:
    """Keep these and no others."""
    project.state("run")["configurations"] = [one.to_json() for one in configurations]
    project.save_state()


def last(project: Project) -> Configuration | None:
    """What was run last."""
    values = project.state("run").get("last")
    return Configuration.from_json(values) if isinstance(values, dict) else None


def note_run(project: Project, configuration: Configuration) -> None:
    """Remember what was run last, and keep it among the others when it is new."""
    project.state("run")["last"] = configuration.to_json()
    known = configurations(project)
    if all(one.name != configuration.name for one in known):
        known.append(configuration)
    keep(project, [configuration if one.name == configuration.name else one for one in known])


def history(project: Project) -> list[Past]:
    """The runs that are over, the newest first."""
    found = []
    for values in project.state("run").get("history", []):
        try:
            one = Configuration.from_json(values["configuration"])
            at, seconds = str(values["at"]), float(values["seconds"])
            datetime.fromisoformat(at)
            found.append(Past(one, at, seconds, int(values["code"])))
        except (KeyError, TypeError, ValueError, AttributeError):  # written by hand
            continue
    return found


def note_end(project: Project, configuration: Configuration, seconds: float, code: int) -> None:
    """Remember how a run went."""
    state = project.state("run")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    values = {"configuration": configuration.to_json(), "at": at, "seconds": seconds, "code": code}
    before = state.get("history", [])
    state["history"] = [values, *(before if isinstance(before, list) else [])][:_MOST]
    project.save_state()
