"""Tables of millions of rows, part by part: values, missing cells, texts; in files when large."""

import numpy as np
import pytest

from studio.formats.ascend_csv import Part
from studio.formats.cells import BLANK, NOT_APPLICABLE, VALUE
from studio.perf import gather
from studio.perf.gather import Gather

ROWS = 100


def part_of(number, random):
    first = number * ROWS
    states = random.choice([VALUE, VALUE, BLANK, NOT_APPLICABLE], ROWS).astype(np.uint8)
    codes = random.integers(0, 5, ROWS).astype(np.int32)
    plain = np.zeros(ROWS, np.uint8)
    values = {
        "row": np.arange(first, first + ROWS),
        "start_ns": np.arange(first, first + ROWS) * 10**12,
        "task": np.where(states == VALUE, first + 7, 0),
        "name": np.where(codes == 4, -1, codes * 2),
    }
    state = {"row": plain, "start_ns": plain, "task": states, "name": plain}
    return Part(first, ROWS, values, state)


@pytest.mark.parametrize("large", [10**9, 1])
def test_parts_become_the_same_table_in_memory_and_in_files(monkeypatch, large):
    monkeypatch.setattr(gather, "LARGE", large)
    random = np.random.default_rng(1)
    parts = [part_of(number, random) for number in range(90)]
    rows = Gather("kernels")
    for number, part in enumerate(parts):
        chosen = np.arange(ROWS) % 3 > 0 if number % 2 else None
        rows.add(part, chosen)
    made = rows.finish({"name": [f"text {number}" for number in range(9)]})
    kept = [np.arange(ROWS) % 3 > 0 if number % 2 else np.ones(ROWS, bool) for number in range(90)]
    together = {
        column: np.concatenate([p.values[column][k] for p, k in zip(parts, kept, strict=True)])
        for column in ("row", "start_ns", "task", "name")
    }
    states = np.concatenate([p.states["task"][k] for p, k in zip(parts, kept, strict=True)])
    table = made.frame
    assert table["row"].tolist() == together["row"].tolist()
    assert table["start_ns"].tolist() == together["start_ns"].tolist()
    assert table["task"].isna().tolist() == (states != VALUE).tolist()
    assert table["task"].dropna().tolist() == together["task"][states == VALUE].tolist()
    assert made.not_applicable["task"].tolist() == (states == NOT_APPLICABLE).tolist()
    texts = [f"text {code}" if code >= 0 else None for code in together["name"].tolist()]
    assert table["name"].astype(object).where(table["name"].notna(), None).tolist() == texts
    assert table["name"].cat.categories.tolist() == ["text 0", "text 2", "text 4", "text 6"]
    assert table["stream"].isna().all()
