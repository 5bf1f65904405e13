import gzip
import json

import pytest

from studio.trace import load


@pytest.fixture
def make(tmp_path):
    """Write events as a trace and load it."""

    def write(*events, packed=False, **arguments):
        path = tmp_path / ("trace.json.gz" if packed else "trace.json")
        data = json.dumps(events).encode()
        path.write_bytes(gzip.compress(data) if packed else data)
        return load(path, **arguments)

    return write


@pytest.fixture
def event():
    """Make an event with the fields that all have."""

    def build(ph, name="a", ts=0, *, pid=1, tid=1, **more):
        return {"ph": ph, "name": name, "pid": pid, "tid": tid, "ts": ts, **more}

    return build
