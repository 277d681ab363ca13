"""The methods behind the operators: `a + b` is `a.__add__(b)`, or `b.__radd__(a)`."""

UNARY = {"neg": "__neg__", "pos": "__pos__", "invert": "__invert__"}
COMPARED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
BUILTINS = {"abs": "__abs__", "float": "__float__", "int": "__int__"}
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_BINARY = frozenset((*_ARITHMETIC, "and", "or", "xor", "lshift", "rshift"))
OPERATORS = frozenset(
    (
        *(f"__{kind}{name}__" for name in _BINARY for kind in ("", "r", "i")),
        *(f"__{name}__" for name in COMPARED),
        *UNARY.values(),
        *BUILTINS.values(),
        *("__delitem__", "__index__", "__setitem__"),
    )
)
"""Methods that operators call; the dialect names an operator as Python its method."""
