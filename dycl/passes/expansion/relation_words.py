"""A relation between sizes of inputs, as a sentence with the user's names of them.

d0r1_512 == 16            `n` must be 16
(d0r1_ % 4) == 0          `n` must be a multiple of 4
d0r1_ == d1r1_            `n` must be `m`
d0r1_ == Min(d0r1_, 64)   `n` must be at most 64
"""

import ast
from collections.abc import Mapping

from dycl.analysis.dynamic_sizes.neutral_names import in_text

_MUST: dict[type[ast.cmpop], str] = {
    ast.Eq: "must be",
    ast.NotEq: "must not be",
    ast.Lt: "must be less than",
    ast.LtE: "must be at most",
    ast.Gt: "must be greater than",
    ast.GtE: "must be at least",
}


def in_words(relation: str, names: Mapping[str, str]) -> str:
    """What must hold. `names`: what the user calls each name in it."""
    node = ast.parse(relation, mode="eval").body
    match node:
        case ast.Compare(
            left=ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant(value=divisor)),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            return f"{_shown(left, names)} must be a multiple of {divisor}"
        case ast.Compare(left=left, ops=[kind], comparators=[right]):
            if isinstance(left, ast.Constant):
                left, kind, right = right, _turned(kind), left
            if isinstance(kind, ast.Eq):
                left, kind, right = _of_bound(left, right)
            must = _MUST[type(kind)]
            return f"{_shown(left, names)} {must} {_shown(right, names)}"
        case _:
            return f"{_shown(node, names)} must hold"


def _of_bound(left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.cmpop, ast.expr]:
    """`n` is the lesser of `n` and 64 where it is at most 64."""
    for one, other in (left, right), (right, left):
        match other:
            case ast.Call(func=ast.Name(id="Min" | "Max" as name), args=[a, b]):
                kind = ast.LtE() if name == "Min" else ast.GtE()
                same = ast.dump(one)
                if ast.dump(a) == same:
                    return one, kind, b
                if ast.dump(b) == same:
                    return one, kind, a
            case _:
                pass
    return left, ast.Eq(), right


def _turned(kind: ast.cmpop) -> ast.cmpop:
    """The same relation with its sides exchanged."""
    return _TURNED.get(type(kind), type(kind))()


_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def _shown(node: ast.expr, names: Mapping[str, str]) -> str:
    text = in_text(ast.unparse(node), names)
    return text if isinstance(node, ast.Constant) else f"`{text}`"
