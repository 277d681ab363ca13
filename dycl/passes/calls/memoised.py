"""Calls of functions that eager runs once for the same arguments, inlined at each call.

Before                                           After
------                                           -----
%f = dycl.constant #dycl.function<@f>            %y = dycl.unary neg %one
%y = dycl.call %f(%one)                          dycl.return %y
dycl.return %y
func.func @f(%a: !dycl.value) attributes
    {dycl.params = ["a"], dycl.memoised = []} {
  %b = dycl.unary neg %a
  dycl.return %b
}

What a function does by itself the frontend has looked at (`dycl.frontend.purity`). Of
the program it is asked here that nothing that the function reads is set by a run, and
that it is given numbers and what is known: a tensor is told from others by its
identity, not by its elements. Where the body stands is noted, for a write to what such
a function has given is seen by the next call (`dycl.analysis.memory.aliases`).
"""

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.analysis.memory.memoised import note_memoised
from dycl.ir import TupleOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.functions import MEMOISED
from dycl.ir.rewriting import refuse
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.passes.calls.callees import Target

_HELP = "compute it in `__init__`, or remove the decorator"


def is_memoised(target: Target) -> bool:
    """Whether a call is of such a function."""
    return MEMOISED in target.function.attributes


def is_inlined(target: Target, entry: FuncOp, environment: Environment) -> bool:
    """Whether the call may be inlined now; else it waits, or is refused (DY109)."""
    name = target.symbol.rpartition(".")[2]
    names = target.function.attributes[MEMOISED]
    texts = names.data if isinstance(names, ArrayAttr) else ()
    read = {n.data for n in texts if isinstance(n, StringAttr)}
    open_ = environment.changing | environment.properties | environment.methods
    if seen := sorted(read & open_):
        what = f"`{name}` keeps what it gives for the next call, and it reads"
        what += f" `{seen[0]}`, which may change"
        refuse(target.call, "DY109", what, _HELP)
        return False
    for value in (*target.positional, *target.keywords.values()):
        known = _is_known(value)
        if known is False:
            what = f"`{name}` keeps what it gives for each tensor that it is given"
            refuse(target.call, "DY109", what, "remove the decorator")
        if not known:
            return False
    note_memoised(entry, target.function)
    return True


def _is_known(value: SSAValue) -> bool | None:
    """Whether an argument is no tensor; None: it is not known yet."""
    if constant_value(value) is not MISSING or value.type in (BoolT, FloatT, IntT):
        return True
    if isinstance(value.owner, TupleOp):
        items = [_is_known(v) for v in value.owner.items]
        return False if False in items else None if None in items else True
    return False if isinstance(value.type, VTensorType) else None
