"""Which layout a kernel would like its tensors to have.

A convolution works on blocks of channels, one vector register each. A kernel that gets
its image in rows must put it into blocks first; one that flattens a result needs rows.
What stands between (elementwise ops, paddings) works on either.
"""

from enum import Enum

from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir.torch import ConstantIntOp, VTensorType
from dycl.support.disjoint import DisjointSets


class Wish(Enum):
    """The layout that costs a kernel nothing."""

    BLOCKS = 1
    EITHER = 0
    ROWS = -1


CHANNELS = 1
"""The dimension of an image that is cut into blocks: N C H W."""

LANES = 16
"""Channels in a block: the elements of a vector register."""

_POOLS = frozenset(
    f"torch.aten.{name}"
    for name in (
        *("max_pool2d", "avg_pool2d"),
        *("adaptive_max_pool2d", "adaptive_avg_pool2d"),
    )
)
_ELEMENTWISE = frozenset(
    f"torch.aten.{name}"
    for name in (
        *("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor"),
        *("add.Scalar", "sub.Scalar", "mul.Scalar", "div.Scalar", "rsub.Scalar"),
        *("relu", "relu6", "leaky_relu", "hardtanh", "hardswish", "hardsigmoid"),
        *("sigmoid", "tanh", "silu", "gelu", "elu", "exp", "neg", "abs", "square"),
        *("clamp", "clamp_min", "maximum", "minimum", "batch_norm"),
        *("constant_pad_nd", "dropout"),
    )
)
_REDUCTIONS = frozenset(
    f"torch.aten.{name}"
    for name in ("mean.dim", "sum.dim_IntList", "mean", "sum", "amax", "max")
)
"""Reading in another order costs them nothing."""


def is_image(value: SSAValue, lanes: int) -> bool:
    """Whether a value may be blocked: N C H W of f32, and a block's worth of channels.

    `lanes` is the size of a block.
    """
    tensor = value.type
    if not isinstance(tensor, VTensorType) or tensor.element_type() != f32:
        return False
    sizes = tensor.sizes()
    if sizes is None or len(sizes) != 4 or min(sizes) < 1:
        return False
    return sizes[CHANNELS] >= lanes and sizes[CHANNELS] % lanes == 0


def wishes(kernel: FuncOp, lanes: int) -> tuple[list[Wish], list[Wish]]:
    """What a kernel wants its arguments and its results to be, in order."""
    block = kernel.body.block
    chains = DisjointSets[SSAValue]()  # Values that elementwise ops tie together.
    wants: list[tuple[SSAValue, Wish]] = []
    for op in block.ops:
        images = [v for v in (*op.operands, *op.results) if is_image(v, lanes)]
        if _works_on_blocks(op, lanes):
            wants += [(v, Wish.BLOCKS) for v in (op.operands[0], op.results[0])]
        elif op.name in _ELEMENTWISE:
            for image in images[1:]:
                chains.join(images[0], image)
        elif not _is_reduction(op) and op is not block.last_op:
            wants += [(v, Wish.ROWS) for v in images]
    by_value: dict[SSAValue, set[Wish]] = {}
    for value, wish in wants:
        by_value.setdefault(chains.find(value), set()).add(wish)

    def of(value: SSAValue) -> Wish:
        wanted = by_value.get(chains.find(value), set[Wish]())
        if not is_image(value, lanes):
            return Wish.ROWS
        # Who wants both has to convert once in any case.
        return next(iter(wanted)) if len(wanted) == 1 else Wish.EITHER

    last_op = block.last_op
    results = () if last_op is None else last_op.operands
    return [of(v) for v in block.args], [of(v) for v in results]


def _works_on_blocks(op: Operation, lanes: int) -> bool:
    """Whether an op is a convolution or a pool that takes and gives blocks."""
    if op.name == "torch.aten.conv2d":
        return _convolves_blocks(op, lanes)
    return op.name in _POOLS and not _is_reduction(op)


def _convolves_blocks(op: Operation, lanes: int) -> bool:
    """Whether the groups of a convolution, for all that can be seen, fit blocks.

    There is one group, or each channel is one, or a group is of whole blocks, or
    several groups are a block; see `dycl.kernels.cpu.blocks.block_groups`.
    """
    groups = op.operands[-1].owner
    if not isinstance(groups, ConstantIntOp):
        return False
    count = groups.python_value()
    if count == 1:
        return True
    sizes = [_channels(v) for v in (op.operands[0], op.results[0])]
    if 0 in sizes:
        return False
    one, other = (size // count for size in sizes)
    alike = one == other and one in (1, 2, 4, 8) and sizes[0] % lanes == 0
    return alike or (one % lanes == 0 and other % lanes == 0)


def _channels(value: SSAValue) -> int:
    """The channels of an image; 0: that is not known."""
    sizes = value.type.sizes() if isinstance(value.type, VTensorType) else None
    return sizes[CHANNELS] if sizes is not None and len(sizes) == 4 else 0


def _is_reduction(op: Operation) -> bool:
    """Whether an op reads an image in any order; a pool to 1x1 is a mean."""
    if op.name in _REDUCTIONS:
        return True
    result_type = op.results[0].type if op.results else None
    sizes = result_type.sizes() if isinstance(result_type, VTensorType) else None
    return op.name in _POOLS and sizes is not None and list(sizes[2:]) == [1, 1]
