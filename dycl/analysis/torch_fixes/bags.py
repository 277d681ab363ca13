"""`embedding_bag`: torch-mlir leaves the weights of its rows out.

Only the first result: what else torch gives depends on which of its loops ran.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable
from dycl.analysis.tracing.proxies import node_of

NAMES = ("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
_SUM, _MEAN, _MAX = range(3)


def refuse_rest(name: str, node: Any) -> None:
    """Untraceable: more than the first result of the fx node is used."""
    if name in NAMES and any(u.args[1] != 0 and u.users for u in node.users):
        raise Untraceable(
            "what `torch.embedding_bag` gives besides the sums has no lowering"
        )


def embedding_bag(
    op: Any,
    weight: Any,
    index: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = _SUM,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """Rows of a table, [n], summed by bags that begin at offsets, [b] -> [b, d]."""
    import torch

    count, size = offsets.shape[0] - int(include_last_offset), index.shape[0]
    if padding_idx is not None:
        is_row = padding_idx >= 0 or _counts_from_end(op)
        padding_idx = padding_idx % weight.shape[0] if is_row else None
    length = 0 if include_last_offset else _common_length(offsets, size)
    if length and mode != _MAX and weight.dtype in (torch.float32, torch.float64):
        bags = index.view(count, length)
        result = _of_equal_bags(weight, bags, mode, per_sample_weights, padding_idx)
        rest = offsets.new_zeros(0)
        return result, rest, rest, rest
    _demand_order(offsets, size, include_last_offset)
    rows = torch.nn.functional.embedding(index, weight)
    begun = (torch.arange(size).unsqueeze(1) >= offsets[:count]).sum(1)
    # One more bag, for what belongs to none: it is thrown away.
    bag = torch.where(begun > 0, begun - 1, count)
    if include_last_offset:
        bag = torch.where(torch.arange(size) >= offsets[count], count, bag)
    if padding_idx is not None:
        bag = torch.where(index == padding_idx, count, bag)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    empty = rows.new_zeros(count + 1, *rows.shape[1:])
    with unchecked():
        if mode == _MAX:
            wide = bag.unsqueeze(1).expand(rows.shape)
            result = empty.scatter_reduce(0, wide, rows, "amax", include_self=False)
        else:
            result = empty.index_add(0, bag, rows)
        if mode == _MEAN:
            ones = torch.ones(size, dtype=rows.dtype)
            counts = rows.new_zeros(count + 1).index_add(0, bag, ones)
            result = result / counts.clamp(min=1).unsqueeze(1)
    rest = offsets.new_zeros(0)
    return result.narrow(0, 0, count), rest, rest, rest


def _demand_order(offsets: Any, size: Any, include_last_offset: bool) -> None:
    """Let the run raise where bags do not begin at 0, or not one behind the other.

    There may be no offsets at all in a run, so none is taken from its place.
    """
    import torch

    if include_last_offset and type(offsets.shape[0]) is not int:
        demand(torch.full((), offsets.shape[0]) > 0, f"RuntimeError: {_NO_LAST}")
    places = torch.arange(offsets.shape[0])
    with unchecked():
        before = offsets.index_select(0, (places - 1).clamp(min=0))
    demand(((offsets == 0) | (places > 0)).all(), f"RuntimeError: {_FIRST}")
    demand((offsets <= size).all(), f"RuntimeError: {_LAST}")
    demand((offsets >= before).all(), f"RuntimeError: {_ORDER}")


def _common_length(offsets: Any, size: int) -> int:
    """How many indices each bag has, where torch itself made the offsets of indices in
    two dims, `arange(0, size, length)`; 0 for all other offsets."""
    import torch

    node = node_of(offsets)
    if node is None or node.target != torch.ops.aten.arange.start_step:
        return 0
    start, end, step = (*node.args, 1)[:3]
    if not all(type(n) is int for n in (start, end, step)) or step <= 0:
        return 0
    is_whole = (start, end) == (0, size) and size == offsets.shape[0] * step
    return step if is_whole else 0


def _of_equal_bags(
    weight: Any, bags: Any, mode: int, per_sample_weights: Any, padding_idx: int | None
) -> Any:
    """The sums or means of the rows of each bag, [b, n] -> [b, d]."""
    import torch

    rows = torch.nn.functional.embedding(bags, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.view(bags.shape).unsqueeze(2)
    if padding_idx is None:
        return rows.mean(1) if mode == _MEAN else rows.sum(1)
    counts = bags != padding_idx
    result = torch.where(counts.unsqueeze(2), rows, 0.0).sum(1)
    if mode == _MEAN:
        number = counts.to(rows.dtype).sum(1, keepdim=True)
        result = result / number.clamp(min=1)
    return result


def _counts_from_end(op: Any) -> bool:
    """Whether a padding below 0 is a row; inner forms say -1 for none."""
    return op._overloadname == "padding_idx"


_FIRST = (
    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to "
    "start from position 0."
)
_NO_LAST = "include_last_offset: number of offsets should be at least 1"
_LAST = "offsets[-1] can not be greater than input's length, the count of indices"
_ORDER = "offsets of embedding_bag must not decrease"


REWRITES = dict.fromkeys(NAMES, embedding_bag)
"""Name of an op -> what it is written as, from the overload and its operands."""
