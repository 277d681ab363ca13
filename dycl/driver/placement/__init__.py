"""`backend="auto"`: each kernel goes to whoever computes it fastest on this machine.

timing.py     what a launch of a compiled kernel takes
on_gpu.py     the same on a GPU, by its own clock, and what copies take
candidates.py the backends that are asked, and their code for each kernel
measured.py   times of all kernels by all backends, kept on disk
placing.py    the program, divided by these times; and the account of it

The choice itself is a pass, `dycl-place-kernels`.
"""

from dycl.driver.placement.placing import count_copies, place

__all__ = ["count_copies", "place"]
