"""`a, b = l` of a list whose length the data decides: its items, if it has as many."""

from dycl.ir import InvokeOp, SequenceType, SubscriptOp, UnpackOp
from dycl.ir.rewriting import replace
from dycl.passes.builtins.items import Site

_ERROR = "builtins.ValueError"


def unpack(site: Site, op: UnpackOp) -> bool:
    """Items by number, behind a test of their count; of anything else False."""
    if not isinstance(op.operand.type, SequenceType) or op.star is not None:
        return False
    wanted = len(op.items)
    length, count = site.call("len", op.operand), site.constant(wanted)
    words = site.constant(f"not enough values to unpack (expected {wanted}, got {{}})")
    text = site.add(InvokeOp(words, "format", [length]))
    site.raise_if(site.to_bool(site.compare("lt", length, count)), _ERROR, text)
    text = site.constant(f"too many values to unpack (expected {wanted})")
    site.raise_if(site.to_bool(site.compare("gt", length, count)), _ERROR, text)
    items = [site.add(SubscriptOp(op.operand, site.constant(i))) for i in range(wanted)]
    replace(op, items)
    return True
