"""What a Python project says it needs: pyproject.toml, setup.cfg, Pipfile and lock files.

They are configurations, in which the names of packages matter as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.migration.core import configs
from plugins.migration.core.lines import TextFile
from plugins.migration.core.positions import positions_in
from plugins.migration.core.requirements import CUDA_PACKAGE, report, told_apart
from plugins.migration.core.tables import packages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.model import Analysis, ScanContext

_NAME = r"([A-Za-z0-9][\w.-]*)"
_QUOTED = re.compile(rf"[\"']{_NAME}(?:\[[^\]\"']*\])?[ \t]*(?:[<>=!~@;][^\"']*)?[\"']")
_KEY = re.compile(rf"[ \t]*[\"']?{_NAME}[\"']?[ \t]*[=:][ \t]*[\"'{{]")
_LISTED = re.compile(rf"[ \t]+{_NAME}(?:\[[^\]]*\])?[ \t]*(?:[<>=!~;@].*)?$")


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a manifest: settings as in any configuration, packages once each."""
    file = TextFile(text, strategy=context.strategy)
    seen: set[str] = set()
    for start, row in file.code():
        for match in _names(row):
            name = told_apart(match[1])
            span = (start + match.start(1), start + match.end(1))
            if name in seen:
                continue
            if CUDA_PACKAGE_NAME.fullmatch(name):
                file.hit(CUDA_PACKAGE, span, "manual", old=match[1])
            elif name in packages():
                report(file, span, name)
            else:
                continue
            seen.add(name)
    line = positions_in(text).place
    taken = {line(hit.start)[0] for hit in file.hits}
    settings = configs.analyse(text, context)
    file.hits += [
        hit
        for hit in settings.hits
        if hit.rule != configs.MENTION.id or line(hit.start)[0] not in taken
    ]
    return file.analysis()


def _names(row: str) -> Iterator[re.Match[str]]:
    yield from _QUOTED.finditer(row)
    for pattern in (_KEY, _LISTED):
        if match := pattern.match(row):
            yield match


CUDA_PACKAGE_NAME = re.compile(r"nvidia-.*-cu\d+|cudatoolkit|pytorch-cuda")
