"""Dumps of training runs: what was called, with which tensors; indexed, never loaded whole."""
