"""`y.unsqueeze_(0)` of a tensor that has no other name: a view, which `y` is then.

Before                                  After
------                                  -----
%y = dycl.call %stack(%l)               %y = dycl.call %stack(%l)
%0 = dycl.invoke %y "unsqueeze_"(%one)  %z = dycl.invoke %y "unsqueeze"(%one)
dycl.return %y                          dycl.return %z

Only the tensor itself has another shape then, not what shares its memory. So it has to
be clear who else has it: it is made by an op that gives a new tensor, and what reads it
in front makes others of it. A tensor that has a type already is left alone, since its
shape may have been read; until this is done, it gets none (`dycl.analysis.tensors`).
"""

from xdsl.ir import Operation

from dycl.analysis.folding.iterators import are_exclusive, is_behind, is_repeated
from dycl.ir import GetattrOp, InvokeOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.new_tensors import IN_PLACE_VIEWS, gives_new_tensor
from dycl.ir.rewriting import replace
from dycl.passes.builtins.items import Site

_READS = ("device", "dtype", "ndim", "shape")
_READING = ("dim", "numel", "size")


def replace_by_view(site: Site, op: InvokeOp) -> bool:
    """Let all that comes behind a change of shape read the view instead."""
    tensor, owner = op.receiver, op.receiver.owner
    if not isinstance(owner, Operation) or tensor.type != VALUE:
        return False
    if not gives_new_tensor(owner, site.environment) or is_repeated(op, owner.parent):
        return False
    behind = [u for u in tensor.uses if is_behind(u.operation, op)]
    others = [u.operation for u in tensor.uses if u not in behind]
    if not all(reader is op or _is_fine(site, reader, op) for reader in others):
        return False
    view = InvokeOp(tensor, IN_PLACE_VIEWS[op.method.data], [*op.arguments])
    result = site.add(view)
    for use in behind:
        use.operation.operands[use.index] = result
    replace(op, [result])
    return True


def _is_fine(site: Site, reader: Operation, op: InvokeOp) -> bool:
    """Whether one reads the tensor in front only, and keeps nothing of it."""
    if are_exclusive(reader, op):
        return True
    if not is_behind(op, reader):
        return False
    if isinstance(reader, GetattrOp):
        return reader.attribute.data in _READS
    if isinstance(reader, InvokeOp) and reader.method.data in _READING:
        return True
    return gives_new_tensor(reader, site.environment, op.receiver)
