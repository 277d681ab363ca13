"""`dycl-lower-host`: turns the host function into a program over buffers and numbers.

Before                           After
------                           -----
%w = dycl.param "fc.weight"      %w = host.param "fc.weight"
%y, %s = dycl.launch @k(%x, %w)  %y = host.alloc
%m = dycl.item %s                %s = host.alloc
dycl.if %m {                     host.launch @k ins(%x, %w) outs(%y, %s)
  dycl.return %y                 %m = host.read %s
}                                dycl.if %m {
dycl.return %x                     dycl.return %y
                                 }
                                 dycl.return %x

Needs:  `dycl-check-hcfg`: every tensor computation is in a kernel.
Leaves: one `host.func` for each `dycl.entry`; the kernels as they were.
Skips:  a module without an entry function, and everything that is no entry function.

This is bufferization and type conversion, in place: control, scalars, lists and effects
stay the ops that they are, with types of the host; what is about memory becomes an op
of `host`. Every output of a launch gets a buffer of its own: an output may then overlap
neither an input nor another output, which kernels rely on. In a loop it is filled anew
in every iteration, so a tensor that one iteration hands to the next is kept aside
(`host.keep`), and so is one that a local function gives: its buffers are those of one
call, and gone when it returns.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.diag import PassFailed
from dycl.ir import host, torch
from dycl.ir.functions import argument_names
from dycl.ir.host.convert import (
    ABOUT_MEMORY,
    has_host_form,
    host_type,
    inputs_not_taken,
    signless_dense,
)
from dycl.ir.host.rules import constant_type
from dycl.ir.host.types import NUMBERS, SCALARS, BufferType
from dycl.ir.rewriting import insert_after, insert_before, replace, retype
from dycl.ir.type_words import type_words
from dycl.ir.values import to_attr
from dycl.ir.walking import walk


@dataclass(frozen=True)
class LowerHostPass(ModulePass):
    """Turns the host function into a program over buffers and numbers."""

    name = "dycl-lower-host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each entry function. PassFailed: an op has no form on the host."""
        for entry in [o for o in op.ops if "dycl.entry" in o.attributes]:
            if isinstance(entry, FuncOp):
                _lower(entry)


def _lower(entry: FuncOp) -> None:
    ops = list(walk(entry.body))
    for op in ops:
        if not has_host_form(op):
            raise PassFailed(
                f"`{op.name}` has no form on the host",
                op,
                hint="tensor computation goes into kernels: run "
                "dycl-outline-branches first",
                code="DY401",
            )
    _convert_inputs(entry)
    for op in ops:
        if isinstance(op, ABOUT_MEMORY):
            _bufferize(op)
        else:
            _convert_types(op)
    for op in ops:
        if isinstance(op, d.WhileOp):
            _keep_tensors(op)
        elif isinstance(op, d.LocalCallOp):
            _keep_results(op)
    func = host.FuncOp(
        entry.sym_name.data,
        argument_names(entry),
        entry.detach_region(entry.body),
    )
    func.attributes.update(
        (name, attribute)
        for name, attribute in entry.attributes.items()
        if name not in ("dycl.entry", "dycl.params")
    )
    replace(entry, func)


# ---- types


def _convert_inputs(entry: FuncOp) -> None:
    for argument in inputs_not_taken(entry):
        raise PassFailed(f"the host cannot take {type_words(argument.type)}", entry)
    for argument in entry.body.block.args:
        _convert(argument, _type_of(argument, entry))


def _convert_types(op: Operation) -> None:
    """Give results, and arguments of regions, types of the host."""
    arguments = [a for region in op.regions for a in region.block.args]
    for value in (*op.results, *arguments):
        converted = _type_of(value, op)
        if isinstance(op, d.ConstantOp) and not isinstance(converted, d.NodeType):
            converted = _type_of_constant(op.value, op)
        _convert(value, converted)


def _convert(value: SSAValue, wanted: Attribute) -> None:
    if value.type != wanted:
        retype(value, wanted)


def _type_of(value: SSAValue, op: Operation) -> Attribute:
    if (result := host_type(value.type)) is None:
        raise PassFailed(f"the host cannot hold {type_words(value.type)}", op)
    return result


def _type_of_constant(value: Attribute, op: Operation) -> Attribute:
    """The host's type of a constant, which follows from its value."""
    if (result := constant_type(value)) is None:
        raise PassFailed(f"the host cannot hold the constant {value}", op, code="DY401")
    return result


# ---- loops


def _keep_tensors(loop: d.WhileOp) -> None:
    """Keep the tensors that the next iteration is given."""
    args = loop.before.block.args
    for back_edge in loop.back_edges:
        values = list(back_edge.forwarded)
        for i, value in enumerate(values):
            if isinstance(value.type, MemRefType) and _is_passing(value, i, loop):
                keep = host.KeepOp(value)
                keep.result.name_hint = args[i].name_hint
                insert_before(back_edge, keep)
                values[i] = keep.result
        back_edge.forward(values)


def _keep_results(call: d.LocalCallOp) -> None:
    """Keep the tensors that a local function gives: they lie in what it has left."""
    for result in call.results:
        if isinstance(result.type, MemRefType) and result.uses:
            keep = host.KeepOp(result)
            keep.result.name_hint = result.name_hint
            insert_after(call, keep)
            result.replace_all_uses_with(keep.result)
            keep.operands[0] = result


def _is_passing(value: SSAValue, index: int, loop: d.WhileOp) -> bool:
    """Whether the memory of a value may be written to in the next iteration.

    Not so for what is there before the loop, for what stays in its place, and for a
    buffer that no launch fills: that of a name without a value.
    """
    owner = value.owner
    if isinstance(owner, host.AllocOp) and not _is_filled(owner):
        return False
    carried, entered = loop.before.block.args[index], loop.body.block.args[index]
    if value is entered and loop.condition.values[index] is carried:
        return False
    inside = owner.parent_op() if isinstance(owner, Block) else owner
    return inside is not None and loop.is_ancestor(inside)


def _is_filled(alloc: host.AllocOp) -> bool:
    users = [use.operation for use in alloc.result.uses]
    return any(
        isinstance(op, host.LaunchOp) and alloc.result in op.outputs for op in users
    )


# ---- memory


def _bufferize(op: Operation) -> None:
    """Put ops of the host, with its types, in the place of one."""
    if isinstance(op, d.LaunchOp):
        _lower_launch(op)
        return
    new = _lowered(op)
    for name, attribute in op.attributes.items():
        new.attributes.setdefault(name, attribute)
    replace(op, new)


def _lower_launch(op: d.LaunchOp) -> None:
    """A buffer for each result; a number is read out of its buffer at once."""
    allocs: list[host.AllocOp] = []
    reads: list[Operation] = []
    results: list[SSAValue] = []
    for result in op.results:
        number = _type_of(result, op)
        if number not in NUMBERS:
            alloc = host.AllocOp(_buffer_type(result, op))
            results.append(alloc.result)
        else:
            alloc = host.AllocOp(MemRefType(number, []))
            alloc.result.name_hint = f"{result.name_hint or 'number'}_out"
            read = host.ReadOp(alloc.result, number)
            reads.append(read)
            results.append(read.result)
        allocs.append(alloc)
    outputs = [alloc.result for alloc in allocs]
    launch = host.LaunchOp(op.kernel_name, op.operands, outputs)
    launch.attributes.update(op.attributes)
    insert_before(op, *allocs, launch, *reads)
    replace(op, results)


def _lowered(op: Operation) -> Operation:
    match op:
        case d.ParamOp():
            return host.ParamOp(op.path.data, _buffer_type(op.result, op))
        case d.ViewOp():
            return host.ViewOp(op.operand, _buffer_type(op.result, op))
        case d.CastOp() | d.RefineOp():
            return host.CastOp(op.operand, _buffer_type(op.result, op))
        case d.ItemOp():
            return host.ReadOp(op.operand, _type_of(op.result, op))
        case d.UnboundOp():
            return _lower_unbound(op)
        case torch.ConstantOp():
            value = to_attr(op.python_value())
            return d.ConstantOp(value, _type_of_constant(value, op))
        case torch.VTensorLiteralOp(value=DenseIntOrFPElementsAttr() as dense):
            value = signless_dense(dense)
            return d.ConstantOp(value, _type_of_constant(value, op))
        case _:
            raise PassFailed(
                "the elements of this constant tensor are not in the IR",
                op,
                hint="write it as dense<..> instead of dense_resource<..>",
            )


def _lower_unbound(op: d.UnboundOp) -> Operation:
    """A name without a value, which nobody reads: anything of its type."""
    result_type = _type_of(op.result, op)
    if isinstance(result_type, MemRefType):
        return host.AllocOp(_buffer_type(op.result, op))
    if isinstance(result_type, d.SequenceType):
        return d.SequenceOp([], result_type)
    if isinstance(result_type, d.NodeType):
        raise PassFailed("a name may have no node yet where it is handed on", op)
    value = {"float": 0.0, "bool": False, "str": "", "None": None}
    return d.ConstantOp(to_attr(value.get(SCALARS[result_type], 0)), result_type)


def _buffer_type(value: SSAValue, op: Operation) -> BufferType:
    result = _type_of(value, op)
    if not isinstance(result, MemRefType):
        raise PassFailed(f"{op.name} needs a tensor, not {type_words(value.type)}", op)
    return result
