"""What the view of single tensors computes: slices as pictures, figures of all elements; no Qt."""
