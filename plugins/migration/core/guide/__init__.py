"""Guided changes: from training on one card to training on several, one process for each."""
