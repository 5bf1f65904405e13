"""Which text a path to a trace means: a file, or a member of an archive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from studio.formats.archive import Refused, is_archive, read_archive
from studio.formats.byte_source import GZIP, GZIP_MAGIC, PLAIN, Text, open_text, text_of_file
from studio.formats.chrome_sniff import text_looks_like_trace
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS: Final = (".json", ".json.gz", ".trace", ".pt.trace")
_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class TraceText:
    """The text of a trace, and the members of its archive that were refused."""

    text: Text
    refused: tuple[Refused, ...] = ()


def find_text(path: Path) -> TraceText:
    """The text that a path means: `trace.json`, `profile.zip` or `profile.zip/rank0/trace.json`.

    Raises OSError, and StudioError when an archive holds no trace, or several and none is named.
    """
    archive = archive_of(path)
    if archive is None:
        return TraceText(text_of_file(path))
    found = read_archive(archive)
    refused = tuple(found.refused)
    if archive != path:
        wanted = path.relative_to(archive).as_posix()
        for text in found.texts:
            if text.member == wanted:
                return TraceText(_unpacked_once(text), refused)
        raise StudioError(
            tr(
                "{name} holds no member {member}{refused}.",
                name=archive.name,
                member=wanted,
                refused=_list(refused),
            ),
            path=path,
        )
    traces = [text for text in map(_unpacked_once, found.texts) if _is_trace(text)]
    if len(traces) == 1:
        return TraceText(traces[0], refused)
    if traces:
        names = ", ".join(text.member for text in traces[:_NAMES_SHOWN])
        raise StudioError(
            tr(
                "{path} holds {n} traces ({names} …); name one, as in {example}.",
                path=path,
                n=len(traces),
                names=names,
                example=f"{path.name}/{traces[0].member}",
            ),
            path=path,
        )
    raise StudioError(
        tr(
            "{name} holds no trace that can be read: expected a member trace_view.json, "
            "msprof_*.json or *.pt.trace.json{refused}.",
            name=path.name,
            refused=_list(refused),
        ),
        path=path,
    )


def archive_of(path: Path) -> Path | None:
    """The archive that a path means, or leads into; None for a plain file."""
    for place in (path, *path.parents):
        if place.is_file():
            return place if is_archive(place) else None
    return None


def _is_trace(text: Text) -> bool:
    name = PurePosixPath(text.member).name.casefold()
    return name.endswith(_ENDINGS) and text_looks_like_trace(text)


def _unpacked_once(text: Text) -> Text:
    """A member that is stored as it is may be a gzip."""
    if text.packing == PLAIN and text.length and text.length > 2:
        with open_text(text) as source:
            if source.read(2) == GZIP_MAGIC:
                return replace(text, packing=GZIP, length=None, size=text.length)
    return text


def _list(refused: tuple[Refused, ...]) -> str:
    if not refused:
        return ""
    shown = [f"{each.name} ({tr(each.reason)})" for each in refused[:_NAMES_SHOWN]]
    return tr(" (refused: {names})", names=", ".join(shown))
