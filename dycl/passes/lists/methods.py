"""Methods that change a list in a way that is written in Python.

Before                             After
------                             -----
%l = dycl.list()                   %l = dycl.list()
%m = dycl.call %reversed(%a)       %m = dycl.call %reversed(%a)
%n = dycl.invoke %l "extend"(%m)   %0 = dycl.call %list(%m)
dycl.return %l                     %n = dycl.invoke %l "extend"(%0)
                                   dycl.return %l

`sort` and `reverse` become calls of `dycl.prelude.lists`; so does `extend` by an
attribute of what is not known yet, as `todo.extend(node.children)` is where the nodes
come from that list.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.analysis.folding.iterators import ITERATORS
from dycl.ir import CallOp, ConstantOp, GetattrOp, InplaceOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import insert_before, insert_constant, insert_value, replace
from dycl.ir.values import FunctionRef, GlobalRef
from dycl.ir.walking import walk
from dycl.passes.lists.kinds import is_list

_OURS = {"reverse": "turn_around", "sort": "sort"}
_EXTEND = "add_each"


def spell_out(entry: FuncOp) -> bool:
    """Put calls of the prelude in the place of methods; whether there were any."""
    found = False
    for op in list(walk(entry)):
        if isinstance(op, InplaceOp):
            found |= _added(op)
            continue
        if not isinstance(op, InvokeOp) or op.is_starred or not is_list(op.receiver):
            continue
        if op.method.data in _OURS and not op.positional:
            _call(op)
            found = True
        elif op.method.data == "extend" and len(op.operands) == 2:
            if _is_unknown(op.operands[1]):
                _call(op)
                found = True
            else:
                found |= _listed(op)
    return found


def _call(op: InvokeOp) -> None:
    name = f"dycl.prelude.lists.{_OURS.get(op.method.data, _EXTEND)}"
    function = insert_constant(op, FunctionRef(name))
    call = CallOp(function, list(op.operands), op.keyword_names)
    insert_before(op, call)
    replace(op, [call.result])


def _added(op: InplaceOp) -> bool:
    """`v += w` of such an attribute extends the list, which `v` goes on to mean."""
    if op.kind_name != "add" or not is_list(op.lhs) or not _is_unknown(op.rhs):
        return False
    function = insert_constant(op, FunctionRef(f"dycl.prelude.lists.{_EXTEND}"))
    insert_before(op, CallOp(function, [op.lhs, op.rhs]))
    replace(op, [op.lhs])
    return True


def _is_unknown(value: SSAValue) -> bool:
    """Whether a value is an attribute of something that is not known yet, or what the
    dict gives that the attribute may hold: `todo.extend(node.children.values())`."""
    owner = value.owner
    if isinstance(owner, InvokeOp) and owner.method.data in ("keys", "values"):
        owner = owner.receiver.owner if len(owner.operands) == 1 else owner
    if not isinstance(owner, GetattrOp) or value.type != VALUE:
        return False
    return not isinstance(owner.operands[0].owner, ConstantOp)


def _listed(op: InvokeOp) -> bool:
    """`v.extend(map(f, w))` extends by a list of that."""
    given = op.operands[1].owner
    if not isinstance(given, CallOp) or constant_name(given.callee) not in ITERATORS:
        return False
    function = insert_constant(op, GlobalRef("builtins.list"))
    op.operands[1] = insert_value(op, CallOp(function, [op.operands[1]]))
    return True
