"""Traces of Ascend and GPU runs as an exact, lossless timeline."""
