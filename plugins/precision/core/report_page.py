"""A comparison as one self-contained HTML page: no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from math import isfinite, log10
from typing import TYPE_CHECKING

from plugins.precision.core.align.change import Change
from plugins.precision.core.diagnosis import diagnose_comparison
from plugins.precision.core.diagnosis_text import describe
from plugins.precision.core.parts import summaries
from plugins.precision.core.result import Status
from plugins.precision.core.words import change_word, part_words, word
from studio.i18n import language, thousands, tr, trn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plugins.precision.core.diagnosis import Diagnosis
    from plugins.precision.core.dump_result import DumpComparison
    from plugins.precision.core.dump_row import DumpRow

_STYLE = """
:root { color-scheme: light dark; --text: light-dark(#1c2127, #e4e8ec);
  --muted: light-dark(#555f6a, #9aa5b1); --line: light-dark(#d8dde3, #3a4149);
  --back: light-dark(#ffffff, #1b1e23); --good: light-dark(#17753f, #5cc98a);
  --warn: light-dark(#8a5a00, #e0b050); --bad: light-dark(#c0282e, #ff7b7f); }
body { margin: 0 auto; max-width: 1240px; padding: 24px; color: var(--text);
  background: var(--back); font: 14px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 18px; margin: 32px 0 6px; }
.paths, .quiet { color: var(--muted); } pre { white-space: pre-wrap; }
table { border-spacing: 0; width: 100%; font-size: 13px; }
td, th { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.v { white-space: nowrap; font-weight: 600; } .good { color: var(--good); }
.warn { color: var(--warn); } .bad { color: var(--bad); }
.bar { display: inline-block; height: 10px; border-radius: 3px; background: var(--bad); }
"""
_LOOKS = {
    Status.OK: ("✓", "good"),
    Status.REVIEW: ("◉", "warn"),
    Status.DIFFERS: ("✗", "bad"),
    Status.SHAPE: ("✗", "bad"),
    Status.NO_BASE: ("△", "warn"),
    Status.NO_CANDIDATE: ("△", "warn"),
    Status.UNREADABLE: ("⊘", "bad"),
    Status.EMPTY: ("○", "quiet"),
}
_MOST = 1000
"""Rows that are listed; the table of tensors beside the page has all."""

_ADDING = 20
_WIDEST = 240


def page(result: DumpComparison) -> str:
    """Return the page in the program's language; raises StudioError when nothing was readable."""
    diagnosis = diagnose_comparison(result)
    title = f"{result.base.name} ↔ {result.candidate.name}"
    body = [f"<h1>{escape(title)}</h1>", *_paths(result)]
    body.append(f"<pre>{escape(describe(diagnosis))}</pre>")
    body += _counts(result)
    body += _parts(result, diagnosis)
    body += _adding(diagnosis)
    body += _deviating(result)
    tongue = "zh-CN" if language() == "zh_CN" else "en"
    return (
        f'<!DOCTYPE html>\n<html lang="{tongue}">\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        + "\n".join(body)
        + "\n</html>\n"
    )


def _paths(result: DumpComparison) -> Iterator[str]:
    sides = ((tr("Base"), result.base), (tr("Candidate"), result.candidate))
    for title, path in sides:
        yield f'<div class="paths">{escape(title)}: {escape(str(path))}</div>'


def _counts(result: DumpComparison) -> Iterator[str]:
    yield f"<h2>{escape(tr('Verdicts'))}</h2>"
    yield from _table(
        (tr("Verdict"), tr("Values")),
        ([_verdict(status), _number(count)] for status, count in result.counts().items()),
    )
    changes = {c: n for c, n in result.changes().items() if c is not Change.SAME}
    if changes:
        yield f"<h2>{escape(tr('Changed calls'))}</h2>"
        rows = ([_text(change_word(c)), _number(n)] for c, n in changes.items())
        yield from _table((tr("Call"), tr("Calls")), rows)


def _parts(result: DumpComparison, diagnosis: Diagnosis) -> Iterator[str]:
    parts = summaries(result, diagnosis)
    if len(parts) < 2:
        return
    yield f"<h2>{escape(tr('Steps and ranks'))}</h2>"
    columns = (tr("Part"), tr("Verdict"), tr("Deviating"), tr("Values"), tr("Largest error"))
    rows = (
        [
            _text(part_words(p)),
            _verdict(p.status),
            _number(p.deviating),
            _number(p.total),
            _number(p.error if p.deviating else None),
            _text(p.first),
        ]
        for p in parts
    )
    yield from _table((*columns, tr("Begins at")), rows)


def _adding(diagnosis: Diagnosis) -> Iterator[str]:
    ranking = diagnosis.first.ranking[:_ADDING] if diagnosis.first else ()
    if not ranking:
        return
    yield f"<h2>{escape(tr('Operators by the error they add'))}</h2>"
    rows = (
        [
            _text(entry.operator),
            _text(entry.module),
            _number(entry.added),
            f'<td><span class="bar" style="width:{_bar(entry.added)}px"></span></td>',
            _text(entry.source),
        ]
        for entry in ranking
    )
    columns = (tr("Operator"), tr("Module"), tr("Added error"), "", tr("Source"))
    yield from _table(columns, rows)


def _deviating(result: DumpComparison) -> Iterator[str]:
    rows = [row for row in result.dump_rows() if row.deviates]
    yield f"<h2>{escape(tr('Deviating values'))}</h2>"
    if not rows:
        yield f"<p>{escape(tr('No value deviates.'))}</p>"
        return
    measured = (tr("Relative error"), tr("Largest error"), tr("Cosine"))
    columns = (tr("Verdict"), tr("Tensor"), tr("Module"), *measured, tr("Why"), tr("Source"))
    yield from _table(columns, map(_row, rows[:_MOST]))
    more = len(rows) - _MOST
    if more > 0:
        text = trn("{n} more is in tensors.csv", "{n} more are in tensors.csv", more)
        yield f'<p class="quiet">{escape(text)}</p>'


def _row(row: DumpRow) -> list[str]:
    name = f"{row.part}: {row.name}" if row.part else row.name
    return [
        _verdict(row.status),
        _text(name),
        _text(row.module),
        _number(row.relative_error),
        _number(row.max_abs),
        _number(row.cosine),
        _text(row.reason),
        _text(row.source),
    ]


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "<table><tr>" + "".join(f"<th>{escape(name)}</th>" for name in columns) + "</tr>"
    for cells in rows:
        yield "<tr>" + "".join(cells) + "</tr>"
    yield "</table>"


def _verdict(status: Status) -> str:
    sign, colour = _LOOKS[status]
    return f'<td class="v {colour}">{sign} {escape(word(status))}</td>'


def _text(text: str) -> str:
    return f"<td>{escape(text)}</td>"


def _number(value: float | None) -> str:
    if value is None:
        return '<td class="n">–</td>'
    text = thousands(value) if isinstance(value, int) else f"{value:.4g}"
    return f'<td class="n">{text}</td>'


def _bar(error: float | None) -> int:
    """Ten decades of error in pixels, the whole width from 1 on."""
    if error is None or error <= 0:
        return 0
    share = 1 + log10(error) / 10 if isfinite(error) else 1.0
    return round(_WIDEST * min(max(share, 0.02), 1.0))
