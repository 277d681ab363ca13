"""`dycl-lower-host`: turns the host function into a program over buffers and numbers.

Before                                       After
------                                       -----
func.func @forward(%x) attributes {entry}    host.func @forward(%x : memref<1x3xf32>)
  %w = dycl.param "w" : !torch.vtensor<..>     %w = host.param "w" : memref<3x3xf32>
  %y, %p = dycl.launch @k(%x, %w)              %y = host.alloc ; %p = host.alloc
  %c = dycl.item %p                            host.launch @k ins(%x, %w) outs(%y, %p)
  dycl.if %c { dycl.return %y }                %c = host.read %p
                                               host.if %c { host.return %y }

Needs:  `dycl-check-hcfg`: every tensor computation is in a kernel.
Leaves: one `host.func` for each `dycl.entry`; the kernels as they were.
Skips:  a module without an entry function, and everything that is no entry function.

Every output of a launch gets a buffer of its own: an output may then overlap neither
an input nor another output, which kernels rely on. In a loop it is filled anew in every
iteration, so a tensor that one iteration hands to the next is kept aside (`host.keep`).
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.diag import PassFailed
from dycl.ir import host, torch
from dycl.ir.dialect.syntax import RunsOnHost
from dycl.ir.host.convert import host_type, signless_dense
from dycl.ir.host.rules import constant_type
from dycl.ir.host.types import NUMBERS, SCALARS, BufferType, is_static
from dycl.ir.values import to_attr


@dataclass(frozen=True)
class LowerHostPass(ModulePass):
    """Turns the host function into a program over buffers and numbers."""

    name = "dycl-lower-host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each entry function. PassFailed: an op has no form on the host."""
        for entry in [o for o in op.ops if "dycl.entry" in o.attributes]:
            if isinstance(entry, FuncOp):
                entry_block = op.body.block
                entry_block.insert_op_before(_lower(entry), entry)
                entry.detach()
                entry.erase()


def _lower(entry: FuncOp) -> host.FuncOp:
    old = entry.body.block
    new = Block(arg_types=[_input_type(a, entry) for a in old.args])
    lowering = _Lowering()
    for before, after in zip(old.args, new.args, strict=True):
        after.location = before.location
        lowering.replace(before, after)
    lowering.fill(new, old)
    func = host.FuncOp(
        entry.sym_name.data, _params(entry), Region(new), location=entry.location
    )
    func.attributes.update(
        (name, attribute)
        for name, attribute in entry.attributes.items()
        if name not in ("dycl.entry", "dycl.params")
    )
    return func


def _params(entry: FuncOp) -> list[str]:
    """The names of the arguments: what the frontend noted, or the IR's own names."""
    arguments = entry.body.block.args
    noted = entry.attributes.get("dycl.params")
    if isinstance(noted, ArrayAttr):
        names = [n.data for n in noted.data if isinstance(n, StringAttr)]
        if len(names) >= len(arguments):
            return names[len(names) - len(arguments) :]  # `self` has gone
    return [a.name_hint or f"arg{i}" for i, a in enumerate(arguments)]


def _type_of(value: SSAValue, at: Operation) -> Attribute:
    if (found := host_type(value.type)) is None:
        raise PassFailed(f"the host cannot hold a value of type {value.type}", at)
    return found


def _input_type(value: SSAValue, at: Operation) -> Attribute:
    """As `_type_of`; the sizes of an input are known."""
    found = _type_of(value, at)
    if isinstance(found, MemRefType) and not is_static(found):
        raise PassFailed(f"the host cannot take an input of type {value.type}", at)
    return found


def _buffer_of(value: SSAValue, at: Operation) -> BufferType:
    found = _type_of(value, at)
    if not isinstance(found, MemRefType):
        raise PassFailed(f"{at.name} needs a tensor, not {value.type}", at)
    return found


@dataclass
class _Lowering:
    """Old value -> new value, and the block that is being filled."""

    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def replace(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """Let `new` stand for `old`, under the same name."""
        self.values[old] = new
        new.name_hint = old.name_hint
        return new

    def get(self, old: SSAValue) -> SSAValue:
        return self.values[old]

    def all(self, old: Operation) -> list[SSAValue]:
        return [self.values[v] for v in old.operands]

    def fill(self, new: Block, old: Block) -> None:
        """Put the lowered ops of `old` at the end of `new`."""
        for op in old.ops:
            new.add_ops(self.lower(op))

    def region(self, old: Region) -> Region:
        block = Block()
        self.fill(block, old.block)
        return Region(block)

    def lower(self, op: Operation) -> list[Operation]:
        """The host's ops for one op, in order; PassFailed if there are none."""
        match op:
            case d.LaunchOp():
                return self.lower_launch(op)
            case d.IfOp() | d.ScopeOp() | d.WhileOp():
                new = self.lower_region_op(op)
            case d.YieldOp() | d.ContinueOp() if loop := _next_iteration(op):
                return self.lower_back_edge(op, loop)
            case d.UnboundOp():
                new = self.lower_unbound(op)
            case _:
                new = self.lower_end(op) or self.lower_value(op)
        new.location = op.location
        for name, attribute in op.attributes.items():
            new.attributes.setdefault(name, attribute)
        for before, after in zip(op.results, new.results, strict=True):
            self.replace(before, after)
        return [new]

    def lower_launch(self, op: d.LaunchOp) -> list[Operation]:
        """A buffer for each result; a number is read out of its buffer at once."""
        allocs: list[Operation] = []
        reads: list[Operation] = []
        for result in op.results:
            number = _type_of(result, op)
            if number not in NUMBERS:
                alloc = host.AllocOp(_buffer_of(result, op), location=op.location)
                self.replace(result, alloc.result)
            else:
                alloc = host.AllocOp(MemRefType(number, []), location=op.location)
                alloc.result.name_hint = f"{result.name_hint or 'number'}_out"
                read = host.ReadOp(alloc.result, number, location=op.location)
                reads.append(read)
                self.replace(result, read.result)
            allocs.append(alloc)
        launch = host.LaunchOp(
            op.kernel_name,
            self.all(op),
            [alloc.results[0] for alloc in allocs],
            location=op.location,
        )
        launch.attributes.update(op.attributes)
        return [*allocs, launch, *reads]

    def lower_back_edge(
        self, op: d.YieldOp | d.ContinueOp, loop: d.WhileOp
    ) -> list[Operation]:
        """Keep the tensors that the next iteration is given."""
        kept: list[Operation] = []
        values = self.all(op)
        for i, value in enumerate(op.operands):
            if isinstance(values[i].type, MemRefType) and _is_passing(value, i, loop):
                keep = host.KeepOp(values[i], location=op.location)
                keep.result.name_hint = loop.before.block.args[i].name_hint
                kept.append(keep)
                values[i] = keep.result
        is_yield = isinstance(op, d.YieldOp)
        end = (host.YieldOp if is_yield else host.ContinueOp)(
            values, location=op.location
        )
        end.attributes.update(op.attributes)
        return [*kept, end]

    def lower_unbound(self, op: d.UnboundOp) -> Operation:
        """A name without a value, which nobody reads: anything of its type."""
        found = _type_of(op.result, op)
        if isinstance(found, MemRefType):
            buffer: BufferType = found
            return host.AllocOp(buffer, location=op.location)
        if isinstance(found, d.SequenceType):
            return d.SequenceOp([], found)
        value = {"float": 0.0, "bool": False, "str": "", "None": None}
        return d.ConstantOp(to_attr(value.get(SCALARS[found], 0)), found)

    def lower_while(self, op: d.WhileOp) -> Operation:
        blocks: list[Block] = []
        for old in (op.before.block, op.body.block):
            new = Block(arg_types=[_type_of(a, op) for a in old.args])
            for before, after in zip(old.args, new.args, strict=True):
                self.replace(before, after)
            self.fill(new, old)
            blocks.append(new)
        first, second = map(Region, blocks)
        return host.WhileOp(self.all(op), first, second, location=op.location)

    def lower_region_op(self, op: d.IfOp | d.ScopeOp | d.WhileOp) -> Operation:
        types = [_type_of(r, op) for r in op.results]
        at = op.location
        if isinstance(op, d.WhileOp):
            return self.lower_while(op)
        if isinstance(op, d.ScopeOp):
            body = self.region(op.body)
            return host.ScopeOp(op.label.data, types, body, location=at)
        then_region, else_region = map(self.region, (op.then_region, op.else_region))
        condition = self.get(op.condition)
        return host.IfOp(condition, types, then_region, else_region, location=at)

    def lower_end(self, op: Operation) -> Operation | None:
        at = op.location
        match op:
            case d.YieldOp():
                return host.YieldOp(self.all(op), location=at)
            case d.ReturnOp():
                return host.ReturnOp(self.all(op), op.structure, location=at)
            case d.BreakOp():
                return host.BreakOp(self.all(op), location=at)
            case d.ConditionOp():
                condition, *values = self.all(op)
                return host.ConditionOp(condition, values, location=at)
            case d.LeaveOp():
                return host.LeaveOp(op.label.data, self.all(op), location=at)
            case d.UnreachableOp():
                return host.UnreachableOp(location=at)
            case _:
                return None

    def lower_value(self, op: Operation) -> Operation:
        at = op.location
        match op:
            case d.ParamOp():
                return host.ParamOp(
                    op.path.data, _buffer_of(op.result, op), location=at
                )
            case d.ViewOp():
                operand = self.get(op.operand)
                return host.ViewOp(operand, _buffer_of(op.result, op), location=at)
            case d.CastOp():
                operand = self.get(op.operand)
                return host.CastOp(operand, _buffer_of(op.result, op), location=at)
            case d.ItemOp():
                number = _type_of(op.result, op)
                return host.ReadOp(self.get(op.operand), number, location=at)
            case d.ConstantOp() | torch.ConstantOp() | torch.VTensorLiteralOp():
                return _constant(op)
            case _ if op.has_trait(RunsOnHost):
                return type(op).create(
                    operands=self.all(op),
                    result_types=[_type_of(result, op) for result in op.results],
                    properties=op.properties,
                )
            case _:
                raise PassFailed(
                    f"`{op.name}` has no form on the host",
                    op,
                    hint="tensor computation goes into kernels: run "
                    "dycl-outline-branches first",
                    code="DY401",
                )


def _next_iteration(op: d.YieldOp | d.ContinueOp) -> d.WhileOp | None:
    """The loop whose next iteration an end leads to."""
    loop = op.parent_op()
    if isinstance(op, d.YieldOp):
        return loop if isinstance(loop, d.WhileOp) else None
    while loop is not None and not isinstance(loop, d.WhileOp):
        loop = loop.parent_op()
    return loop


def _is_passing(value: SSAValue, index: int, loop: d.WhileOp) -> bool:
    """Whether the memory of a value may be written to in the next iteration.

    Not so for what is there before the loop, and for what stays in its place.
    """
    owner = value.owner
    if isinstance(owner, d.UnboundOp):
        return False
    carried, entered = loop.before.block.args[index], loop.body.block.args[index]
    if value is entered and loop.condition.values[index] is carried:
        return False
    inside = owner.parent_op() if isinstance(owner, Block) else owner
    return inside is not None and loop.is_ancestor(inside)


def _constant(
    op: d.ConstantOp | torch.ConstantOp | torch.VTensorLiteralOp,
) -> d.ConstantOp:
    """The constant with the host's type, which follows from the value."""
    match op:
        case d.ConstantOp():
            value = op.value
        case torch.ConstantOp():
            value = to_attr(op.python_value())
        case torch.VTensorLiteralOp(value=DenseIntOrFPElementsAttr() as dense):
            value = signless_dense(dense)
        case _:
            raise PassFailed(
                "the elements of this constant tensor are not in the IR",
                op,
                hint="write it as dense<..> instead of dense_resource<..>",
            )
    if (found := constant_type(value)) is None:
        raise PassFailed(f"the host cannot hold the constant {value}", op, code="DY401")
    return d.ConstantOp(value, found)
