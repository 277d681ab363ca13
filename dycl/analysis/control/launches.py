"""Do the launches of a module fit its kernels? Used by the checks of hcfg and host."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

import dycl.ir as d
from dycl.ir import host
from dycl.ir.dialect.model import WEIGHT
from dycl.ir.functions import BACKEND
from dycl.ir.host.convert import host_type
from dycl.ir.host.layouts import BLOCKED, blocked, given_blocks
from dycl.ir.host.memories import given_memory, in_memory
from dycl.ir.host.types import NUMBERS
from dycl.ir.walking import walk


class Problem(NamedTuple):
    """An op, and what is wrong with it as a sentence without a full stop."""

    op: Operation
    what: str


def launch_problems(module: ModuleOp, root: Operation) -> Iterator[Problem]:
    """What is wrong with the `dycl.launch` and `host.launch` ops below `root`."""
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    for op in walk(root):
        match op:
            case d.LaunchOp():
                inputs, outputs = op.operand_types, op.result_types
            case host.LaunchOp():
                inputs = tuple(v.type for v in op.inputs)
                outputs = tuple(v.type for v in op.outputs)
            case _:
                continue
        kernel = kernels.get(op.kernel_name)
        if kernel is not None and list(slot_problems(kernel)):
            continue  # `kernel_problems` says it.
        if kernel is None or "dycl.kernel" not in kernel.attributes:
            known = "is not in this module" if kernel is None else "is not a kernel"
            yield Problem(op, f"it launches @{op.kernel_name}, which {known}")
            continue
        yield from _weight_problems(op, kernel)
        signature = kernel.function_type
        want_in, want_out = signature.inputs.data, signature.outputs.data
        if isinstance(op, host.LaunchOp):
            want_in = _stored(map(_host_type, want_in), kernel.arg_attrs)
            want_out = _stored(map(_output_type, want_out), kernel.res_attrs)
        for side, got, want in (
            ("takes", inputs, want_in),
            ("gives", outputs, want_out),
        ):
            if tuple(got) != tuple(want):
                yield Problem(
                    op,
                    f"kernel @{op.kernel_name} {side} ({_text(want)}), "
                    f"but its launch has ({_text(got)})",
                )


def fitting_launches(module: ModuleOp) -> Iterator[tuple[FuncOp, list[d.LaunchOp]]]:
    """Each kernel with its launches, in order; without kernels that a launch passes
    another number of values, which `launch_problems` tells."""
    launches: dict[str, list[d.LaunchOp]] = {}
    for op in walk(module):
        if isinstance(op, d.LaunchOp):
            launches.setdefault(op.kernel_name, []).append(op)
    for op in module.ops:
        if not isinstance(op, FuncOp) or "dycl.kernel" not in op.attributes:
            continue
        own_launches = launches.get(op.sym_name.data, [])
        count = len(op.function_type.inputs)
        if all(len(launch.operands) == count for launch in own_launches):
            yield op, own_launches


def kernel_problems(module: ModuleOp) -> Iterator[Problem]:
    """What keeps a kernel from being compiled: it must be public and straight-line."""
    for op in module.ops:
        if not isinstance(op, FuncOp) or "dycl.kernel" not in op.attributes:
            continue
        name = op.sym_name.data
        yield from slot_problems(op)
        backend = op.attributes.get(BACKEND)
        if backend is not None and not isinstance(backend, StringAttr):
            what = f"`{BACKEND}` is {backend}, but it must be a name in quotes"
            yield Problem(op, f"kernel @{name}: {what}")
        if len(op.body.blocks) != 1:
            yield Problem(op, f"kernel @{name} has {len(op.body.blocks)} blocks, not 1")
        if op.sym_visibility is not None and op.sym_visibility.data != "public":
            yield Problem(op, f"kernel @{name} is not public, so torch-mlir drops it")
        for inner in walk(op):
            if inner is not op and inner.regions:
                yield Problem(inner, f"kernel @{name} has a branch, `{inner.name}`")


def _weight_problems(
    op: d.LaunchOp | host.LaunchOp, kernel: FuncOp
) -> Iterator[Problem]:
    """What a kernel makes of its weights is made once: they must be parameters."""
    values = op.operands if isinstance(op, d.LaunchOp) else op.inputs
    for value, entry in zip(values, kernel.arg_attrs or (), strict=False):
        if WEIGHT in entry.data and not isinstance(
            value.owner, d.ParamOp | host.ParamOp
        ):
            yield Problem(
                op,
                f"kernel @{op.kernel_name} takes a parameter of the model for "
                f"`{value.name_hint or value.type}`, by its mark `{WEIGHT}`, but its "
                "launch passes something else: take the mark away",
            )


def slot_problems(kernel: FuncOp) -> Iterator[Problem]:
    """What is wrong with the attributes of a kernel's arguments and results."""
    name, signature = kernel.sym_name.data, kernel.function_type
    for side, attributes, types in (
        ("arguments", kernel.arg_attrs, signature.inputs.data),
        ("results", kernel.res_attrs, signature.outputs.data),
    ):
        if attributes is None:
            continue
        if len(attributes) != len(types):
            yield Problem(
                kernel,
                f"kernel @{name} has attributes for {len(attributes)} {side}, but "
                f"{len(types)} {side}",
            )
            continue
        for entry, actual in zip(attributes, types, strict=True):
            if BLOCKED in entry.data and not _fits_blocks(entry, actual):
                yield Problem(
                    kernel,
                    f"kernel @{name} has `{BLOCKED} = {entry.data[BLOCKED]}` for "
                    f"{actual}: it must be array<i64: dimension, size>",
                )


def _fits_blocks(entry: DictionaryAttr, torch_type: Attribute) -> bool:
    blocks, buffer = given_blocks(entry), host_type(torch_type)
    return (
        blocks is not None
        and isinstance(buffer, MemRefType)
        and 0 <= blocks.dim < buffer.get_num_dims()
        and blocks.size > 0
    )


def _host_type(torch_type: Attribute) -> Attribute:
    return host_type(torch_type) or torch_type


def _output_type(torch_type: Attribute) -> Attribute:
    """A number that a kernel gives comes in a buffer of rank 0."""
    host_type = _host_type(torch_type)
    return MemRefType(host_type, []) if host_type in NUMBERS else host_type


def _stored(
    types: Iterable[Attribute], attributes: ArrayAttr[DictionaryAttr] | None
) -> tuple[Attribute, ...]:
    """The types with the layouts and memories that a kernel has been given for them."""
    if attributes is None:
        return tuple(types)
    return tuple(
        _stored_one(actual, entry)
        for actual, entry in zip(types, attributes, strict=True)
    )


def _stored_one(actual: Attribute, entry: DictionaryAttr) -> Attribute:
    if not isinstance(actual, MemRefType):
        return actual
    if (blocks := given_blocks(entry)) is not None:
        actual = blocked(actual, blocks)
    return in_memory(actual, given_memory(entry))


def _text(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))
