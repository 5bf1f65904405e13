"""Migration of training projects from CUDA to Ascend NPUs."""
