"""Read and check one `plugin.toml`: every fault is named with file and key, all at once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.declarations import (
    SECTIONS,
    Command,
    Contents,
    ContextMenu,
    Opener,
    Panel,
    QuickOpen,
    Reveal,
    Scanner,
    Setting,
    StatusItem,
    TourStep,
)
from studio.kernel.errors import StudioError
from studio.kernel.manifest_checks import check_whole
from studio.kernel.schema import Fault, Faults, describe, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

FILE_NAME = "plugin.toml"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one plugin says about itself."""

    id: str
    path: Path
    title: str
    description: str
    version: str
    api: int
    requires: tuple[str, ...] = ()
    activate: str = ""
    commands: tuple[Command, ...] = ()
    panels: tuple[Panel, ...] = ()
    openers: tuple[Opener, ...] = ()
    scanners: tuple[Scanner, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    quick_open: tuple[QuickOpen, ...] = ()
    context_menus: tuple[ContextMenu, ...] = ()
    status_items: tuple[StatusItem, ...] = ()
    settings: tuple[Setting, ...] = ()
    tour: tuple[TourStep, ...] = ()

    def references(self) -> Iterator[tuple[str, str]]:
        """Yield (where, "module:name") for every reference in the manifest."""
        if self.activate:
            yield "activate", self.activate
        for section in SECTIONS:
            for index, declaration in enumerate(getattr(self, section), 1):
                for name in ("run", "make", "sniff", "facts"):
                    reference = getattr(declaration, name, "")
                    if reference:
                        yield f"{section}[{index}].{name}", reference


class ManifestError(StudioError):
    """All faults of one manifest."""

    def __init__(self, path: Path, faults: Sequence[Fault]) -> None:
        lines = [f"{path.name}: {fault}" for fault in faults]
        super().__init__("\n".join(lines), path=path)
        self.faults = tuple(faults)


def read_manifest(path: Path, *, plugin: str = "") -> Manifest:
    """Read a manifest; raises ManifestError with every fault in it.

    `plugin` is the plugin's id, by default the name of the folder.
    """
    identifier = plugin or path.parent.name
    faults = Faults()
    data = _parse(path)
    head = {key: value for key, value in data.items() if key not in SECTIONS}
    contents = read_table(Contents, head, "", faults)
    sections = {
        name: _read_section(name, kind, data.get(name, []), faults)
        for name, kind in SECTIONS.items()
    }
    check_whole(identifier, head, sections, faults)
    if faults.found or contents is None:
        raise ManifestError(path, faults.found)
    values = {f.name: getattr(contents, f.name) for f in fields(contents) if f.name != "id"}
    return Manifest(id=identifier, path=path, **values, **_present(sections))


def _parse(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ManifestError(
            path, [Fault("", tr("not valid TOML: {error}", error=error))]
        ) from error
    except UnicodeDecodeError as error:
        raise ManifestError(path, [Fault("", tr("is not UTF-8 text"))]) from error
    except OSError as error:
        reason = tr("cannot be read: {error}", error=error.strerror)
        raise ManifestError(path, [Fault("", reason)]) from error


def _read_section(name: str, kind: type, data: object, faults: Faults) -> list[object]:
    if not isinstance(data, list):
        message = tr("expected [[{name}]], found {value}", name=name, value=describe(data))
        faults.add(name, message)
        return []
    return [read_table(kind, entry, f"{name}[{i}]", faults) for i, entry in enumerate(data, 1)]


def _present(sections: Mapping[str, list[object]]) -> dict[str, Any]:
    return {name: tuple(e for e in found if e is not None) for name, found in sections.items()}
