"""Calls of partial functions: `functools.partial(f, a)(b)` calls `f`.

Before                           After
------                           -----
%g = dycl.call %partial(%f, %a)  %y = dycl.call %f(%a, %b)
%y = dycl.call %g(%b)            dycl.return %y
dycl.return %y
"""

from xdsl.ir import Operation

from dycl.ir import CallOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.rewriting import insert_constant
from dycl.ir.values import Partial


def known_partial(op: CallOp) -> Operation | None:
    """A partial function that an attribute of the model holds."""
    bound = constant_value(op.callee)
    if not isinstance(bound, Partial) or op.is_starred:
        return None
    keywords = {k: insert_constant(op, v) for k, v in bound.kwargs.items()}
    keywords = {**keywords, **op.keyword_arguments}
    first = [insert_constant(op, v) for v in bound.args]
    arguments = [*first, *op.positional, *keywords.values()]
    return CallOp(insert_constant(op, bound.callee), arguments, list(keywords))


def partial(op: CallOp) -> Operation | None:
    """A call of `functools.partial(f, a, k=b)` calls `f` with these first."""
    owner = op.callee.owner
    if not isinstance(owner, CallOp) or owner.is_starred or op.is_starred:
        return None
    if constant_name(owner.callee) != "functools.partial" or not owner.positional:
        return None
    callee, *first = owner.positional
    keywords = {**owner.keyword_arguments, **op.keyword_arguments}
    arguments = [*first, *op.positional, *keywords.values()]
    return CallOp(callee, arguments, list(keywords))
