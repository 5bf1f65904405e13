"""The trace store: exact columnar slices, readers, lanes, queries."""

from studio.trace.reader import load
from studio.trace.store import Counter, Flows, Instants, Lane, Trace

__all__ = ["Counter", "Flows", "Instants", "Lane", "Trace", "load"]
