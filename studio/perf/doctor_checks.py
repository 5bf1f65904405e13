"""What the import doctor checks, one function per kind of trouble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats import ascend_layouts as layouts
from studio.formats.ascend_csv import open_table
from studio.formats.faults import FaultLog
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.perf.doctor_texts import how_to_record, losses
from studio.perf.profile import SNAPSHOT
from studio.perf.read_snapshot import RECORDED
from studio.perf.remark import ERROR, INFO, WARNING, Remark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

EARLIEST_NS: Final = 1_262_304_000_000_000_000
"""2010: device times before that are no times of day."""
_USUAL: Final = frozenset({"flow start without end", "flow end without start"})
"""Faults that whole traces of the profilers have."""
_FAR_NS: Final = 3_600_000_000_000
_PARSED_BY: Final = {
    "_ascend_pt": (
        "python3 -c \"from torch_npu.profiler.profiler import analyse; analyse('{path}')\""
    ),
    "_ascend_ms": (
        "python3 -c \"from mindspore.profiler.profiler import analyse; analyse('{path}')\""
    ),
}


def checks(
    profile: Profile, job: Progress | None = None, *, largest: int | None = None
) -> Iterator[Remark]:
    """Everything worth saying of a profile; tables in files over `largest` bytes are not read."""
    yield from _unparsed(profile)
    readable, troubles = _readable(profile, job, largest)
    yield from troubles
    yield from _missing(profile, readable, job)
    yield from _settings(profile)
    yield from _clock(profile)
    yield from _versions(profile)
    yield from _times(profile, readable, job)
    yield from _duplicates(profile, readable, job)
    yield from _mixed(profile, readable, job)
    yield from _faults(profile)


def _unparsed(profile: Profile) -> Iterator[Remark]:
    """Raw data that nobody has run the profiler's analysis on."""
    sources = profile.sources
    if not sources.raw or sources.files:
        return
    path = profile.path
    command = next(
        (text.format(path=path) for end, text in _PARSED_BY.items() if path.name.endswith(end)),
        f"msprof --export=on --output={path}",
    )
    yield Remark(
        "unparsed",
        ERROR,
        tr("This is raw data of the profiler that was not parsed yet."),
        cost=tr("Nothing can be shown."),
        advice=tr("Where CANN is installed, run: {command}", command=command),
        path=str(sources.raw[0]),
    )


def _readable(
    profile: Profile, job: Progress | None, largest: int | None
) -> tuple[set[str], list[Remark]]:
    """The tables that can be read, and those that cannot; large files are taken on trust."""
    readable: set[str] = set()
    troubles: list[Remark] = []
    seen: set[str] = set()
    for table in sorted(profile.offered):
        if largest is not None and _size(profile, table) > largest:
            continue
        try:
            profile.table(table, job)
            readable.add(table)
        except StudioError as error:
            if str(error) not in seen:
                seen.add(str(error))
                troubles.append(
                    Remark("unreadable", ERROR, str(error), path=str(error.path or profile.path))
                )
    return readable, troubles


def _size(profile: Profile, table: str) -> int:
    own = profile.sources.get(table)
    files = own or profile.sources.get("database") or profile.sources.get("trace")
    return sum(file.stat().st_size for file in files)


def _missing(profile: Profile, readable: set[str], job: Progress | None) -> Iterator[Remark]:
    if not profile.sources.files or profile.sources.files.keys() <= {"snapshot", "memscope"}:
        return
    advice = how_to_record(profile.info.form)
    for table, (text, cost) in losses(profile.info.form).items():
        if table == "counters":
            there = profile.has_counters or profile.info.hardware != "NPU"
        elif table == "launches":
            there = not profile.has("host_ops", job) if "host_ops" in readable else True
            there = there or _linked(profile, readable, job)
        else:
            there = table in profile.offered and (table not in readable or profile.has(table, job))
        if not there:
            yield Remark("missing", INFO, text, cost, advice.get(table, ""))


def _linked(profile: Profile, readable: set[str], job: Progress | None) -> bool:
    if "launches" not in readable or not profile.has("kernels", job):
        return True
    launches = profile.table("launches", job)
    return bool(launches["host_op"].notna().any() or launches["api"].notna().any())


def _settings(profile: Profile) -> Iterator[Remark]:
    """What the way of recording costs."""
    info = profile.info
    if info.level == "Level0":
        yield Remark(
            "setting",
            INFO,
            tr("Recorded at Level0."),
            cost=tr("Operators have no type, shapes or counters: group them by name."),
            advice=tr("Record with profiler_level Level1 or Level2."),
        )
    if info.settings.get("with_stack") is False:
        yield Remark(
            "setting",
            INFO,
            tr("Recorded without call stacks (with_stack=False)."),
            cost=tr("Operators and memory blocks lead to no source line."),
            advice=tr("Record with with_stack=True for one step."),
        )
    if info.settings.get("record_shapes") is False:
        yield Remark(
            "setting",
            INFO,
            tr("Recorded without shapes on the host (record_shapes=False)."),
            cost=tr("Operators of the framework cannot be told apart by shape."),
        )


def _clock(profile: Profile) -> Iterator[Remark]:
    if profile.info.form == SNAPSHOT and profile.info.settings.get("times") != RECORDED:
        yield Remark(
            "time",
            INFO,
            tr("The snapshot has no times: its events are numbered."),
            cost=tr("Memory cannot be laid beside the timeline."),
        )


def _versions(profile: Profile) -> Iterator[Remark]:
    """Columns that no known version has, and signs of old ones."""
    known = {name for spec in layouts.KERNELS.values() for name in spec.names}
    for path in profile.sources.get("kernels"):
        try:
            headings = open_table(path, layouts.KERNELS, FaultLog()).dialect.headings
        except StudioError:
            continue
        unknown = [
            heading.text
            for heading in headings
            if heading.name not in known and not layouts.is_counter(heading.name)
        ]
        if unknown:
            yield Remark(
                "version",
                INFO,
                tr(
                    "{name} has columns that this program does not know: {columns}.",
                    name=path.name,
                    columns=", ".join(unknown[:8]),
                ),
                cost=tr("They are not shown."),
                path=str(path),
            )
    for path in profile.sources.get("database"):
        wal = path.with_name(f"{path.name}-wal")
        if wal.exists() and wal.stat().st_size:
            yield Remark(
                "version",
                WARNING,
                tr("{name} was not closed: {wal} holds changes.", name=path.name, wal=wal.name),
                cost=tr("What is in there is not read."),
                advice=tr("Copy the profile again after the profiler has ended."),
                path=str(path),
            )


def _times(profile: Profile, readable: set[str], job: Progress | None) -> Iterator[Remark]:
    """Times that are no times of day, far from all others, or end before they begin."""
    for table in ("kernels", "communication"):
        rows = profile.table(table, job) if table in readable else None
        if rows is None or not len(rows):
            continue
        start = rows["start_ns"].to_numpy(np.int64)
        far = int((np.abs(start - np.median(start)) > _FAR_NS).sum())
        negative = int((rows["duration_ns"].to_numpy(np.int64) < 0).sum())
        odd = int((start < EARLIEST_NS).sum()) if np.median(start) >= EARLIEST_NS else 0
        for count, text in (
            (
                odd,
                trn(
                    "{n} operator has no time of day (before 2010).",
                    "{n} operators have no time of day (before 2010).",
                    odd,
                ),
            ),
            (
                far - odd,
                trn(
                    "{n} operator begins more than an hour away from the rest.",
                    "{n} operators begin more than an hour away from the rest.",
                    far - odd,
                ),
            ),
            (
                negative,
                trn(
                    "{n} operator ends before it begins.",
                    "{n} operators end before they begin.",
                    negative,
                ),
            ),
        ):
            if count > 0:
                yield Remark("time", WARNING, text, path=_path(profile, "kernels"))
    recorded = profile.table("kernels", job) if "kernels" in readable else None
    if recorded is not None and len(recorded) and _is_relative(recorded):
        yield Remark(
            "time",
            INFO,
            tr("Times count from the start of the recording or of the machine, not from 1970."),
            cost=tr("Ranks cannot be aligned by their clocks."),
        )


def _is_relative(rows: pd.DataFrame) -> bool:
    return float(np.median(rows["start_ns"].to_numpy(np.int64))) < EARLIEST_NS


def _duplicates(profile: Profile, readable: set[str], job: Progress | None) -> Iterator[Remark]:
    sources = profile.sources
    if sources.older:
        yield Remark(
            "duplicate",
            WARNING,
            tr(
                "There are older exports of the same tables: {names}.",
                names=", ".join(file.name for file in sources.older[:5]),
            ),
            cost=tr("Only the newest export is read."),
            path=str(sources.older[0]),
        )
    for kind in ("database", "trace"):
        files = sources.get(kind)
        if len(files) > 1:
            yield Remark(
                "duplicate",
                WARNING,
                tr(
                    "There are {n} files of one kind ({names}); only {first} is read.",
                    n=len(files),
                    names=", ".join(file.name for file in files[:5]),
                    first=files[0].name,
                ),
                path=str(files[1]),
            )
    if "kernels" in readable:
        rows = profile.table("kernels", job)
        twice = int(rows.duplicated(["start_ns", "duration_ns", "name", "stream", "task"]).sum())
        if twice:
            yield Remark(
                "duplicate",
                WARNING,
                trn("{n} operator is listed twice.", "{n} operators are listed twice.", twice),
                cost=tr("Sums over operators count them twice; step times do not."),
                path=_path(profile, "kernels"),
            )


def _mixed(profile: Profile, readable: set[str], job: Progress | None) -> Iterator[Remark]:
    """Tables of one profile that do not belong together."""
    if not {"published_steps", "communication_times"} <= readable:
        return
    steps = set(profile.table("published_steps", job)["step"].dropna())
    sent = set(profile.table("communication_times", job)["step"].dropna())
    if steps and sent and not steps & sent:
        yield Remark(
            "mixed",
            WARNING,
            tr(
                "Step times and communication times speak of different steps ({a} and {b}).",
                a=_listed(steps),
                b=_listed(sent),
            ),
            cost=tr("Communication is shown without its steps."),
            path=_path(profile, "communication_times"),
        )


def _faults(profile: Profile) -> Iterator[Remark]:
    for table, faults in profile.faults().items():
        for fault in faults:
            place = "" if fault.first is None else _place(table, fault.first)
            yield Remark(
                "fault",
                INFO if fault.kind in _USUAL else WARNING,
                f"{_name(profile, table)}: {fault.count} × {tr(fault.kind)}{place}",
                path=_path(profile, table),
            )


def _place(table: str, first: int) -> str:
    if table == "trace":
        return tr(", first at byte {offset}", offset=f"{first:,}")
    return tr(", first in line {line}", line=f"{first:,}")


def _name(profile: Profile, table: str) -> str:
    file = profile.sources.first(table)
    return table if file is None else file.name


def _path(profile: Profile, table: str) -> str:
    file: Path | None = profile.sources.first(table) or profile.sources.first("database")
    return str(file or profile.path)


def _listed(steps: set[int]) -> str:
    return ", ".join(map(str, sorted(steps)[:5]))
