"""Functions that others call, which stand at the head of a module."""

from dycl.kernels.cuda.tile.selection import SELECTION

_MAXIMUM = "tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)"

HELPERS = {
    "add": "def add(a, b):\n    return a + b",
    "multiply": "def multiply(a, b):\n    return a * b",
    "maximum": f"def maximum(a, b):\n    return {_MAXIMUM}",
    "minimum": f"def minimum(a, b):\n    return {_MAXIMUM.replace('max', 'min')}",
    "both": "def both(a, b):\n    return a & b",
    "either": "def either(a, b):\n    return a | b",
}
for _name, _sign in (("first_greatest", ">"), ("first_least", "<")):
    HELPERS[_name] = f"""def {_name}(a, i, b, j):
    a_nan = a != a
    b_nan = b != b
    tie = (a == b) | (a_nan & b_nan)
    left = (a_nan & ~b_nan) | (~b_nan & (a {_sign} b)) | (tie & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)"""
HELPERS.update(SELECTION)
"""Functions of the head of a module, by name."""
