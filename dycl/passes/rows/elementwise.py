"""torch's operations whose result has one element for each of their operands'."""

_ARITHMETIC = ("add", "sub", "mul", "div", "rsub", "remainder", "fmod", "floor_divide")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

ELEMENTWISE: tuple[str, ...] = (
    *(f"{name}.{kind}" for name in _ARITHMETIC for kind in ("Tensor", "Scalar")),
    *(f"{name}.{kind}" for name in _COMPARISONS for kind in ("Tensor", "Scalar")),
    *("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar"),
    *("maximum", "minimum", "atan2"),
    *("div.Tensor_mode", "div.Scalar_mode", "floor_divide", "lerp.Tensor"),
    *("relu", "relu6", "sigmoid", "tanh", "gelu", "silu", "mish", "elu", "celu"),
    *("selu", "leaky_relu", "hardtanh", "hardswish", "hardsigmoid", "softplus"),
    *("log_sigmoid", "softsign", "threshold"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt"),
    *("abs", "neg", "sign", "square", "reciprocal", "erf", "erfc"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh"),
    *("floor", "ceil", "round", "trunc", "frac"),
    *("isnan", "isinf", "isfinite", "nan_to_num"),
    *("clamp", "clamp.Tensor", "clamp_min", "clamp_max"),
    *("logical_not", "logical_and", "logical_or", "logical_xor"),
    *("bitwise_not", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor"),
    *("bitwise_and.Scalar", "bitwise_or.Scalar", "bitwise_xor.Scalar"),
    *("bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor"),
    *("where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf"),
    *("masked_fill.Scalar", "fill.Scalar"),
    *("to.dtype", "clone", "contiguous", "detach"),
    *("zeros_like", "ones_like", "full_like"),
)
"""Their names without `torch.aten.`; an operand that is no tensor is the same for all
rows."""

_OF_COMMON = ("add", "sub", "mul", "div", "remainder", "fmod", "floor_divide", "pow")
PROMOTING = frozenset(
    (
        *(f"torch.aten.{name}.Tensor" for name in _OF_COMMON),
        *(f"torch.aten.bitwise_{name}.Tensor" for name in ("and", "or", "xor")),
        *("torch.aten.div.Tensor_mode", "torch.aten.floor_divide"),
        *("torch.aten.pow.Tensor_Tensor", "torch.aten.where.self"),
        *("torch.aten.maximum", "torch.aten.minimum"),
    )
)
"""Those that take each operand in the dtype of the result."""
