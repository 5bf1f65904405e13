"""Tensors on disk and how far two of them lie apart; no Qt."""
