"""Expressions of known numbers, computed as the program would."""

from collections.abc import Callable, Mapping
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_, sub, xor

from dycl.cc.syntax import Binary, Constant, Expression, Unary
from dycl.cc.types import INT, Number, common, promoted


def wrapped(value: float, kind: Number) -> float:
    """A number as one of another kind; what does not fit loses its upper bits."""
    if kind.truth:
        return int(value != 0)
    if kind.real:
        return float(value)
    bits = 8 * kind.size
    low = int(value) & ((1 << bits) - 1)
    return low - (1 << bits) if kind.signed and low >> (bits - 1) else low


def unary(sign: str, operand: Expression) -> Expression:
    """`- ~ !` of an expression; a constant, if that is one."""
    if not isinstance(operand, Constant) or sign in "*&":
        return Unary(sign, operand)
    if sign == "!":
        return Constant(int(not operand.value), INT)
    kind = promoted(operand.kind)
    value = -operand.value if sign == "-" else ~int(operand.value)
    return Constant(wrapped(value, kind), kind)


def binary(sign: str, left: Expression, right: Expression) -> Expression:
    """An operator between two expressions; a constant, if both are."""
    if not isinstance(left, Constant) or not isinstance(right, Constant):
        return Binary(sign, left, right)
    a, b = left.value, right.value
    if sign in _COMPARED:
        return Constant(int(_COMPARED[sign](a, b)), INT)
    if sign in ("<<", ">>"):
        kind = promoted(left.kind)
        value = int(a) << int(b) if sign == "<<" else int(a) >> int(b)
        return Constant(wrapped(value, kind), kind)
    kind = common(left.kind, right.kind)
    if sign in _COMPUTED:
        return Constant(wrapped(_COMPUTED[sign](a, b), kind), kind)
    if sign not in ("/", "%") or b == 0:
        return Binary(sign, left, right)
    if kind.real:
        return Constant(float(a) / float(b), kind)
    quotient = abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
    rest = int(a) - quotient * int(b)
    return Constant(wrapped(quotient if sign == "/" else rest, kind), kind)


_Operator = Callable[[float, float], float]


def _whole(operator: Callable[[int, int], int]) -> _Operator:
    return lambda a, b: operator(int(a), int(b))


_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    **{"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge},
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}
_COMPUTED: Mapping[str, _Operator] = {
    **{"+": add, "-": sub, "*": mul},
    **{"&": _whole(and_), "|": _whole(or_), "^": _whole(xor)},
}
