"""Generator expressions that somebody else goes over: `mean(loss(y, t) for t in ts)`.

    (loss(y, t) for t in ts)    map(<function of t>, ts)

Both go over `ts` when they are asked for an item, and work that out then. A variable
that the expression reads may be bound anew before, so one that may is refused; where
there are several `for`s, or an `if`, too.
"""

import ast

from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.functions import lower_inner_function
from dycl.frontend.scopes import captured_names, may_change_behind
from dycl.ir import CallOp
from dycl.ir.values import GlobalRef

_ITEM = ".item"
"""The parameter; no name of the user's has a dot."""


def lower_kept_generator(b: FunctionBuilder, node: ast.GeneratorExp) -> SSAValue:
    """`map` of what the generator gives of each item; a refusal where it is none."""
    from dycl.frontend.expressions import lower_expression

    head, *others = node.generators
    function = _function(node)
    captured = captured_names(function, b.local_names - set(b.statics))
    late = any(may_change_behind(b.source.node, node, name) for name in captured)
    walrus = any(isinstance(one, ast.NamedExpr) for one in ast.walk(node))
    if others or head.ifs or head.is_async or walrus or late:
        return b.refuse(refusals.kept_generator(ast.unparse(node)), node)
    iterable = lower_expression(b, head.iter)
    of_item = lower_inner_function(b, function)
    callee = b.constant(GlobalRef("builtins.map"), node)
    return b.value(CallOp(callee, [of_item, iterable]), node)


def _function(node: ast.GeneratorExp) -> ast.FunctionDef:
    """What is given of an item, as a function of it."""
    target = node.generators[0].target
    item = target.id if isinstance(target, ast.Name) else _ITEM
    body: list[ast.stmt] = [ast.Return(node.elt)]
    if item == _ITEM:
        body.insert(0, ast.Assign([target], ast.Name(_ITEM, ast.Load())))
    arguments = ast.arguments([], [ast.arg(item)], None, [], [], None, [])
    function = ast.FunctionDef("genexpr", arguments, body, [])
    return ast.fix_missing_locations(ast.copy_location(function, node))
