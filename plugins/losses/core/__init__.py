"""What the losses plugin computes; no Qt."""
