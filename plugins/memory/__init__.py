"""Device memory over time, and its peaks."""
