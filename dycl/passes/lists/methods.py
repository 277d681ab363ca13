"""Methods that change a list in a way that is written in Python.

Before                             After
------                             -----
%l = dycl.list()                   %l = dycl.list()
%m = dycl.call %reversed(%a)       %m = dycl.call %reversed(%a)
%n = dycl.invoke %l "extend"(%m)   %0 = dycl.call %list(%m)
dycl.return %l                     %n = dycl.invoke %l "extend"(%0)
                                   dycl.return %l

`sort` and `reverse` become calls of `dycl.prelude.lists`.
"""

from xdsl.dialects.func import FuncOp

from dycl.analysis.folding.iterators import ITERATORS
from dycl.ir import CallOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import insert_before, insert_constant, insert_value, replace
from dycl.ir.values import FunctionRef, GlobalRef
from dycl.ir.walking import walk
from dycl.passes.lists.kinds import is_list

_OURS = {"reverse": "turn_around", "sort": "sort"}


def spell_out(entry: FuncOp) -> bool:
    """Put calls of the prelude in the place of methods; whether there were any."""
    found = False
    for op in list(walk(entry)):
        if not isinstance(op, InvokeOp) or op.is_starred or not is_list(op.receiver):
            continue
        if op.method.data in _OURS and not op.positional:
            _call(op)
            found = True
        elif op.method.data == "extend" and len(op.operands) == 2:
            found |= _listed(op)
    return found


def _call(op: InvokeOp) -> None:
    name = f"dycl.prelude.lists.{_OURS[op.method.data]}"
    function = insert_constant(op, FunctionRef(name))
    call = CallOp(function, list(op.operands), op.keyword_names)
    insert_before(op, call)
    replace(op, [call.result])


def _listed(op: InvokeOp) -> bool:
    """`v.extend(map(f, w))` extends by a list of that."""
    given = op.operands[1].owner
    if not isinstance(given, CallOp) or constant_name(given.callee) not in ITERATORS:
        return False
    function = insert_constant(op, GlobalRef("builtins.list"))
    op.operands[1] = insert_value(op, CallOp(function, [op.operands[1]]))
    return True
