"""Where two runs begin to differ, and which operators add error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugins.precision.core.align.change import Change
from plugins.precision.core.errors_of_calls import CallErrors, errors_of, is_argument
from plugins.precision.core.inserted import blamed, neutral
from plugins.precision.core.result import Status
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from plugins.precision.core.dump_result import DumpComparison, PartResult
    from plugins.precision.core.dump_row import DumpRow
    from studio.tensors.dumps.model import Call

_RANKED = 50
_EVIDENCE = 12


@dataclass(frozen=True, slots=True)
class Deviation:
    """An operator that makes the two runs differ."""

    operator: str
    module: str
    """The module call it was made in."""
    reason: str
    source: str = ""
    added: float | None = None
    error_in: float | None = None
    error_out: float | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    place: int = 0
    """Its place in the order of the run."""


@dataclass(frozen=True, slots=True)
class PartDiagnosis:
    """What is found in one rank and step."""

    label: str
    step: int | None
    rank: int | None
    first: Deviation | None
    then: Deviation | None
    """The matched call whose values show the deviation, when `first` is an inserted call."""
    ranking: tuple[Deviation, ...]
    inserted: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is found in all parts."""

    parts: tuple[PartDiagnosis, ...]
    first: PartDiagnosis | None = None
    """The part where the deviation comes first."""
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """1 when the runs deviate anywhere."""
        return int(self.first is not None)

    def to_json(self) -> object:
        """Return what the command line prints."""
        return {
            **first_json(self),
            "ranks": [_part_json(part) for part in self.parts],
            "ranking": [_ranked(entry) for entry in self._ranking()],
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """Say it in a few lines."""
        from plugins.precision.core.diagnosis_text import describe

        return describe(self)

    def _ranking(self) -> tuple[Deviation, ...]:
        return self.first.ranking if self.first else ()


def diagnose_comparison(result: DumpComparison) -> Diagnosis:
    """Find the first deviation of each part and of all, and rank operators by added error.

    Raises StudioError when no pair of tensors can be read; says how many cannot.
    """
    if result.nothing_read:
        row = result.rows[0]
        raise StudioError(
            tr("Nothing could be compared. {name}: {reason}.", name=row.name, reason=row.reason),
            path=result.candidate,
        )
    parts = tuple(_diagnose(part) for part in result.parts)
    deviating = [part for part in parts if part.first]
    first = min(deviating, key=_order, default=None)
    return Diagnosis(parts, first, (*result.missing, *_unread(result)))


def _unread(result: DumpComparison) -> tuple[str, ...]:
    count = result.counts().get(Status.UNREADABLE, 0)
    if not count:
        return ()
    return (trn("{n} tensor cannot be read.", "{n} tensors cannot be read.", count),)


def first_json(result: Diagnosis) -> dict[str, Any]:
    """Return the first deviation as `studio precision first` prints it."""
    part = result.first or (result.parts[0] if result.parts else None)
    first = part.first if part else None
    return {
        "operator": first.operator if first else None,
        "module": first.module if first else None,
        "reason": first.reason if first else tr("no deviation"),
        "source": first.source if first else None,
        "part": part.label if part and first else None,
        "evidence": list(first.evidence) if first else [],
        "then": _brief(part.then) if part and part.then else None,
        "inserted": list(part.inserted) if part else [],
        "removed": list(part.removed) if part else [],
    }


def _diagnose(part: PartResult) -> PartDiagnosis:
    calls = errors_of(part)
    first: Deviation | None = None
    then: Deviation | None = None
    found = next((entry for entry in calls if entry.deviates), None)
    if found is not None:
        then = _deviation(found)
        culprit = None if _own(found) else blamed(part, found)
        first = then if culprit is None else _inserted(part, *culprit, then)
        then = None if first is then else then
    return PartDiagnosis(
        label=part.label,
        step=part.step,
        rank=part.rank,
        first=first,
        then=then,
        ranking=_ranking(part, calls),
        inserted=tuple(part.named(Change.INSERTED)),
        removed=tuple(part.named(Change.REMOVED)),
    )


def _own(found: CallErrors) -> bool:
    """Whether a call deviates by itself, and not because of what it is given."""
    return found.argument_changed or not found.input_changed


def _deviation(found: CallErrors) -> Deviation:
    call = found.call
    rows = [row for row in found.rows if row.deviates or row.dtype_base != row.dtype_candidate]
    return Deviation(
        operator=call.name,
        module=call.parent,
        reason=_reason(found),
        source=next((row.source for row in found.rows if row.source), ""),
        added=found.added,
        error_in=found.error_in,
        error_out=found.error_out,
        evidence=tuple(map(_evidence, rows[:_EVIDENCE])),
        place=found.place,
    )


def _reason(found: CallErrors) -> str:
    if found.argument_changed:
        argument = next(r for r in found.rows if r.deviates and is_argument(r))
        return f"{argument.name}: {argument.reason}"
    if found.type_changed:
        return tr("its output has another type while its inputs are the same")
    if not found.input_changed:
        return tr("its output deviates while its inputs agree")
    return tr("its inputs deviate, and no call before it explains that")


def _inserted(part: PartResult, place: int, call: Call, then: Deviation) -> Deviation:
    rows = part.rows[place]
    return Deviation(
        operator=call.name,
        module=call.parent,
        reason=tr("an inserted call changes what the next calls are given"),
        source=next((row.source for row in rows if row.source), ""),
        evidence=(*map(_evidence, rows[:_EVIDENCE]), *then.evidence),
        place=place,
    )


def _ranking(part: PartResult, calls: list[CallErrors]) -> tuple[Deviation, ...]:
    explained = _explained_by_children(part, calls)
    adding = [c for c in calls if c.added > 0 and c.output_changed and c.place not in explained]
    adding.sort(key=lambda entry: (-entry.added, entry.place))
    return tuple(_deviation(entry) for entry in adding[:_RANKED])


def _explained_by_children(part: PartResult, calls: list[CallErrors]) -> set[int]:
    """Find modules whose error was added by a call inside them."""
    parents = {entry.call.name: entry.call.parent for entry in calls}
    made = [(e.call.parent, e.added) for e in calls if not e.call.is_module]
    new = [pair.candidate for pair in part.pairs if pair.change is Change.INSERTED]
    made += [(call.parent, float("inf")) for call in new if call and not neutral(call)]
    inside: dict[str, float] = {}
    for parent, added in made:
        above = parent
        for _ in range(len(parents)):
            if not above:
                break
            inside[above] = max(inside.get(above, 0.0), added)
            above = parents.get(above, "")
    return {
        entry.place
        for entry in calls
        if entry.call.is_module and inside.get(entry.call.name, 0.0) * 2 >= entry.added
    }


def _order(part: PartDiagnosis) -> tuple[int, int, int]:
    place = part.first.place if part.first else 0
    return (-1 if part.step is None else part.step, place, -1 if part.rank is None else part.rank)


def _evidence(row: DumpRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "status": row.status.value,
        "reason": row.reason,
        "relative_error": row.relative_error,
        "base": {"dtype": row.dtype_base, "shape": row.shape_base, "max": row.max_base},
        "candidate": {
            "dtype": row.dtype_candidate,
            "shape": row.shape_candidate,
            "max": row.max_candidate,
        },
    }


def _brief(entry: Deviation | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {"operator": entry.operator, "module": entry.module, "reason": entry.reason}


def _ranked(entry: Deviation) -> dict[str, Any]:
    return {
        "operator": entry.operator,
        "module": entry.module,
        "added": entry.added,
        "error_in": entry.error_in,
        "error_out": entry.error_out,
        "source": entry.source,
    }


def _part_json(part: PartDiagnosis) -> dict[str, Any]:
    return {
        "part": part.label,
        "step": part.step,
        "rank": part.rank,
        "first": _brief(part.first),
        "inserted": list(part.inserted),
        "removed": list(part.removed),
    }
