"""A window of a real trace, written and read again: the same slices, arrows and args."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.timeline.core.convert import convert
from plugins.timeline.core.query import query
from studio.formats.event_file import EventFile
from studio.kernel.render import plain
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

    from studio.trace import Trace

_TEXT = "data/profiling/msinsight/test/data/pytorch/text/{}/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT"
SAMPLES = {
    "level1": f"{_TEXT.format('level1')}/trace_view.json",
    "level2": f"{_TEXT.format('level2')}/trace_view.json",
    "kineto": "data/profiling/att_tb_plugin_samples/plugins/tensorboard-plugins/tb_plugin/samples/"
    "resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
}


def told(trace: Trace, chosen: list[int]) -> list[tuple[Any, ...]]:
    """Place, times, name and category of slices, without any number of the reader's own."""
    kinds = [*trace.categories, ""]
    return [
        (
            trace.lanes[int(trace.lane[index])].process,
            trace.lanes[int(trace.lane[index])].title,
            int(trace.start[index]),
            int(trace.duration[index]),
            trace.names[int(trace.name[index])],
            kinds[int(trace.category[index])],
        )
        for index in chosen
    ]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_window_of_a_real_trace_reads_back_the_same(
    shared: Path, tmp_path: Path, sample: str
) -> None:
    path, out = shared / SAMPLES[sample], tmp_path / "part.json"
    whole = load(path)
    low = int(np.quantile(whole.start, 0.4))
    high = int(np.quantile(whole.start, 0.5))
    done = convert(path, out, str(low), str(high))
    part = load(out)

    # touched by the window, worked out without the queries of the trace
    inside = (whole.start < high) & (whole.start + whole.duration > low)
    inside |= (whole.duration == 0) & (whole.start >= low) & (whole.start < high)
    chosen = np.flatnonzero(inside & ~whole.open_ended).tolist()
    assert len(chosen) > 300
    wanted, found = told(whole, chosen), told(part, list(range(len(part))))
    assert done.slices == len(part) == len(wanted)
    assert sorted(found) == sorted(wanted)

    listed = plain(query(path, "", str(low), str(high)))["rows"]
    key = ("start_ns", "duration_ns", "name")
    assert sorted(tuple(row[name] for name in key) for row in listed) == sorted(
        (start, duration, name) for _, _, start, duration, name, _ in wanted
    )

    ends = (whole.flows.source_slice, whole.flows.target_slice)
    both = np.flatnonzero(inside[ends[0]] & inside[ends[1]] & (ends[0] >= 0) & (ends[1] >= 0))
    arrows = zip(whole.flows.source_time[both], whole.flows.target_time[both], strict=True)
    again = zip(part.flows.source_time, part.flows.target_time, strict=True)
    assert sorted(again) == sorted(arrows)

    place = {text: number for number, text in zip(chosen, wanted, strict=True)}
    counts = Counter(found)
    once = [number for number, text in enumerate(found) if counts[text] == 1][:150]
    assert len(once) == 150
    once.sort(key=lambda number: int(whole.source[place[found[number]]]))
    for number in once:
        written = part.file.read(int(part.source[number])).get("args", {})
        recorded = whole.file.read(int(whole.source[place[found[number]]])).get("args", {})
        assert json.dumps(written) == json.dumps(recorded), found[number]


def test_a_packed_trace_is_unpacked_once_when_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, unpacked = tmp_path / "trace_view.json.gz", []
    events = [
        {"ph": "X", "pid": 1, "tid": 1, "name": f"op {number}", "ts": 3 * number, "dur": 2}
        | {"args": {"number": number}}
        for number in range(3000)
    ]
    path.write_bytes(gzip.compress(json.dumps(events).encode()))
    unpack = EventFile._unpacked
    monkeypatch.setattr(
        EventFile, "_unpacked", lambda *given: unpacked.append(given[2]) or unpack(*given)
    )
    convert(path, tmp_path / "part.json")
    assert len(unpacked) == 1
    written = json.loads((tmp_path / "part.json").read_text())["traceEvents"]
    found = {event["name"]: event["args"] for event in written if event["ph"] == "X"}
    assert found == {f"op {number}": {"number": number} for number in range(3000)}
