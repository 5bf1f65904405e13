"""Mapping files of users: which names of the candidate are which names of the base.

The YAML files of msprobe are understood as they are: data mapping (`-dm`), cell mapping (`-cm`),
API mapping (`-am`) and layer mapping (`-lm`). Which one a file is follows from its content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.tensors.dumps.names import parse_call, parse_value

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.dumps.model import Part

_LIMIT = 16 << 20
_VALUE = re.compile(r"\.(input|output|parameters|kwargs)(\.|$)|parameters_grad\.")
_TOP = "TopLayer"


@dataclass(frozen=True, slots=True)
class ApiRule:
    """An operator of the candidate and its counterpart, with the order of their values."""

    candidate: str
    base: str
    values: dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Mapping:
    """What a mapping file says; names of the candidate come first."""

    values: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    apis: tuple[ApiRule, ...] = ()
    layers: dict[str, dict[str, str]] = field(default_factory=dict)

    def value_names(self, base: Part, candidate: Part) -> dict[str, str]:
        """Map names of values of the candidate to those of the base, as far as the file says."""
        found = dict(self.values)
        calls = self.calls(base, candidate)
        for call in candidate.calls:
            other = calls.get(call.name)
            for value in call.values if other else ():
                found.setdefault(value.name, value.name.replace(call.name, other or "", 1))
        return found

    def calls(self, base: Part, candidate: Part) -> dict[str, str]:
        """Map names of calls of the candidate to those of the base, as far as the file says."""
        known = {call.name for call in base.calls}
        found = {}
        for name, other in self.values.items():
            one, two = parse_value(name), parse_value(other)
            if one and two:
                found[one[0]] = two[0]
        for call in candidate.calls:
            for other in self._renamed(call.name):
                if other != call.name and other in known:
                    found.setdefault(call.name, other)
        return found

    def _renamed(self, name: str) -> list[str]:
        named = parse_call(name)
        if named.module:
            path = self._cell(f"{named.module}.{named.api}")
            path = self._layer(path)
            return [f"Module.{path}.{named.phase}.{max(named.number, 0)}"]
        return [
            name.replace(rule.candidate, rule.base, 1)
            for rule in self.apis
            if named.api == rule.candidate
        ]

    def _cell(self, path: str) -> str:
        if path in self.cells:
            return self.cells[path]
        for one, two in self.cells.items():
            path = path.replace(one, two, 1)
        return path

    def _layer(self, path: str) -> str:
        names = {key: two for entries in self.layers.values() for key, two in entries.items()}
        return ".".join(names.get(step, step) for step in path.split(".")) if names else path


def read_mapping(path: Path) -> Mapping:
    """Read a mapping file; raises StudioError when it is none."""
    content = _yaml(path)
    if isinstance(content, list):
        rules = [_api(entry) for entry in content if isinstance(entry, dict)]
        if rules and all(rules):
            return Mapping(apis=tuple(rule for rule in rules if rule))
    elif isinstance(content, dict) and content:
        if _TOP in content or all(isinstance(value, dict) for value in content.values()):
            return Mapping(layers={str(key): _texts(value) for key, value in content.items()})
        names = _texts(content)
        if len(names) == len(content):
            if all(_VALUE.search(name) for name in names):
                return Mapping(values=names)
            return Mapping(cells=names)
    text = tr(
        "{file} is no mapping file: expected names of the candidate with those of the base, "
        "a list of operators, or layers",
        file=path.name,
    )
    raise StudioError(text, path=path)


def _yaml(path: Path) -> Any:  # noqa: ANN401 - YAML
    import yaml

    try:
        if path.stat().st_size > _LIMIT:
            raise StudioError(tr("{file} is too large to read", file=path.name), path=path)
        text = path.read_text(encoding="utf-8-sig")
        if re.search(r"^\s*(?:- |\w.*: )?[&*]\w", text, re.MULTILINE):
            # Anchors are how a small file becomes a huge one; mapping files have no use for them.
            raise StudioError(
                tr("{file} uses anchors, which mapping files may not", file=path.name)
            )
        return yaml.safe_load(text)
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise StudioError(text, path=path) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        place = getattr(error, "problem_mark", None)
        line = place.line + 1 if place else 0
        raise StudioError(
            tr("{file} is no valid YAML (line {line})", file=path.name, line=line), path=path
        ) from error


def _texts(content: Any) -> dict[str, str]:  # noqa: ANN401 - YAML
    if not isinstance(content, dict):
        return {}
    return {str(key): str(value) for key, value in content.items() if isinstance(value, (str, int))}


def _api(entry: dict[str, Any]) -> ApiRule | None:
    one, two = entry.get("ms_api"), entry.get("pt_api")
    if not isinstance(one, str) or not isinstance(two, str):
        return None
    values = {}
    for key in ("args", "output", "parameters", "parameters_grad"):
        left, right = entry.get(f"ms_{key}") or [], entry.get(f"pt_{key}") or []
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            values[key] = [(str(a), str(b)) for a, b in zip(left, right, strict=True)]
    return ApiRule(one, two, values)
