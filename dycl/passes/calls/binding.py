"""The arguments of a call as values, in the order of the function's parameters.

Before                                           After
------                                           -----
%double = dycl.constant #dycl.function<@double>  %b = dycl.binary add %x, %x
%y = dycl.call %double(%x)                       dycl.return %b
dycl.return %y
func.func @double(%a: T) -> T
  attributes {dycl.params = ["a"]} {
  %b = dycl.binary add %a, %a
  dycl.return %b
}
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.ir import DictOp, TupleOp
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.signature import Default, Keywords, Rest, Signature, bind
from dycl.ir.values import LeafRef, from_attr
from dycl.passes.calls.callees import Target


def bind_values(op: Operation, target: Target) -> Sequence[SSAValue]:
    """Arguments in the order of the function's parameters. Raises TypeError."""
    signature = Signature.of(target.function.attributes, ())
    bound = bind(target.symbol, signature, target.positional, target.keywords)
    values_bound: list[SSAValue] = []
    for argument in bound:
        match argument:
            case Default(name):
                known = from_attr(signature.defaults[name])
                is_given = isinstance(known, LeafRef)
                values_bound.append(
                    values_bound[known.index]
                    if is_given
                    else insert_constant(op, known)
                )
            case Rest(items):
                values_bound.append(insert_value(op, TupleOp(items)))
            case Keywords(entries):
                flat = [
                    x for k, v in entries.items() for x in (insert_constant(op, k), v)
                ]
                values_bound.append(insert_value(op, DictOp(flat)))
            case _:
                values_bound.append(argument)
    return values_bound
