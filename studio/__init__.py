"""Ascent Studio: a workbench that moves model training to Ascend NPUs and makes it exact and fast."""

__version__ = "0.1.0"
