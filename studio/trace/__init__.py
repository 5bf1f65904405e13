"""The trace store: exact columnar slices, readers, lanes, queries."""
