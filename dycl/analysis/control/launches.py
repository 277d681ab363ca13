"""Do the launches of a module fit its kernels? Used by the checks of hcfg and host."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

import dycl.ir as d
from dycl.ir import host
from dycl.ir.host.convert import host_type
from dycl.ir.host.layouts import blocked, given_blocks
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
        if kernel is None or "dycl.kernel" not in kernel.attributes:
            known = "is not in this module" if kernel is None else "is not a kernel"
            yield Problem(op, f"it launches @{op.kernel_name}, which {known}")
            continue
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


def kernel_problems(module: ModuleOp) -> Iterator[Problem]:
    """What keeps a kernel from being compiled: it must be public and straight-line."""
    for op in module.ops:
        if not isinstance(op, FuncOp) or "dycl.kernel" not in op.attributes:
            continue
        name = op.sym_name.data
        if op.sym_visibility is not None and op.sym_visibility.data != "public":
            yield Problem(op, f"kernel @{name} is not public, torch-mlir drops it")
        for inner in walk(op):
            if inner is not op and inner.regions:
                yield Problem(inner, f"kernel @{name} has a branch, `{inner.name}`")


def _host_type(torch_type: Attribute) -> Attribute:
    return host_type(torch_type) or torch_type


def _output_type(torch_type: Attribute) -> Attribute:
    """A number that a kernel gives comes in a buffer of rank 0."""
    found = _host_type(torch_type)
    return MemRefType(found, []) if found in NUMBERS else found


def _stored(
    types: Iterable[Attribute], attributes: ArrayAttr[DictionaryAttr] | None
) -> tuple[Attribute, ...]:
    """The types with the layouts that a kernel has been given for them."""
    if attributes is None:
        return tuple(types)
    return tuple(
        blocked(one, blocks)
        if isinstance(one, MemRefType) and (blocks := given_blocks(entry))
        else one
        for one, entry in zip(types, attributes, strict=True)
    )


def _text(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))
