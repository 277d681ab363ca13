"""Numbers that sizes decide: `dycl.dim`, and what is computed of it and constants."""

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import dialect as d
from dycl.ir.host.types import NUMBERS

_OPERATORS = frozenset(
    {
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor"),
        *("lt", "le", "gt", "ge", "eq", "ne", "not", "neg", "pos"),
    }
)
_FUNCTIONS = frozenset(
    {
        *("builtins.int", "builtins.float", "builtins.abs", "builtins.round"),
        *("math.ceil", "math.floor", "math.trunc"),
    }
)


def step_of(op: Operation) -> str | None:
    """What computes a number of numbers ahead of a run, by the name that
    `dycl.runtime.cuda.known` has for it; None: nothing there does."""
    name: str | None = None
    match op:
        case d.BinaryOp() | d.UnaryOp() | d.CompareOp():
            name = op.kind_name if op.kind_name in _OPERATORS else None
        case d.SelectOp():
            name = "select"
        case d.ToBoolOp():
            name = "bool"
        case d.BuiltinOp() if len(op.operands) == 1:
            function = op.function.data
            name = function if function in _FUNCTIONS else None
        case _:
            pass
    kinds = [*op.operand_types, *op.result_types]
    return name if all(kind in NUMBERS for kind in kinds) else None


def sizes_in(value: SSAValue) -> list[d.DimOp]:
    """The sizes that a number is computed of, with constants alone; []: it is of other
    numbers as well, or of no size."""
    found: dict[d.DimOp, None] = {}
    left, seen = [value], set[SSAValue]()
    while left:
        one = left.pop()
        owner = one.owner
        if isinstance(owner, d.DimOp):
            found[owner] = None
        elif isinstance(owner, Block):
            return []
        elif one not in seen and not isinstance(owner, d.ConstantOp):
            seen.add(one)
            if step_of(owner) is None:
                return []
            left += owner.operands
    return list(found)
