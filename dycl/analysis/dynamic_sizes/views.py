"""When a view of sizes that the data decides is possible, in one relation.

    x[mask].view(-1, 4)         (4 * d) % 16 == 0
    x[:, :n].view(2, n + 3)     4 * d == 2 * (n + 3)

torch asks many questions on its way to a view, and divides by sizes that may be zero.
A tensor whose sizes the data decides is contiguous, so that the number of elements
alone says whether a view exists; torch's other guards follow from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import gcd, prod

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.size_texts import code_of
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, leaves
from dycl.ir import InvokeOp

_METHODS = ("view", "reshape")
_LARGEST_HINT = 4096


@dataclass(frozen=True)
class View:
    """What a view must fulfil, and the shape that it then has."""

    relation: str
    shape: tuple[int | Dim, ...]


def view_of(op: Operation, operands: Sequence[object]) -> View | None:
    """What can be said of a view; None: the op is none, or its sizes are not known."""
    if not isinstance(op, InvokeOp) or op.method.data not in _METHODS:
        return None
    tensor, *sizes = [leaf for tree in operands for leaf in leaves(tree)]
    wanted = [one for size in sizes if (one := _size(size)) is not None]
    if not isinstance(tensor, Tensor) or len(wanted) < len(sizes):
        return None
    known = [one for one in wanted if one != -1]
    if len(known) == len(wanted):
        relation = f"(({_product(tensor.shape)}) == ({_product(known)}))"
        return View(relation, tuple(known))
    numbers = [one for one in known if isinstance(one, int)]
    if len(wanted) - len(known) > 1 or len(numbers) < len(known) or 0 in numbers:
        return None  # of a size that the data decides it may be the quotient by zero
    common = gcd(prod(numbers), _number(tensor.shape))
    count, factor = _product(tensor.shape, common), prod(numbers) // common
    rest = Dim(f"(({count}) // {factor})")
    shape = tuple(rest if one == -1 else one for one in wanted)
    return View(f"((({count}) % {factor}) == 0)", shape)


def fitting_hints(
    relation: str, names: Sequence[str], primes: Sequence[int]
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Sizes of which the relation holds: primes, but for one name."""
    code = code_of(relation)
    for chosen in names:
        hints = dict(zip(names, cycle(primes), strict=False))
        for size in range(primes[0], _LARGEST_HINT):
            hints[chosen] = size
            if eval(code, {"__builtins__": {}, "Max": max, "Min": min}, hints):
                yield tuple(hints.items())
                break


def _size(size: object) -> int | Dim | None:
    if type(size) is int and size >= -1:
        return size
    return size.size if isinstance(size, Scalar) else None


def _number(sizes: Sequence[int | Dim]) -> int:
    return prod(size for size in sizes if isinstance(size, int))


def _product(sizes: Sequence[int | Dim], divisor: int = 1) -> str:
    """The product as text, of which the known factors are divided."""
    texts = [size.text for size in sizes if isinstance(size, Dim)]
    number = _number(sizes) // divisor
    return " * ".join([str(number)] * (number != 1) + [f"({t})" for t in texts]) or "1"
