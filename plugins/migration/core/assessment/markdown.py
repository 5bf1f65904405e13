"""The assessment as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugins.migration.core.assessment.facts import Assessment
    from plugins.migration.core.assessment.sections import Section


def markdown(assessment: Assessment, parts: Sequence[Section]) -> str:
    """All sections as one text."""
    name = assessment.report.root.name
    lines = [f"# {tr('Moving {name} to Ascend NPUs', name=_escaped(name))}", ""]
    for part in parts:
        lines += _section(part)
    return "\n".join(lines)


def _section(part: Section) -> Iterator[str]:
    yield f"## {_escaped(part.title)}"
    yield ""
    for text in part.texts:
        yield _escaped(text)
        yield ""
    if part.chart:
        yield from (f"- {_escaped(name)}: {count}" for name, count, _ in part.chart)
        yield ""
    if part.rows:
        yield f"| {' | '.join(part.columns)} |"
        yield f"|{' --- |' * len(part.columns)}"
        yield from (f"| {' | '.join(map(_escaped, row))} |" for row in part.rows)
        yield ""


def _escaped(text: str) -> str:
    for sign in "\\`*_{}[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
