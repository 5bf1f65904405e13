"""Loss curves of several runs, aligned by step."""
