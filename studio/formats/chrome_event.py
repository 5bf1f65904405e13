"""One event of a Chrome trace as it is decoded, and the texts of its times."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from studio.formats.json_repair import Number

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
NO_ARGS: Final = msgspec.Raw(b"{}")


class Event(msgspec.Struct, gc=False):
    """The fields of one event; times and args stay texts until they are needed."""

    ph: Any = None
    name: Any = ""
    cat: Any = ""
    pid: Any = 0
    tid: Any = 0
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    id: Any = None
    id2: Any = None
    args: msgspec.Raw = NO_ARGS
    s: Any = None

    @property
    def time_texts(self) -> set[bytes]:
        """The texts of the event's start and duration."""
        return {bytes(self.ts), bytes(self.dur)}


EVENT_LIST: Final = msgspec.json.Decoder(list[Event])
ONE_EVENT: Final = msgspec.json.Decoder(Event)


def event_of(fields: dict[str, object]) -> Event:
    """Make an event of a repaired object."""
    return Event(
        ph=plain_value(fields.get("ph")),
        name=plain_value(fields.get("name", "")),
        cat=plain_value(fields.get("cat", "")),
        pid=plain_value(fields.get("pid", 0)),
        tid=plain_value(fields.get("tid", 0)),
        ts=_raw(fields.get("ts")),
        dur=_raw(fields.get("dur")),
        id=plain_value(fields.get("id")),
        id2=plain_value(fields.get("id2")),
        args=msgspec.Raw(json.dumps(plain_value(fields.get("args", {}))).encode()),
        s=plain_value(fields.get("s")),
    )


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw() if value is None else msgspec.Raw(str(value).encode("utf-8", "replace"))


def plain_value(value: object) -> Any:  # noqa: ANN401 - JSON
    """Turn the number texts of a repaired value into numbers, lone surrogates into a mark."""
    if isinstance(value, Number):
        return plain_number(value)
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {plain_value(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    return value


def plain_number(text: Number) -> int | float | str:
    """The value of a number's text; NaN and infinities, which JSON has not, stay text."""
    try:
        return int(text)
    except ValueError:
        value = float(text)
        return value if value - value == 0 else str(text)
