"""The view of single tensors: slices as heat maps, distributions, the worst elements, axes."""
