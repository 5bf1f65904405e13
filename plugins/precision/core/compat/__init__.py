"""The table of msprobe 26.2: its columns, texts, rounding, matching and verdicts."""
