"""The range of a size of an input, which its name says, and what follows from it.

    d0r1_512    1 to 512          (n - 1)     0 to 511
    d3r0_       0 and more        n <= 512    always

The range is part of the name: what torch says of an op is remembered by the texts of
its sizes, and holds for sizes of these ranges.
"""

import ast
import re
from collections.abc import Mapping, Sequence

from dycl.analysis.dynamic_sizes.size_texts import evaluate, is_true, words

Range = tuple[int, int | None]
"""The smallest size and the largest; None: there is none."""

_RANGED = re.compile(r"d_?\d+r(\d+)_(\d*)")
SUFFIX = r"(?:r\d+_\d*)?"
"""What a name may end in, as a regular expression."""


def ranged_name(number: int, low: int, high: int | None) -> str:
    """The name of a size of an input."""
    return f"d{number}r{low}_{'' if high is None else high}"


def suffix_of(name: str) -> str:
    """The part of a name that says its range; empty if it says none."""
    return name[name.index("r") :] if is_ranged(name) else ""


def is_ranged(name: str) -> bool:
    """Whether a name is that of a size of an input."""
    return _RANGED.fullmatch(name) is not None


def is_of_inputs(text: str) -> bool:
    """Whether an expression is made of sizes of inputs alone."""
    return all(map(is_ranged, words(text)))


def range_of(name: str) -> Range:
    """The range of a name; that of any size, where none is said."""
    if (found := _RANGED.fullmatch(name)) is None:
        return 0, None
    return int(found[1]), int(found[2]) if found[2] else None


def allows(name: str, size: int) -> bool:
    """Whether a name may be of this size."""
    low, high = range_of(name)
    return low <= size and (high is None or size <= high)


def all_allowed(sizes: Mapping[str, int]) -> bool:
    """Whether each name may be of the size that it has here."""
    return all(allows(name, size) for name, size in sizes.items())


def always(relation: str) -> bool:
    """Whether a relation holds for all sizes in range. False: or it is not clear."""
    names = list(dict.fromkeys(words(relation)))
    if not names or not all(map(is_ranged, names)):
        return False
    found = _truth(ast.parse(relation, mode="eval").body)
    if found is not None or len(names) > 1:
        return found is True
    low, high = range_of(names[0])
    if high is None or high - low > _MOST_TRIED:
        return False
    return all(is_true(relation, {names[0]: v}) for v in range(low, high + 1))


def may_divide_by_zero(relation: str, sizes: Mapping[str, int]) -> bool:
    """Whether a relation divides by zero where sizes are the smallest in range."""
    least = {name: range_of(name)[0] for name in words(relation)}
    tried = [{**sizes, **least}, *({**sizes, name: n} for name, n in least.items())]
    try:
        for one in tried:
            evaluate(relation, one)
    except ZeroDivisionError:
        return True
    return False


_MOST_TRIED = 4096


def bounds(text: str) -> tuple[int | None, int | None]:
    """The least and the largest value of an expression; None: it is not known."""
    return _bounds(ast.parse(text, mode="eval").body)


_Bounds = tuple[int | None, int | None]


def _bounds(node: ast.expr) -> _Bounds:
    match node:
        case ast.Constant(value=int(value)):
            return value, value
        case ast.Name(id=name) if name.startswith("d"):
            return range_of(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            low, high = _bounds(operand)
            return _negated(high), _negated(low)
        case ast.BinOp(left=left, op=op, right=right):
            return _of_binary(op, _bounds(left), _bounds(right))
        case ast.Call(func=ast.Name(id=which), args=arguments):
            lows, highs = zip(*map(_bounds, arguments), strict=True)
            if which == "Max":
                return _largest_known(lows), _largest(highs)
            return _smallest(lows), _smallest_known(highs)
        case _:
            return None, None


def _of_binary(op: ast.operator, one: _Bounds, other: _Bounds) -> _Bounds:
    (low, high), (least, most) = one, other
    match op:
        case ast.Add():
            return _sum(low, least), _sum(high, most)
        case ast.Sub():
            return _sum(low, _negated(most)), _sum(high, _negated(least))
        case ast.Mult():
            if low is None or least is None or low < 0 or least < 0:
                constant = least if least == most else None
                if constant is None:
                    return None, None
                ends = [None if v is None else v * constant for v in (low, high)]
                return (ends[0], ends[1]) if constant >= 0 else (ends[1], ends[0])
            return low * least, None if high is None or most is None else high * most
        case ast.FloorDiv() if least is not None and least == most and least > 0:
            divided = [None if v is None else v // least for v in (low, high)]
            return divided[0], divided[1]
        case ast.Mod() if least is not None and least == most and least > 0:
            return 0, least - 1
        case _:
            return None, None


def _truth(node: ast.expr) -> bool | None:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            low, high = _of_binary(ast.Sub(), _bounds(left), _bounds(right))
            return _compared(op, low, high)
        case ast.BoolOp(op=op, values=values):
            found = [_truth(value) for value in values]
            settles = isinstance(op, ast.Or)
            if settles in found:
                return settles
            return None if None in found else not settles
        case _:
            return None


def _compared(op: ast.cmpop, low: int | None, high: int | None) -> bool | None:
    """Whether a difference between these bounds compares so with zero."""
    match op:
        case ast.Lt() | ast.GtE():
            below = _below_zero(low, high)
            return below if isinstance(op, ast.Lt) or below is None else not below
        case ast.Gt() | ast.LtE():
            above = _below_zero(_negated(high), _negated(low))
            return above if isinstance(op, ast.Gt) or above is None else not above
        case _:
            apart = (low is not None and low > 0) or (high is not None and high < 0)
            equal = False if apart else (True if low == high == 0 else None)
            return equal if isinstance(op, ast.Eq) or equal is None else not equal


def _below_zero(low: int | None, high: int | None) -> bool | None:
    if high is not None and high < 0:
        return True
    return False if low is not None and low >= 0 else None


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _largest(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None


def _smallest(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return min(known) if len(known) == len(values) else None


def _largest_known(values: Sequence[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _smallest_known(values: Sequence[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)
