"""Texts in archives (.zip, .tar, .tar.gz), found without unpacking anything to the disk.

Nothing is ever written: a member is read where it stands in the archive. All the same members are
refused whose names would leave a folder or mean another file on another system, as are links,
devices and what unpacks to absurd sizes.
"""

from __future__ import annotations

import stat
import struct
import tarfile
import zipfile
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

from isal import igzip

from studio.formats.byte_source import DEFLATE, GZIP, GZIP_MAGIC, PLAIN, Text, open_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REASONS: Final = (
    "absolute path",
    "backslash in the name",
    "colon in the name",
    "control character in the name",
    "differs from another only by case",
    "empty name",
    "encrypted",
    "in a folder that is a link",
    "leaves the folder",
    "link or device",
    "name ends with a dot or a space",
    "name that Windows keeps for itself",
    "packed in a way that cannot be read",
    "unpacks to an absurd size",
)
"""Why members are refused; each is a message id of the catalogue of translations."""

MOST_MEMBERS: Final = 200_000
ABSURD_RATIO: Final = 500
ABSURD_SIZE: Final = 200_000_000
"""A member that is larger than this and this many times larger than its packed form is a bomb."""

_TAR_MAGIC_AT: Final = 257
_TAR_MAGIC: Final = b"ustar"
_ZIP_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL_HEADER: Final = struct.Struct("<26xHH")
_ENCRYPTED: Final = 1
_DAMAGE: Final = (
    zipfile.BadZipFile, tarfile.TarError, EOFError, ValueError, struct.error, NotImplementedError,
)  # fmt: skip
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A member that is not read, and why: one of `REASONS`."""

    name: str
    reason: str


@dataclass(slots=True)
class Archive:
    """What an archive holds."""

    texts: list[Text] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def is_archive(path: Path) -> bool:
    """Whether the first bytes of a file are those of an archive."""
    with path.open("rb") as file:
        head = file.read(512)
    if head.startswith(_ZIP_MAGIC) or head[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        return True
    if not head.startswith(GZIP_MAGIC):
        return False
    with open_text(Text(path, GZIP)) as source:
        return source.read(512)[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC)


def read_archive(path: Path) -> Archive:
    """List the members of an archive; raises OSError when it is damaged beyond that."""
    found = Archive()
    names: set[str] = set()
    with path.open("rb") as file:
        try:
            members = _zip if file.read(4) in _ZIP_MAGIC else _tar
            file.seek(0)
            for text, reason in members(path, file):
                reason = reason or refusal(text.member)
                if not reason and text.member.casefold() in names:
                    reason = "differs from another only by case"
                if reason:
                    found.refused.append(Refused(text.member, reason))
                else:
                    names.add(text.member.casefold())
                    found.texts.append(text)
                if len(names) > MOST_MEMBERS:
                    break
        except _DAMAGE as error:
            if not found.texts:
                raise OSError(str(error)) from error
    return found


def refusal(name: str) -> str:
    """Why a name must not be trusted, "" if it may be."""
    parts = name.split("/")
    checks = (
        ("empty name", not name.strip("./ ")),
        ("control character in the name", any(sign < " " or sign == "\x7f" for sign in name)),
        ("backslash in the name", "\\" in name),
        ("colon in the name", ":" in name),
        ("absolute path", name.startswith("/")),
        ("leaves the folder", ".." in parts),
        (
            "name ends with a dot or a space",
            any(part.endswith((".", " ")) for part in parts if part != "."),
        ),
        (
            "name that Windows keeps for itself",
            any(part.split(".")[0].casefold() in _RESERVED for part in parts),
        ),
    )
    return next((reason for reason, refused in checks if refused), "")


def _zip(path: Path, file: IO[bytes]) -> Iterator[tuple[Text, str]]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir() and not refusal(member.orig_filename.rstrip("/")):
                continue
            file.seek(member.header_offset)
            header = file.read(30)
            begin = member.header_offset + 30 + sum(_LOCAL_HEADER.unpack(header))
            packing = {zipfile.ZIP_STORED: PLAIN, zipfile.ZIP_DEFLATED: DEFLATE}.get(
                member.compress_type
            )
            text = Text(
                path,
                packing or PLAIN,
                begin,
                length=member.file_size,
                size=member.compress_size,
                member=member.orig_filename,
            )
            kind = stat.S_IFMT(member.external_attr >> 16)
            reason = ""
            if kind not in (0, stat.S_IFREG):
                reason = "link or device"
            elif member.flag_bits & _ENCRYPTED:
                reason = "encrypted"
            elif packing is None:
                reason = "packed in a way that cannot be read"
            elif _is_absurd(member.file_size, member.compress_size):
                reason = "unpacks to an absurd size"
            yield text, reason


def _tar(path: Path, file: IO[bytes]) -> Iterator[tuple[Text, str]]:
    packed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    on_disk = path.stat().st_size
    unpack: Any = igzip.IGzipFile
    stream: IO[bytes] = unpack(fileobj=file, mode="rb") if packed else file
    links: set[str] = set()
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            if packed and _is_absurd(member.offset_data + member.size, on_disk):
                yield Text(path, member=member.name), "unpacks to an absurd size"
                return
            if member.isdir():
                continue
            place = (0, member.offset_data) if packed else (member.offset_data, 0)
            text = Text(
                path,
                GZIP if packed else PLAIN,
                *place,
                length=member.size,
                size=on_disk if packed else member.size,
                member=member.name,
            )
            parts = member.name.split("/")
            reason = ""
            if not member.isreg():
                links.add(member.name)
                reason = "link or device"
            elif any("/".join(parts[:count]) in links for count in range(1, len(parts))):
                reason = "in a folder that is a link"
            elif member.issparse():
                reason = "packed in a way that cannot be read"
            yield text, reason


def _is_absurd(unpacked: int, packed: int) -> bool:
    return unpacked > ABSURD_SIZE and unpacked > ABSURD_RATIO * max(packed, 1)
