"""Long runs of tensor ops become kernels of bounded size: work stays linear."""

import sys
from collections import Counter
from types import FrameType

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr, UnknownLoc, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.analysis.control import cuts
from dycl.ir import ReturnOp
from dycl.ir.torch import VTensorType, plain_op
from dycl.passes.outline_branches import OutlineBranchesPass
from dycl.passes.share_kernels import ShareKernelsPass

T = VTensorType.of((1, 8), f32)
NAMES = ("relu", "tanh", "exp", "sigmoid", "neg", "abs", "sin")
MOST = OutlineBranchesPass.max_ops


def straight(count: int) -> Block:
    """`count` operations, each of what the one before gives; they repeat themselves."""
    block = Block(arg_types=[T])
    value: SSAValue = block.args[0]
    for index in range(count):
        name = f"torch.aten.{NAMES[index % len(NAMES)]}"
        op = plain_op(name)([value], [T], location=UnknownLoc())
        block.add_op(op)
        value = op.results[0]
    return block


def kernels(count: int) -> list[int]:
    """The sizes of the kernels of such a program, when equal ones are shared."""
    block = straight(count)
    assert block.last_op is not None
    block.add_op(ReturnOp(block.last_op.results))
    entry = FuncOp("forward", ([T], []), Region(block))
    entry.attributes["dycl.entry"] = UnitAttr()
    module = ModuleOp([entry])
    OutlineBranchesPass().apply(Context(), module)
    ShareKernelsPass().apply(Context(), module)
    found = [f for f in module.body.ops if isinstance(f, FuncOp) and f is not entry]
    return [len(list(f.body.block.ops)) - 1 for f in found]


def test_no_kernel_grows_with_the_program() -> None:
    assert kernels(MOST) == [MOST]
    for count in (1000, 2000, 4000):
        assert max(kernels(count)) <= MOST
        assert len(kernels(count)) <= 2, "a program that repeats itself is shared"


@pytest.mark.parametrize("most", [1, 2, 3, MOST])
def test_all_ops_come_once_and_in_order(most: int) -> None:
    ops = list(straight(1000).ops)
    found = list(cuts.pieces(ops, most))
    assert [op for piece in found for op in piece] == ops
    assert all(most <= 2 * len(piece) <= 2 * most for piece in found[:-1])
    assert len(found[-1]) <= most


def test_work_is_linear_in_the_number_of_operations() -> None:
    few, many = (calls(list(straight(count).ops)) for count in (1000, 4000))
    assert 3.5 < many / few < 4.5


def calls(ops: list[Operation]) -> int:
    """How many Python functions of the module are called, by all of them."""
    seen: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename == cuts.__file__:
            seen[frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        list(cuts.pieces(ops, MOST))
    finally:
        sys.setprofile(None)
    return seen.total()
