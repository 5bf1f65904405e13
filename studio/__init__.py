"""Ascent Studio: moves model training to Ascend NPUs and makes it exact and fast there."""

__version__ = "0.1.0"
