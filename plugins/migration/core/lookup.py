"""Looking things up: what is known of an API, and which rules there are."""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from plugins.migration.core import registry, support
from plugins.migration.core.model import CHIPS, TORCH_VERSIONS
from plugins.migration.core.rules.support import CONDITIONS
from plugins.migration.core.scan import context_of
from plugins.migration.core.tables import api_names, library_of
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.text_table import draw_table

if TYPE_CHECKING:
    from plugins.migration.core.support import Judgement

_SHORT = {"F": "torch.nn.functional", "nn": "torch.nn", "dist": "torch.distributed"}


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """What is known of an API: its name on Ascend, and its support per version and chip."""

    name: str
    listed: str
    npu: str
    note: str
    judgements: tuple[Judgement, ...]

    def to_json(self) -> object:
        """All of it as plain values."""
        return {
            "name": self.name,
            "listed": self.listed,
            "npu": self.npu,
            "note": self.note,
            "support": self.rows(),
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per torch version and chip."""
        return [
            {
                "torch": one.torch,
                "chip": one.chip,
                "verdict": one.verdict,
                "dtypes": sorted(one.dtypes),
                "without": sorted(one.without),
                "conditions": list(one.notes),
                "source": one.source,
            }
            for one in self.judgements
        ]

    def to_text(self) -> str:
        """A table of versions and chips, and what limits the API in the newest of them."""
        lines = [self.listed if self.listed == self.name else f"{self.name} → {self.listed}"]
        if self.npu:
            lines.append(tr("On Ascend: {name}", name=self.npu))
        if self.note:
            lines.append(self.note)
        by_place = {(one.torch, one.chip): one for one in self.judgements}
        versions = [v for v in TORCH_VERSIONS if any(v == torch for torch, _ in by_place)]
        chips = [c for c in CHIPS if any(c == chip for _, chip in by_place)]
        table = [
            {"torch": v, **{c: verdict_name(by_place[v, c].verdict) for c in chips}}
            for v in versions
        ]
        lines += ["", draw_table(table).rstrip("\n")]
        last = self.judgements[-1]
        if last.dtypes:
            lines += ["", tr("Element types: {names}", names=" ".join(sorted(last.dtypes)))]
        lines += [tr(CONDITIONS.get(note, note)) for note in last.notes]
        if last.source:
            lines.append(tr("source: {source}", source=last.source))
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """One rule as the user sees it."""

    id: str
    title: str
    why: str
    category: str
    status: str
    severity: str
    effort: str
    before: str
    after: str


class RuleList(list[RuleAnswer]):
    """Every rule; as text one line each."""

    def to_json(self) -> object:
        """The rules as plain values."""
        return [asdict(rule) for rule in self]

    def to_text(self) -> str:
        """A table of the rules without their examples."""
        rows = [
            {"id": r.id, "category": r.category, "status": r.status, "title": r.title} for r in self
        ]
        return draw_table(rows)


def api_command(name: str, torch: str = "", chip: str = "") -> ApiAnswer:
    """Tell what is known of an API, for all torch versions and chips or the given ones."""
    full = _full_name(name.strip().removesuffix("()"))
    context = context_of(torch, chip)
    judgements = tuple(
        one
        for one in support.everything(full)
        if (not torch or one.torch == context.torch) and (not chip or one.chip == context.chip)
    )
    entry = api_names().get(full)
    library = library_of(full)
    known = entry is not None or support.canonical(full) in support.listing()
    if not known and (library is None or not full.startswith("torch.")):
        near = difflib.get_close_matches(full, support.listing(), n=3, cutoff=0.8)
        text = tr("The support list does not name {name}: nothing was verified.", name=name)
        if near:
            text += " " + tr("Did you mean {names}?", names=", ".join(near))
        raise StudioError(text)
    notes = [tr(entry.note)] if entry and entry.note else []
    if library is not None and library.advice:
        notes.append(tr(library.advice))
    npu = entry.npu if entry else ""
    return ApiAnswer(full, support.canonical(full), npu, " ".join(notes), judgements)


def rules_command() -> RuleList:
    """List every rule."""
    return RuleList(
        RuleAnswer(
            id=rule.id,
            title=tr(rule.title),
            why=tr(rule.why),
            category=rule.category,
            status=rule.status,
            severity=rule.severity.value,
            effort=rule.effort,
            before=rule.before,
            after=rule.after,
        )
        for rule in sorted(registry.rules().values(), key=lambda rule: rule.id)
    )


def verdict_name(verdict: str) -> str:
    """A verdict in the words of the user."""
    return {
        "supported": tr("supported"),
        "limited": tr("limited"),
        "fallback": tr("may run on the CPU"),
        "unsupported": tr("unsupported"),
        "unverified": tr("not verified"),
        "not stated": tr("not stated"),
    }.get(verdict, verdict)


def _full_name(name: str) -> str:
    """The full name of an API as people write it: `F.gelu`, `nn.GRU`, `Tensor.mode`, `matmul`."""
    first, _, rest = name.partition(".")
    if first == "torch" or (not rest and name in support.listing()):
        return name
    tries = [f"{_SHORT[first]}.{rest}"] if first in _SHORT and rest else []
    tries += [f"torch.{name}", f"torch.nn.{name}", f"torch.nn.functional.{name}"]
    tries += [f"torch.Tensor.{name}", f"torch.optim.{name}"]
    listed = (one for one in tries if support.canonical(one) in support.listing())
    return next(listed, name)
