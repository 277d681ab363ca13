"""Eager, of sizes that nobody has tried: it must not take the process with it."""

import torch
from torch.overrides import TorchFunctionMode

MOST_FUNCTIONS = 50_000
"""How many functions of torch eager may run before it is taken not to end, as a loop
that waits for a sum of no elements to grow."""
DIVISIONS = ("div", "divide", "floordiv", "floor_divide", "fmod", "mod", "remainder")


class Unasked(Exception):
    """What eager would give is not asked, and why."""


class Limited(TorchFunctionMode):
    """Raises Unasked where more functions are run in it than MOST_FUNCTIONS, or where
    a processor that is asked to divide so ends the process."""

    def __init__(self):
        super().__init__()
        self.run = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is not torch._C._set_grad_enabled:  # It ends `no_grad`, and must.
            self.run += 1
            if self.run > MOST_FUNCTIONS:
                raise Unasked("eager does not end with some size")
        if getattr(func, "__name__", "").strip("_") in DIVISIONS and has_no_quotient(
            *args[:2]
        ):
            raise Unasked("eager divides the smallest integer by -1")
        return func(*args, **(kwargs or {}))


def has_no_quotient(one=None, other=None):
    """Whether an element may be the smallest integer and divided by -1."""
    if not isinstance(one, torch.Tensor) or one.dtype not in (torch.int32, torch.int64):
        return False
    least = (one == torch.iinfo(one.dtype).min).any()
    return bool(least and (torch.as_tensor(other) == -1).any())
