"""From tensors to memory that the caller owns: results, workspaces, dynamic sizes.

`memory.py` answers who touches which memory in the code of a kernel.
"""
