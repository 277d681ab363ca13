"""A batch, of dynamic size or too large for caches: kernels of one sample, in a loop.

A *sample* is what a tensor has at one place of its first dimension. Where weights are
large, a second kernel takes a *group* of samples at once.
"""
