"""What `inspect.signature` says of a function: the names of its parameters.

Before                             After
------                             -----
%s = dycl.call %signature(%deep)   %p = dycl.constant #dycl.tuple<["a"]>
%p = dycl.getattr %s "parameters"  dycl.return %p
dycl.return %p
func.func @deep(%a) {
  dycl.return %a
}

A tuple of the names is as long as the mapping, gives the same when it is gone over, and
has the same in it. What else a parameter says, such as its default, is refused.
"""

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation

from dycl.ir import CallOp, GetattrOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.rewriting import insert_constant
from dycl.ir.signature import WRAPPED, Signature
from dycl.ir.values import FunctionRef, MethodRef
from dycl.passes.calls.operators import Function


def parameters_of(op: GetattrOp, functions: Function) -> Operation | None:
    """The names, where `parameters` is read of a known function's signature."""
    call = op.operand.owner
    if op.attribute.data != "parameters" or not isinstance(call, CallOp):
        return None
    if constant_name(call.callee) != "inspect.signature" or len(call.operands) != 2:
        return None
    known = constant_value(call.operands[1])
    if not isinstance(known, (FunctionRef, MethodRef)):
        return None
    function = functions(known.symbol)
    if function is None:
        return None
    names = _names(function)
    if names is None:
        return None
    bound = isinstance(known, MethodRef)
    constant = insert_constant(op, tuple(names[bound:])).owner
    assert isinstance(constant, Operation)
    return constant


def _names(function: Operation) -> list[str] | None:
    """The parameters in Python's order; None: there are others in front of them."""
    wrapped = function.attributes.get(WRAPPED)
    if isinstance(wrapped, ArrayAttr):
        return [name.data for name in wrapped if isinstance(name, StringAttr)]
    signature = Signature.of(function.attributes, ())
    if signature.positional_only:
        return None  # the names around an inner function, perhaps
    own = (
        *signature.positional,
        signature.vararg,
        *signature.keyword_only,
        signature.kwarg,
    )
    return [name for name in own if name]
