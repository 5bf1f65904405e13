"""The configurations of a project, as they are kept in the user's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.run.core.configuration import Configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.model.project import Project


def configurations(project: Project) -> list[Configuration]:
    """All configurations, in the order of their making."""
    kept = project.state("run").get("configurations", [])
    return [Configuration.from_json(values) for values in kept if isinstance(values, dict)]


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
