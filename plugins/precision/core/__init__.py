"""What the precision plugin computes; no Qt."""
