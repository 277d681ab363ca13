"""Small real tensors, for ops that are quicker to run than to ask about.

Fake tensors answer for every op, in Python: most ops on small tensors run ten times as
fast. And their mode imports torch's compilers: more than a second, and more than
compiling a small network takes otherwise. An op on small tensors is run on zeros
instead, by the kernels that eager runs. What comes out has the shape, dtype, strides
and memory that eager gives, if no element has a part in it: so each aten op on the way
has to be one of `PLAIN`. Any other ends the attempt (`NotPlain`), as does an error;
then fake tensors answer, and say what is wrong.

torch is imported where a tensor is made.
"""

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Self, cast

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation

from dycl.analysis.tensors import leaf_modules
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.ir import CallOp, CompareOp, GetattrOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.dtypes import torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.values import DeviceRef, GlobalRef, ObjectRef, ParamRef

MOST_ELEMENTS = 1 << 20
"""In one tensor: 4 MB of zeros."""
MOST_OF_PARAMETERS = 1 << 22
"""In one parameter, which is read once: 16 MB of zeros, as of a transformer's layer."""
MOST_RESULTS = 1 << 22
"""Elements of a result."""
MOST_PRODUCTS = 1 << 26
"""Multiplications of one convolution: some milliseconds."""
MOST_OF_MATRICES = 1 << 29
"""Multiplications of one matrix product, whose kernels are faster, and of which a
network has few kinds: 10 to 20 milliseconds."""

PLAIN = frozenset(
    f"aten::{name}"
    for name in (
        *("convolution", "native_batch_norm", "native_layer_norm", "native_group_norm"),
        *("mm", "addmm", "bmm", "baddbmm", "mv", "dot"),
        *("add", "sub", "rsub", "mul", "div", "neg", "abs", "pow", "sqrt", "rsqrt"),
        *("exp", "log", "sin", "cos", "reciprocal", "sign", "floor", "ceil", "round"),
        *("maximum", "minimum", "clamp", "clamp_min", "clamp_max", "where"),
        *("relu", "gelu", "silu", "sigmoid", "tanh", "elu", "leaky_relu", "hardtanh"),
        *("hardswish", "hardsigmoid", "softplus", "mish", "erf", "log_sigmoid_forward"),
        *("_softmax", "_log_softmax", "sum", "mean", "amax", "amin", "max", "min"),
        *("argmax", "argmin", "any", "all", "var", "std", "var_mean", "cumsum", "prod"),
        *("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf"),
        *("logical_and", "logical_or", "logical_not", "logical_xor"),
        *("bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor"),
        *("max_pool2d_with_indices", "avg_pool2d"),
        *("_adaptive_avg_pool2d", "adaptive_max_pool2d"),
        *("view", "_unsafe_view", "reshape", "permute", "transpose", "t", "expand"),
        *("squeeze", "unsqueeze", "select", "slice", "split", "split_with_sizes"),
        *("unbind", "alias", "detach", "clone", "_to_copy", "cat", "stack"),
        *("linear", "contiguous", "_reshape_alias", "as_strided", "lift_fresh"),
        "_scaled_dot_product_flash_attention_for_cpu",
        *("flip", "tril", "triu"),
    )
)
"""Ops whose results have the same form whatever the elements are, and not many more of
them than the operands together; with `_` they do it in place. None draws numbers."""
_AGREED = frozenset(
    f"aten::{name}"
    for name in (
        *("permute", "transpose", "t", "select", "slice", "expand", "alias", "detach"),
        *("split", "split_with_sizes", "unbind", "unsqueeze", "squeeze"),
        "_scaled_dot_product_flash_attention_for_cpu",
    )
)
"""Ops whose results have strides that eager and fake tensors find alike, also where
they mean nothing: they are taken over from the operands, or follow from the sizes."""
_MAKING = frozenset(
    f"aten::{name}"
    for name in (
        *("zeros", "ones", "empty", "full", "new_zeros", "new_ones", "new_full"),
        *("zeros_like", "ones_like", "empty_like", "full_like", "scalar_tensor"),
    )
)
"""Ops that make tensors of a size that they are given."""
_FACTS = (
    *("size", "dim", "ndimension", "numel", "nelement", "stride", "is_contiguous"),
    *("is_floating_point", "is_complex", "element_size"),
)
"""Methods that tell what is known of a tensor without its elements."""
_ARRANGING = frozenset(
    f"builtins.{name}"
    for name in ("len", "zip", "enumerate", "reversed", "list", "tuple")
)
"""Functions that give what they are given in other places, or count it."""


class NotPlain(Exception):
    """An op that needs more than small tensors."""


@dataclass(frozen=True)
class SmallTensors:
    """Zeros for the operands and parameters of one op."""

    operands: tuple[object, ...]
    parameters: dict[str, Tensor]
    """Of a leaf module, by local name."""
    ran: set[str] = field(default_factory=set[str])
    """The aten ops that were run."""

    @classmethod
    def of(
        cls, op: Operation, operands: Sequence[object], environment: Environment
    ) -> Self | None:
        """None: they would not be small, or the op takes something else than tensors,
        numbers and texts."""
        parameters: dict[str, Tensor] = {}
        if isinstance(op, (CallOp, InvokeOp)) and isinstance(operands[0], ObjectRef):
            known = leaf_modules.parameters(environment, operands[0].path)
            parameters = {
                name: Tensor.contiguous(ref.shape, ref.dtype)
                for name, ref in known.items()
            }
        operand_leaves = list(leaves(tuple(operands)))
        tensors = [leaf for leaf in operand_leaves if isinstance(leaf, Tensor)]
        if not all(map(_is_taken, operand_leaves)):
            return None
        if any(_count(item) > MOST_ELEMENTS for item in tensors) or any(
            _count(item) > MOST_OF_PARAMETERS for item in parameters.values()
        ):
            return None
        return cls(tuple(operands), parameters)

    def given(self, other: Callable[[object], object]) -> tuple[object, ...]:
        """The operands; `other` gives leaves that are no tensors."""

        def one(leaf: object) -> object:
            return _zeros(leaf) if isinstance(leaf, Tensor) else other(leaf)

        return cast("tuple[object, ...]", map_leaves(self.operands, one))

    @cached_property
    def made(self) -> dict[str, Any]:
        """The parameters by local name."""
        return {name: _zeros(tensor) for name, tensor in self.parameters.items()}

    def parameter(self, name: str, _: ParamRef) -> Any:
        """A parameter of the leaf module."""
        return self.made[name]

    @contextmanager
    def only_plain(self) -> Generator[None]:
        """Run ops in one thread; one that is not `PLAIN` raises NotPlain."""
        _ = self.made  # before: what makes them is not plain
        usual = all(has_agreed_strides(v) for v in leaves(self.operands))
        with one_thread(), _mode()(self.ran, PLAIN if usual else _AGREED):
            yield

    def says_strides(self, new: Iterable[object]) -> bool:
        """Whether these results, which are no views, have the strides of fake ones."""
        return self.ran <= _AGREED or all(map(has_agreed_strides, new))


@contextmanager
def one_thread() -> Generator[None]:
    """Run torch's kernels in this thread: others would wait for the next, spinning."""
    import torch

    threads = torch.get_num_threads()
    if threads > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if threads > 1:
            torch.set_num_threads(threads)


def _is_taken(leaf: object) -> bool:
    match leaf:
        case Tensor():
            # Ints may say how large a result is, and torch reads some unseen.
            is_known = not isinstance(leaf.dtype, IntegerType) or leaf.dtype == i1
            return is_known and leaf.is_static and 0 not in leaf.shape
        case Scalar():
            return leaf.size is None
        case DeviceRef():
            return leaf.device == "cpu"
        case None | bool() | int() | float() | str() | GlobalRef() | ObjectRef():
            return True
        case _:
            return False


def has_agreed_strides(leaf: object) -> bool:
    """Whether a leaf is no tensor whose strides other ops may take otherwise."""
    if not isinstance(leaf, Tensor):
        return True
    return has_usual_strides(leaf) or _is_repeated(leaf)


def _is_repeated(tensor: Tensor) -> bool:
    """Whether all elements are one in memory."""
    steps = zip(tensor.sizes, tensor.strides, strict=True)
    return all(size == 1 or step == 0 for size, step in steps)


def _count(tensor: Tensor) -> int:
    """The elements, or those of the memory behind them if there are more."""
    return max(math.prod(tensor.sizes), _reach(tensor))


def _reach(tensor: Tensor) -> int:
    steps = zip(tensor.sizes, tensor.strides, strict=True)
    return 1 + sum((size - 1) * step for size, step in steps)


def _zeros(tensor: Tensor) -> Any:
    """A tensor of this shape, dtype and strides; no size is 0."""
    import torch

    memory = torch.zeros(_reach(tensor), dtype=torch_dtype(tensor.dtype))
    return memory.as_strided(tensor.sizes, tensor.strides)


def has_usual_strides(tensor: Tensor) -> bool:
    """Whether eager and fake tensors agree on the strides of a tensor.

    What stands for a dimension of size 1 means nothing, and may be another number in
    each, unless the tensor is in row-major order.
    """
    usual = Tensor.contiguous(tensor.shape, tensor.dtype)
    return 1 not in tensor.shape or tensor.strides == usual.strides


def tells_no_elements(op: Operation, found: Iterable[object]) -> bool:
    """Whether these leaves are tensors, or facts about one, and no elements."""
    if all(isinstance(leaf, Tensor) for leaf in found):
        return True
    match op:
        case GetattrOp():
            kinds = (Tensor, bool, int, tuple, GlobalRef, DeviceRef)
            return all(isinstance(leaf, kinds) for leaf in found)
        case InvokeOp():
            return op.method.data in _FACTS
        case CallOp():
            return constant_name(op.callee) in _ARRANGING
        case CompareOp():
            return op.kind_name in ("is", "is_not")
        case _:
            return False


def _is_plain(schema: Any, plain: frozenset[str]) -> bool:
    name = cast(str, schema.name)
    if not schema.is_mutable or plain is not PLAIN:
        return name in plain
    return name == "aten::copy_" or (name[-1] == "_" and name[:-1] in plain)


def _makes_small(func: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    if func._schema.name not in _MAKING or func._schema.is_mutable:
        return False
    if str(named.get("device") or "cpu") != "cpu":
        return False
    sizes = [size for size in args if isinstance(size, (list, tuple))]
    counts = [math.prod(size) for size in cast("list[tuple[int]]", sizes)]
    return all(count <= MOST_ELEMENTS for count in counts)


def _is_quick(name: str, args: tuple[Any, ...]) -> bool:
    """Whether an op on these operands gives little, and multiplies little."""
    shapes = [
        tuple(tensor.shape) for tensor in args if hasattr(tensor, "untyped_storage")
    ]
    if name == "aten::convolution":
        (_, _, *space), (filters, *window) = shapes[:2]
        around = [2 * size for size in args[4]]
        spread = zip(space, around, strict=True)
        places = shapes[0][0] * math.prod(size + more for size, more in spread)
        is_short = places * filters <= MOST_RESULTS and not args[6]
        return is_short and places * filters * math.prod(window) <= MOST_PRODUCTS
    if name in _PRODUCTS:
        *_, tensor, other = shapes
        columns = other[-1] if len(other) > 1 else 1
        rows = math.prod(tensor[:-1])
        is_short = rows * columns <= MOST_RESULTS
        return is_short and rows * columns * tensor[-1] <= MOST_OF_MATRICES
    if "attention" in name:
        query, key, value = shapes[:3]
        products = math.prod(query) * key[-2] + math.prod(query[:-1]) * math.prod(
            value[-2:]
        )
        return products <= MOST_OF_MATRICES
    if "adaptive" in name:
        return math.prod((*shapes[0][:-2], *args[1])) <= MOST_RESULTS
    rank = max(map(len, shapes), default=0)
    aligned = [(*(1,) * (rank - len(shape)), *shape) for shape in shapes]
    return math.prod(map(max, zip(*aligned, strict=True))) <= MOST_RESULTS


_PRODUCTS = tuple(f"aten::{x}" for x in ("mm", "addmm", "bmm", "baddbmm", "mv", "dot"))


@cache
def _mode() -> Callable[[set[str], frozenset[str]], Any]:
    from torch.utils._python_dispatch import TorchDispatchMode

    base: Any = TorchDispatchMode

    class OnlyPlain(base):
        def __init__(self, ran: set[str], plain: frozenset[str]) -> None:
            super().__init__()
            self.ran, self.plain = ran, plain

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # torch would import it, to say that it skips this

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            given = kwargs or {}
            schema = func._schema
            if not _is_plain(schema, self.plain) and (
                self.plain is not PLAIN or not _makes_small(func, args, given)
            ):
                raise NotPlain(str(func))
            if not _is_quick(schema.name, args):
                raise NotPlain(f"{func} on large tensors")
            self.ran.add(schema.name)
            return func(*args, **given)

    return OnlyPlain
