"""The jobs of the view of single tensors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.precision.core.dump_row import DumpRow
from plugins.precision.core.result import Status
from plugins.precision.core.tensors.finding import places_of
from plugins.precision.core.tensors.opened import OpenedPair, open_pair, open_tensor, tensors_of
from plugins.precision.core.tensors.planes import Planes, Slice, Window, planes_of
from studio.i18n import tr
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Loaded:
    """Tensors that were opened, and which others their file has."""

    pair: OpenedPair
    members: tuple[str, ...]
    member: str
    problem: str = ""
    """Why only one side, or no difference, is shown."""


def load(
    path: str,
    base: str = "",
    member: str = "",
    part: str = "",
    base_name: str = "",
    name: str = "",
    job: JobContext | None = None,
) -> Loaded:
    """Open what the view is asked for; raises TensorError when nothing of it can be read."""
    if name or base_name:
        row = DumpRow(
            name=name or base_name,
            status=Status.OK,
            reason="",
            part=part,
            base_name=base_name or None,
            candidate_name=name or None,
        )
        one, two = places_of(Path(base), Path(path), row, job)
        pair = open_pair(one, two)
        return Loaded(pair, ("",), "", _problem(pair))
    places, refused = tensors_of(Path(path))
    if not places:
        reasons = "; ".join(f"{who}: {why}" for who, why in refused.items())
        raise TensorError(reasons or tr("holds no tensors"), path=Path(path))
    members = tuple(place.member for place in places)
    chosen = next((place for place in places if place.member == member), places[0])
    problem = "; ".join(f"{who}: {why}" for who, why in refused.items())
    other = None
    if base:
        others, _ = tensors_of(Path(base))
        same = [place for place in others if place.member == chosen.member]
        other = next(iter(same or others), None)
    pair = OpenedPair(open_tensor(other) if other else None, open_tensor(chosen))
    return Loaded(pair, members, chosen.member, problem or _problem(pair))


def planes(
    pair: OpenedPair,
    where: Slice,
    window: Window,
    cells: tuple[int, int],
    job: JobContext | None = None,
) -> Planes:
    """Read a slice, until it is no longer wanted."""
    return planes_of(pair, where, window, cells, job.check if job is not None else lambda: None)


def _problem(pair: OpenedPair) -> str:
    if pair.base is None or pair.candidate is None or pair.comparable:
        return ""
    shapes = ["×".join(map(str, side.shape)) or tr("scalar") for side in pair.sides()]
    return tr(
        "The shapes differ ({base} and {candidate}): elements have no counterpart, so there is no "
        "difference. Each side has its own slice and figures.",
        base=shapes[0],
        candidate=shapes[1],
    )
