"""When a view of sizes that the data decides is possible, in one relation.

    x[mask].view(-1, 4)         (4 * d) % 16 == 0
    x[:, :n].view(2, n + 3)     4 * d == 2 * (n + 3)
    x[mask].view(n, -1)         (4 * d) % Max(1, n) == 0
    x[mask].unflatten(0, (2, -1))   d % 2 == 0

torch asks many questions on its way to a view, and divides by sizes that may be zero.
A tensor whose sizes the data decides is contiguous, so that the number of elements
alone says whether a view exists; torch's other guards follow from it. Beside a size of
none, `-1` may be any: torch raises, which the caller finds by trying small sizes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from math import gcd, prod

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.size_texts import evaluate, is_true
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, leaves
from dycl.ir import CallOp, InvokeOp
from dycl.ir.constant_values import constant_name

_METHODS = ("view", "reshape", "unflatten")
_FUNCTIONS = ("torch.reshape", "torch.unflatten")
_LARGEST_HINT = 4096


@dataclass(frozen=True)
class View:
    """What a view must fulfil, and the shape that it then has."""

    relation: str
    shape: tuple[int | Dim, ...]


def view_of(op: Operation, operands: Sequence[object]) -> View | None:
    """What can be said of a view; None: the op is none, or its sizes are not known."""
    match op:
        case InvokeOp() if (name := op.method.data) in _METHODS:
            pass
        case CallOp() if (name := constant_name(op.callee)) in _FUNCTIONS:
            operands = operands[1:]
        case _:
            return None
    tensor, *given = [leaf for tree in operands for leaf in leaves(tree)]
    if not isinstance(tensor, Tensor):
        return None
    if not name.endswith("unflatten"):
        return _view(tensor.shape, given)
    in_order = op.keyword_names in ((), ("sizes",), ("dim", "sizes"))
    return _unflattened(tensor.shape, given) if given and in_order else None


def _unflattened(whole: Sequence[int | Dim], given: Sequence[object]) -> View | None:
    """A view of one dim alone: it has a shape beside a dim of no elements, too.

    None also for a -1 beside sizes of the run: kernels do not find what it stands for.
    """
    dim, *sizes = given
    if -1 in sizes and any(isinstance(_size(size), Dim) for size in sizes):
        return None
    if type(dim) is not int or not -len(whole) <= dim < len(whole):
        return None
    dim %= len(whole)
    if (part := _view(whole[dim : dim + 1], sizes)) is None:
        return None
    return View(part.relation, (*whole[:dim], *part.shape, *whole[dim + 1 :]))


def _view(tensor: Sequence[int | Dim], given: Sequence[object]) -> View | None:
    """Of which one of the sizes that are given may be -1."""
    wanted = [one for size in given if (one := _size(size)) is not None]
    if len(wanted) < len(given):
        return None
    known = [one for one in wanted if one != -1]
    if len(known) == len(wanted):
        relation = f"(({_product(tensor)}) == ({_product(known)}))"
        return View(relation, tuple(known))
    if len(wanted) - len(known) > 1 or 0 in known:
        return None
    shape, others = _without_common(tensor, known)
    common = gcd(_number(others), _number(shape))
    count, factor = _product(shape, common), _divisor(others, common)
    left = [*shape, *others]
    if any(isinstance(size, Dim) for size in left):
        rest = Dim(f"(({count}) // {factor})")
    elif int(count) % int(factor):
        return None
    else:
        rest = int(count) // int(factor)
    sizes = tuple(rest if one == -1 else one for one in wanted)
    return View(f"((({count}) % {factor}) == 0)", sizes)


def _without_common(
    shape: Sequence[int | Dim], known: Sequence[int | Dim]
) -> tuple[list[int | Dim], list[int | Dim]]:
    """Both without the sizes that the data decides and both have."""
    left, given = list(shape), list(known)
    for size in known:
        if isinstance(size, Dim) and size in left:
            left.remove(size)
            given.remove(size)
    return left, given


def _divisor(sizes: Sequence[int | Dim], common: int) -> str:
    """The product as text, without a factor, and at least one where it may be zero."""
    text = _product(sizes, common)
    return f"Max(1, {text})" if any(isinstance(s, Dim) for s in sizes) else text


def fitting_hints(
    relation: str, names: Sequence[str], primes: Sequence[int]
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Sizes of which the relation holds: prime ones, or products, but for one name.

    They are all different: of equal ones torch would say that nothing changes. If one
    divides another, torch may say what holds for such sizes only: so those come last.
    """
    for chosen, sizes in product(names, (_PRODUCTS, primes)):
        hints = dict(zip(names, cycle(sizes), strict=False))
        del hints[chosen]
        others = list(hints.values())
        apart = (n for n in range(primes[0], _LARGEST_HINT) if _is_apart(n, others))
        multiples = (
            size * factor for size in others for factor in primes[len(names) :]
        )
        large, small = range(primes[0], _LARGEST_HINT), range(2, primes[0])
        for candidates in (apart, multiples, large, small):
            for size in candidates:
                found = {name: hints.get(name, size) for name in names}
                if size not in others and is_true(relation, found):
                    yield tuple(found.items())
                    break


def _is_apart(size: int, others: Sequence[int]) -> bool:
    return all(size % other and other % size for other in others)


_PRODUCTS = (11 * 13, 17 * 19, 7 * 23, 5 * 29, 3 * 31)


def is_the_view(view: View, found: Tensor, hints: Iterable[Mapping[str, int]]) -> bool:
    """Whether torch's view has the sizes of ours, also with other sizes than it had."""
    return all(
        _number_of(one, sizes) == _number_of(other, sizes)
        for sizes in hints
        for one, other in zip(view.shape, found.shape, strict=True)
    )


def _number_of(size: int | Dim, sizes: Mapping[str, int]) -> int:
    return evaluate(size.text, dict(sizes)) if isinstance(size, Dim) else size


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
