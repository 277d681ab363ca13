"""A `try` whose body begins with `if c: raise`: the decision stands outside of it.

Before                                After
------                                -----
%r = dycl.try one_statement -> (T) {  %r = dycl.if %c -> (T) {
  dycl.if %c {                          dycl.yield %x
    dycl.raise "builtins.KeyError"()  } else {
  }                                     %s = dycl.try one_statement -> (T) {
  %v = dycl.call %f(%x)                   %v = dycl.call %f(%x)
  dycl.yield %v                           dycl.yield %v
} except "KeyError" {                   } except "KeyError" {
  dycl.yield %x                           dycl.yield %x
}                                       }
dycl.return %r                          dycl.yield %s
                                      }
                                      dycl.return %r

What stands in front of the `if` raises nothing, so it stands outside, too.
"""

import builtins

from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dycl.ir import IfOp, RaiseOp, TryOp, YieldOp
from dycl.ir.cloning import clone
from dycl.ir.rewriting import append, inline_region, insert_before
from dycl.passes.tries.jumping import raising_again


def split_at(raising: RaiseOp, op: TryOp, rewriter: PatternRewriter) -> bool:
    """Do this for the first op of a body that may raise; else give False.

    `op.one_statement`: no handler sees a name that the body has bound before.
    """
    decision = raising.parent_op()
    if op.one_statement is None or not isinstance(decision, IfOp):
        return False
    if decision.parent is not op.body.block:
        return False
    handler = _handler(raising, op)
    if handler is None:
        return False
    while (first := op.body.block.first_op) not in (None, decision):
        insert_before(op, first)
    is_then = raising.parent_region() is decision.then_region
    rest = Block()
    sides = (handler, rest) if is_then else (rest, handler)
    new = IfOp(
        *(decision.condition, op.result_types, *map(Region, sides)),
        attributes=dict(decision.attributes),
    )
    insert_before(op, new, source=decision)
    other = decision.else_region if is_then else decision.then_region
    inline_region(decision, other, rewriter)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    append(rest, op, source=op)
    append(rest, YieldOp(op.results), source=op)
    return True


def _handler(raising: RaiseOp, op: TryOp) -> Block | None:
    """What is done instead of raising; None: it is not known."""
    root, _, name = raising.exception_name.rpartition(".")
    kind = getattr(builtins, name, None) if root == "builtins" else None
    if not isinstance(kind, type) or not issubclass(kind, BaseException):
        return None
    if op.goes_on or any(names.data == "?" for names in op.catches):
        return None
    handler = op.handler_of(kind)
    around = raising.parent_block()
    assert around is not None
    before = [o for o in around.ops if o is not raising]  # it is the last one
    given = [raising] if handler is None else list(handler.block.ops)
    copy, values = Block(), dict[SSAValue, SSAValue]()
    copy.add_ops([clone(inner, values) for inner in before])
    raised = [values.get(v, v) for v in raising.operands]
    handled = [clone(inner, values) for inner in given]
    copy.add_ops(raising_again(handled, raising, raised))
    return copy
