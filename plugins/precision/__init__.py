"""Compares the tensors of two runs."""
