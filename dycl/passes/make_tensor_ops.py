"""`dycl-make-tensor-ops`: a call of an operator becomes the op on tensors of its name.

Before                             After
------                             -----
%y = dycl.call %shrink(%x, %half)  %y = mine.shrink %x <{eps = 0.5 : f64}>
dycl.return %y                     dycl.return %y

Needs:  nothing; after constants are known, more arguments can be attributes.
Leaves: the op of the same name as the operator, `mine.shrink` for `mine::shrink`. Its
        operands come first among the arguments, then its attributes; arguments that are
        left out are torch's defaults.
Skips:  operators without an op; an attribute that is not constant, or of another kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, f64, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrConstraint, VerificationContext
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import VerifyException

from dycl.diag import remark
from dycl.ir import CallOp, TensorOp
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import apply_patterns
from dycl.ir.values import NotAConstant, to_attr

_OPERATORS = "torch.ops."


@dataclass(frozen=True)
class MakeTensorOpsPass(ModulePass):
    """A call of an operator becomes the op on tensors of its name."""

    name = "dycl-make-tensor-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises nothing."""
        apply_patterns(op, OpOfItsName(ctx), kinds=(CallOp,))


class _Cannot(Exception):
    """Why a call stays a call."""


@dataclass
class OpOfItsName(RewritePattern):
    """`torch.ops.mine.shrink(x, by, 0.5)` becomes `mine.shrink`, if there is one."""

    ctx: Context

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter) -> None:
        name = constant_name(op.callee)
        kind = self._kind(name)
        if kind is None:
            return
        if not issubclass(kind, TensorOp):
            remark(op, f"not made {kind.name}", "it is no op on tensors")
            return
        try:
            new = _made(kind, _arguments(op, kind, name))
        except _Cannot as why:
            remark(op, f"not made {kind.name}", str(why))
            return
        rewriter.replace(op, new)

    def _kind(self, name: str) -> type[Operation] | None:
        if not name.startswith(_OPERATORS):
            return None
        words = name.removeprefix(_OPERATORS).split(".")[:2]
        return self.ctx.get_optional_op(".".join(words))


Argument = SSAValue | Attribute
"""An operand, or a constant that the operator has as a default."""


def _arguments(op: CallOp, kind: type[TensorOp], name: str) -> dict[str, Argument]:
    """What the op is given, by name. _Cannot."""
    definition = kind.get_irdl_definition()
    names = [name for name, _ in definition.operands]
    names += list(definition.properties)
    if op.is_starred:
        raise _Cannot("`*` or `**` is not resolved")
    given: dict[str, Argument] = dict(zip(names, op.positional, strict=False))
    given |= op.keyword_arguments
    if len(op.positional) > len(names) or given.keys() - set(names):
        raise _Cannot("it has other arguments")
    missing = [item for item in names if item not in given]
    return {**given, **_defaults(name, missing)}


def _defaults(name: str, missing: list[str]) -> Mapping[str, Attribute]:
    """What the operator has for arguments that are left out. _Cannot."""
    if not missing:
        return {}
    import torch

    namespace, function = name.removeprefix(_OPERATORS).split(".")[:2]
    packet = getattr(getattr(torch.ops, namespace), function, None)
    schema = () if packet is None else packet.default._schema.arguments
    known = {
        item.name: item.default_value for item in schema if item.has_default_value()
    }
    if unknown := [item for item in missing if item not in known]:
        raise _Cannot(f"its `{unknown[0]}` is not given")
    return {item: to_attr(known[item]) for item in missing}


def _made(kind: type[TensorOp], given: Mapping[str, Argument]) -> TensorOp:
    definition = kind.get_irdl_definition()
    operands: list[SSAValue] = []
    for name, _ in definition.operands:
        operand = given[name]
        if not isinstance(operand, SSAValue):
            raise _Cannot(f"its `{name}` is left out")
        operands.append(operand)
    properties = {
        name: _attribute(given[name], name, wanted.constr)
        for name, wanted in definition.properties.items()
    }
    return kind.create(operands=operands, result_types=[VALUE], properties=properties)


def _attribute(argument: Argument, name: str, wanted: AttrConstraint) -> Attribute:
    """A constant argument as an attribute: a tuple as a list, and an int where a float
    is wanted as one. _Cannot."""
    result = argument
    if isinstance(result, SSAValue):
        value = constant_value(result)
        if value is MISSING:
            raise _Cannot(f"its `{name}` is no constant")
        try:
            result = to_attr(list(value) if isinstance(value, tuple) else value)
        except NotAConstant as error:
            raise _Cannot(f"its `{name}` is {error}") from error
    if (
        isinstance(result, IntegerAttr)
        and result.type != i1
        and not _fits(result, wanted)
    ):
        result = FloatAttr(float(result.value.data), f64)
    if not _fits(result, wanted):
        raise _Cannot(f"its `{name}` is of another kind")
    return result


def _fits(attribute: Attribute, wanted: AttrConstraint) -> bool:
    try:
        wanted.verify(attribute, VerificationContext())
    except VerifyException:
        return False
    return True
