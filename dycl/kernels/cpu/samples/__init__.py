"""A batch whose size a run decides: kernels of one sample, in a loop over all.

A *sample* is what a tensor has at one place of its first dimension. Where weights are
large, a second kernel takes a *group* of samples at once.
"""
