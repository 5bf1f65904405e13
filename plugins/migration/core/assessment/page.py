"""The assessment as one self-contained page: no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from studio.i18n import language, tr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugins.migration.core.assessment.facts import Assessment
    from plugins.migration.core.assessment.sections import Chart, Section

_STYLE = """
:root { --bg: #ffffff; --surface: #f4f6f8; --line: #d8dde3; --text: #1c2127; --muted: #555f6a;
  --accent: #0a62c4; --ok: #17753f; --warn: #8a5a00; --error: #c0282e; --info: #0a66b8;
  --hand: #a54117; }
@media (prefers-color-scheme: dark) { :root { --bg: #1b1e23; --surface: #23272d; --line: #3a4149;
  --text: #e4e8ec; --muted: #9aa5b1; --accent: #6cb0ff; --ok: #5cc98a; --warn: #e0b050;
  --error: #ff7b7f; --info: #6cb8ff; --hand: #f09568; } }
body { background: var(--bg); color: var(--text); margin: 0 auto; padding: 24px 32px;
  max-width: 1120px; font: 15px/1.55 system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 8px; }
h3 { font-size: 15px; margin: 24px 0 6px; overflow-wrap: anywhere; }
p { margin: 4px 0; } .muted { color: var(--muted); }
.head { display: flex; gap: 28px; align-items: center; } .head svg { margin: 0; flex: none; }
table { border-collapse: collapse; width: 100%; margin-top: 10px; font-size: 13px; }
th { text-align: left; color: var(--muted); font-weight: 600; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 16px 5px 0; vertical-align: top;
  overflow-wrap: anywhere; } td:nth-child(n+2) { font-variant-numeric: tabular-nums; }
.short { white-space: nowrap; overflow-wrap: normal; } .number { text-align: right; }
th:first-child:not(.short) { min-width: 240px; }
tbody tr:hover { background: var(--surface); } svg { display: block; margin-top: 10px; }
thead { display: table-header-group; } tr { break-inside: avoid; }
svg text { font: 13px system-ui, "Noto Sans CJK SC", sans-serif; fill: var(--text); }
svg .figure { font-size: 26px; font-weight: 600; } svg .track { stroke: var(--line); }
nav a { color: var(--accent); margin-right: 14px; white-space: nowrap; }
@media print { body { max-width: none; } nav { display: none; } }
"""
_ROW, _BAR = 24, 560
_SHORT = 16
"""Cells of a column that are all as short as this many letters are never broken."""


def page(assessment: Assessment, parts: Sequence[Section]) -> str:
    """The page as HTML text."""
    title = tr("Moving {name} to Ascend NPUs", name=assessment.report.root.name)
    main = [part for part in parts if not _is_file(part, assessment)]
    body = [
        f'<div class="head">{_ring(assessment.readiness)}<div><h1>{escape(title)}</h1>'
        f'<p class="muted">{escape(tr("Readiness: the share rewritten without a look."))}</p>'
        "</div></div>",
        "<nav>" + "".join(_link(n, part) for n, part in enumerate(main)) + "</nav>",
    ]
    for number, part in enumerate(parts):
        body.append("".join(_section(number, part, small=_is_file(part, assessment))))
    return (
        f'<!DOCTYPE html>\n<html lang="{"zh-CN" if language() == "zh_CN" else "en"}">\n<head>\n'
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _is_file(part: Section, assessment: Assessment) -> bool:
    return any(part.title == name for name, _ in assessment.files)


def _link(number: int, part: Section) -> str:
    return f'<a href="#s{number}">{escape(part.title)}</a> '


def _section(number: int, part: Section, *, small: bool) -> Iterator[str]:
    level = "h3" if small else "h2"
    yield f'<section><{level} id="s{number}">{escape(part.title)}</{level}>\n'
    yield from (f"<p>{escape(text)}</p>\n" for text in part.texts)
    if part.chart:
        yield _bars(part.chart)
    if part.rows:
        kinds = [_kind(name, cells) for name, *cells in zip(part.columns, *part.rows, strict=True)]
        yield "<table><thead><tr>"
        yield from (f"<th{k}>{escape(n)}</th>" for k, n in zip(kinds, part.columns, strict=True))
        yield "</tr></thead><tbody>\n"
        for row in part.rows:
            cells = (f"<td{k}>{escape(cell)}</td>" for k, cell in zip(kinds, row, strict=True))
            yield "<tr>" + "".join(cells) + "</tr>\n"
        yield "</tbody></table>"
    yield "</section>"


def _kind(name: str, cells: Sequence[str]) -> str:
    """How a column is set: numbers to the right, short words in one line."""
    if max(map(len, (name, *cells))) > _SHORT:
        return ""
    number = all(cell.isdigit() for cell in cells)
    return ' class="short number"' if number else ' class="short"'


def _bars(chart: Chart) -> str:
    """Bars on one scale, each with its name and number."""
    longest = max(count for _, count, _ in chart) or 1
    height = _ROW * len(chart)
    names = [name if len(name) <= 44 else "…" + name[-43:] for name, _, _ in chart]
    left = 24 + max(map(_width, names))
    parts = [
        f'<svg role="img" width="100%" viewBox="0 0 {left + _BAR + 80} {height}" '
        f'style="max-width:{left + _BAR + 80}px">'
    ]
    for number, (shown, (_, count, colour)) in enumerate(zip(names, chart, strict=True)):
        top = number * _ROW
        width = max(2, round(_BAR * count / longest))
        parts.append(
            f'<text x="0" y="{top + 16}">{escape(shown)}</text>'
            f'<rect x="{left}" y="{top + 5}" width="{width}" height="14" rx="3" '
            f'fill="var(--{colour})"/><text x="{left + width + 8}" y="{top + 16}">{count}</text>'
        )
    return "".join(parts) + "</svg>"


def _width(text: str) -> int:
    """About how many pixels a text takes in the letters of the bars; Chinese ones are square."""
    return sum(14 if ord(letter) > 0x2E7F else 8 for letter in text)


def _ring(readiness: float | None) -> str:
    """A share as a ring with its figure; an empty one where there is nothing to judge."""
    length = 2 * 3.14159 * 46
    share = readiness or 0.0
    figure = "–" if readiness is None else f"{round(100 * share)} %"
    return (
        '<svg role="img" width="120" height="120" viewBox="0 0 120 120">'
        '<circle class="track" cx="60" cy="60" r="46" fill="none" stroke-width="11"/>'
        '<circle cx="60" cy="60" r="46" fill="none" stroke="var(--ok)" stroke-width="11" '
        f'stroke-dasharray="{length * share:.1f} {length:.1f}" transform="rotate(-90 60 60)"/>'
        f'<text class="figure" x="60" y="69" text-anchor="middle">{figure}</text>'
        "</svg>"
    )
