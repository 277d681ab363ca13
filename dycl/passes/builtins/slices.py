"""Slices, and parts of lists whose length the data decides: `for x in l[1:]`.

Before                                   After
------                                   -----
%i = dycl.slice(%one, %none, %none)      %i = dycl.slice(%one, %none, %none)
%l = dycl.subscript %rows[%i]            %most = dycl.constant 9223372036854775807 : i64
%n = dycl.call %len(%l)                  %l = dycl.take %rows, %one, %most
dycl.return %n                           %n = dycl.call %len(%l)
                                         dycl.return %n
"""

from xdsl.ir import Use

from dycl.analysis.folding.iterators import ITERATORS, is_read_at_once
from dycl.ir import CallOp, ForOp, SequenceType, SliceOp, SubscriptOp, UnpackOp
from dycl.ir.constant_values import constant_name
from dycl.passes.builtins.items import Site
from dycl.passes.lists.writes import copied, make_copy


def part(site: Site, op: SubscriptOp) -> bool:
    """`l[a:b]` that is only read where it stands: no other list; else False."""
    is_list = isinstance(op.operand.type, SequenceType)
    if not is_list or copied(op) is None or not all(map(_is_read, op.result.uses)):
        return False
    make_copy(op, site)
    return True


def spelled_out(site: Site, op: CallOp) -> bool:
    """`slice(stop)`, `slice(start, stop, step)`: as `start:stop:step` in brackets."""
    given = list(op.positional)
    if op.keyword_names or not 0 < len(given) < 4:
        return False
    nothing = site.constant(None)
    bounds = [nothing, *given] if len(given) == 1 else given
    bounds += [nothing] * (3 - len(bounds))
    return site.done(site.add(SliceOp(bounds)))


def _is_read(use: Use) -> bool:
    """Whether a use of a list reads its items, and gives the list no other name."""
    match use.operation:
        case ForOp() | SubscriptOp() | UnpackOp():
            return use.index == 0
        case CallOp() as op:
            name = constant_name(op.callee)
            return name == "builtins.len" or (
                name in ITERATORS and is_read_at_once(op, lambda _: False)
            )
        case _:
            return False
