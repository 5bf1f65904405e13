"""Where the elements of a row of a comparison are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.places import Place
from studio.i18n import tr
from studio.tensors.dumps.index import index_dump
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.precision.core.dump_row import DumpRow
    from studio.kernel.job_context import JobContext


def places_of(
    base: Path, candidate: Path, row: DumpRow, job: JobContext | None = None
) -> tuple[Place | None, Place | None]:
    """Return the places of both sides of a row; raises TensorError when the dumps have no elements.

    The dumps are indexed anew, from their cache; a side without the value is None.
    """
    found = (
        _place(base, row.part, row.base_name, job),
        _place(candidate, row.part, row.candidate_name, job),
    )
    if found == (None, None):
        raise TensorError(
            tr("Only statistics of {name} were dumped, no elements.", name=row.name),
            path=candidate,
        )
    return found


def _place(root: Path, label: str, name: str | None, job: JobContext | None) -> Place | None:
    if name is None:
        return None
    index = index_dump(root, job)
    for part in index.parts:
        if len(index.parts) > 1 and label and part.label != label:
            continue
        for call in part.calls:
            for value in call.values:
                if value.name == name and value.file:
                    return Place(index.path(part, value), value.dtype, value.member)
    return None
