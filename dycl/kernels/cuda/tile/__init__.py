"""The tile level: kernels as Triton functions."""
