"""The comparison of two runs as a view."""
