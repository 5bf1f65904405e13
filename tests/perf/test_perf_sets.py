import numpy as np
import pytest

from studio.perf import sets
from studio.trace import intervals


@pytest.mark.parametrize("seed", range(20))
def test_part_by_part_is_the_same_as_at_once(seed):
    rng = np.random.default_rng(seed)
    first, second = (
        (start, start + rng.integers(0, 30, len(start)))
        for start in (rng.integers(0, 500, rng.integers(0, 30)) for _ in range(2))
    )
    for name in ("intersection", "difference"):
        expected = getattr(intervals, name)(first, second)
        for part in (1, 3, 1000):
            found = getattr(sets, name)(first, second, part)
            assert [side.tolist() for side in found] == [side.tolist() for side in expected]
            assert all(side.dtype == np.int64 for side in found)
