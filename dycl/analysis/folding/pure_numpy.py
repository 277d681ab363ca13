"""Calls of NumPy that may be evaluated when a network is compiled.

Their operands are known. What they give is a constant: a function that writes to an
array, draws numbers or reads files is none of these.
"""

from collections.abc import Sequence

from dycl.ir import CallOp, InvokeOp
from dycl.ir.arrays import MAX_ELEMENTS, ArrayConstant

_MAKING = frozenset(
    (
        *("arange", "array", "asarray", "ascontiguousarray", "eye", "full", "identity"),
        *("indices", "linspace", "logspace", "ones", "tri", "zeros"),
    )
)
"""Functions that make as many elements as numbers say."""
_NUMBERS = frozenset(
    (
        *("bool_", "float16", "float32", "float64", "int16", "int32", "int64", "int8"),
        *("uint8",),
    )
)
_COMPUTING = frozenset(
    (
        *("abs", "absolute", "add", "all", "any", "arccos", "arcsin", "arctan"),
        *(
            "arctan2",
            "argmax",
            "argmin",
            "argsort",
            "argwhere",
            "around",
            "broadcast_to",
        ),
        *("cbrt", "ceil", "clip", "column_stack", "concatenate", "cos", "cosh"),
        *("cumprod", "cumsum", "deg2rad", "degrees", "diag", "diff", "divide", "dot"),
        *("dstack", "equal", "exp", "exp2", "expand_dims", "expm1", "fabs", "flip"),
        *("floor", "floor_divide", "fmax", "fmin", "full_like", "gcd", "greater"),
        *("hstack", "hypot", "inner", "isclose", "isfinite", "isin", "isinf", "isnan"),
        *("kron", "lcm", "less", "log", "log10", "log1p", "log2", "logical_and"),
        *("logical_not", "logical_or", "matmul", "max", "maximum", "mean", "median"),
        *("meshgrid", "min", "minimum", "mod", "moveaxis", "multiply", "ndim"),
        *("negative", "nonzero", "ones_like", "outer", "power", "prod", "rad2deg"),
        *("radians", "ravel", "reciprocal", "remainder", "repeat", "reshape", "rint"),
        *("roll", "round", "searchsorted", "setdiff1d", "shape", "sign", "sin"),
        *("sinh", "size", "sort", "split", "sqrt", "square", "squeeze", "stack", "std"),
        *("subtract", "sum", "swapaxes", "take", "tan", "tanh", "tile", "transpose"),
        *("tril", "triu", "true_divide", "trunc", "unique", "var", "vstack", "where"),
        *("zeros_like", "amax", "amin"),
    )
)
_METHODS = frozenset(
    (
        *("all", "any", "argmax", "argmin", "argsort", "astype", "clip", "copy"),
        *("cumprod", "cumsum", "diagonal", "dot", "flatten", "item", "max", "mean"),
        *("min", "nonzero", "prod", "ravel", "repeat", "reshape", "round", "squeeze"),
        *("std", "sum", "swapaxes", "take", "tolist", "trace", "transpose", "var"),
        *("is_integer",),
    )
)


def is_pure_numpy(op: CallOp, name: str, operands: Sequence[object]) -> bool:
    """Whether a call of a function of NumPy's may be evaluated now."""
    if "out" in op.keyword_names:
        return False
    if name in _NUMBERS or name in _COMPUTING:
        return True
    return name in _MAKING and _made(operands) <= MAX_ELEMENTS


def is_pure_numpy_method(op: InvokeOp) -> bool:
    """Whether a call of a method of an array or number may be evaluated now."""
    return op.method.data in _METHODS and "out" not in op.keyword_names


def _made(operands: Sequence[object]) -> float:
    """An upper bound of the elements that numbers ask for."""
    result = 1.0
    for operand in operands:
        if isinstance(operand, (tuple, list)):
            result *= _made([*operand])
        elif isinstance(operand, ArrayConstant):
            result *= max(operand.size, *map(abs, operand.data), 1)
        elif isinstance(operand, (int, float)):
            result *= max(abs(operand), 1)
    return result
