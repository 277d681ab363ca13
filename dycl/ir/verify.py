"""Checks that xDSL's own verifier lacks: order of definitions, and locations.

Both walk with an explicit stack: an early-exit net may nest deeper than Python's
recursion limit.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    ModuleOp,
    NameLoc,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.utils.exceptions import VerifyException

from dycl.ir.attributes import FunctionAttr, MethodAttr, PropertyAttr


class OpVerifyException(VerifyException):
    """A `VerifyException` that knows its op, so that a location can be shown."""

    def __init__(self, message: str, op: Operation):
        """Complain about `op`."""
        super().__init__(message)
        self.op = op


class _Show(NamedTuple):
    values: Sequence[SSAValue]


class _Hide(NamedTuple):
    values: Sequence[SSAValue]


def verify_dominance(top: Operation) -> None:
    """Every operand is defined before its use, in the same or an enclosing block, and
    no op outside of `top` uses what is defined inside: one that a pass has made and put
    nowhere, or taken out and kept.

    Regions are single-block (structured); in a region of several blocks, which only
    foreign dialects have, order is checked inside each block and a value of another
    block counts as defined. Linear in the number of ops and operands.
    Raises `OpVerifyException` for the first use that is not dominated, or outside.
    """
    visible: set[SSAValue] = set()
    inside: set[Operation] = set()
    todo: list[Operation | _Show | _Hide] = [top]
    while todo:
        match todo.pop():
            case _Show(values):
                visible.update(values)
            case _Hide(values):
                visible.difference_update(values)
            case op:
                inside.add(op)
                _check_operands(op, visible)
                steps = [step for region in op.regions for step in _steps(region)]
                # The results come last: the op's own regions cannot use them.
                todo += reversed([*steps, _Show(op.results)])
    for op in inside:
        blocks = [block for region in op.regions for block in region.blocks]
        _check_uses(op, op.results, inside)
        _check_uses(op, [arg for block in blocks for arg in block.args], inside)


def _check_uses(
    op: Operation, values: Sequence[SSAValue], inside: set[Operation]
) -> None:
    for value in values:
        for use in value.uses:
            if use.operation not in inside:
                raise OpVerifyException(
                    f"a value of '{op.name}' is used by '{use.operation.name}', which "
                    "is not in the program",
                    op,
                )


def _check_operands(op: Operation, visible: set[SSAValue]) -> None:
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise OpVerifyException(
                f"operand #{index} of '{op.name}' is used before its definition, "
                "or outside the region that defines it",
                op,
            )


def _steps(region: Region) -> Iterator[Operation | _Show | _Hide]:
    """The ops of a region in order, and when which values come and go."""
    scope = [value for block in region.blocks for value in _definitions(block)]
    several = region.first_block is not region.last_block
    if several:
        yield _Show(scope)
    for block in region.blocks:
        if several:
            yield _Hide(_definitions(block))
        yield _Show(block.args)
        yield from block.ops
    yield _Hide(scope)


def _definitions(block: Block) -> list[SSAValue]:
    return [*block.args, *(result for op in block.ops for result in op.results)]


def culprit(module: ModuleOp) -> Operation:
    """The op that does not verify by itself; xDSL's exception does not say."""
    return next((op for op in _inside_out(module) if not _verifies(op)), module)


def _inside_out(op: Operation) -> Iterator[Operation]:
    """The order in which xDSL verifies: what an op contains comes before it."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _inside_out(inner)
    yield op


def _verifies(op: Operation) -> bool:
    try:
        op.verify(verify_nested_ops=False)
    except VerifyException:
        return False
    return True


def verify_references(module: ModuleOp) -> None:
    """Every object that a constant or an object names is in the module.

    Functions that nothing calls are not imported, and a call of one that is not there
    is refused at `normal`; launches are left to the checks of hcfg and host. Raises
    `OpVerifyException`.
    """
    known = {
        name.data
        for op in module.ops
        if isinstance(name := op.properties.get("sym_name"), StringAttr)
    }
    for op in module.walk():
        if op.name.endswith(".launch"):
            continue
        attributes = list(attributes_of(op))
        functions = {
            name for attribute in attributes for name in _functions_in(attribute)
        }
        for attribute in attributes:
            if not isinstance(attribute, SymbolRefAttr):
                continue
            name = attribute.root_reference.data
            if name not in known and name not in functions:
                what = f"'{op.name}' names @{name}, which is not in this module"
                raise OpVerifyException(what, op)


def _functions_in(attribute: Attribute) -> tuple[str, ...]:
    match attribute:
        case FunctionAttr():
            return (attribute.symbol.root_reference.data,)
        case MethodAttr():
            return (attribute.function.root_reference.data,)
        case PropertyAttr():
            return attribute.symbols
        case _:
            return ()


def attributes_of(op: Operation) -> Iterator[Attribute]:
    """All properties and attributes of an op, and those inside others."""
    stack = [*op.properties.values(), *op.attributes.values()]
    while stack:
        attribute = stack.pop()
        yield attribute
        match attribute:
            case SymbolRefAttr():
                pass
            case ArrayAttr():
                stack += attribute.data
            case DictionaryAttr():
                stack += attribute.data.values()
            case ParametrizedAttribute():
                stack += attribute.parameters
            case _:
                pass


def verify_locations(module: ModuleOp, after: str) -> None:
    """Every op inside `module` has a location that leads to a file.

    `after` names what ran last: it lost the location. Raises `OpVerifyException`.
    """
    stack: list[Operation] = [module]
    while stack:
        op = stack.pop()
        if op is not module and not is_known(op.location):
            raise OpVerifyException(f"{after} lost the location of '{op.name}'", op)
        blocks = [block for region in op.regions for block in region.blocks]
        stack += reversed([inner for block in blocks for inner in block.ops])


def is_known(loc: Attribute) -> bool:
    """Whether a location attribute leads to a line of some file."""
    match loc:
        case FileLineColLoc():
            return True
        case NameLoc():
            return is_known(loc.location)
        case CallSiteLoc():
            return is_known(loc.callee) or is_known(loc.caller)
        case FusedLoc(locations=ArrayAttr(data=parts)):
            return any(is_known(part) for part in parts)
        case _:
            return False
