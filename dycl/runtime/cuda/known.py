"""What is known of a tree before a run: the shapes of its memory, and numbers, for
arguments of certain shapes.

Nodes are gone through in order. Kernels say what shapes they give; where two fill the
same memory, or a loop fills it again, both have to give the same.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from dycl.runtime.cuda.sizes import misfit, needed, shapes_of, values_of
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from dycl.runtime.cuda.kernels import CudaKernel, CudaKernels
    from dycl.runtime.cuda.tree import Tree

Shape = tuple[int, ...]
_COMPUTES: Final[Mapping[str, Callable[..., Any]]] = {
    **{n: getattr(operator, n) for n in ("add", "sub", "mul", "truediv", "floordiv")},
    **{n: getattr(operator, n) for n in ("mod", "lt", "le", "gt", "ge", "eq", "ne")},
    **{"and": operator.and_, "or": operator.or_, "xor": operator.xor},
    **{"not": operator.not_, "neg": operator.neg, "pos": operator.pos, "bool": bool},
    "select": lambda condition, yes, no: yes if condition else no,
    **{"builtins.int": int, "builtins.float": float, "builtins.abs": abs},
    "builtins.round": round,
    **{f"math.{n}": getattr(math, n) for n in ("ceil", "floor", "trunc")},
}


class NotKnown(ValueError):
    """The graph cannot be made for such arguments; the host can run them."""


class Misfit(NotKnown):
    """... nor can it perhaps: sizes do not go together, on some path."""


class Known:
    """The shapes of the memory of a tree, and its numbers, for some arguments."""

    def __init__(
        self,
        tree: Tree,
        kernels: CudaKernels | None = None,
        arguments: Sequence[Shape | None] = (),
    ):
        """`arguments`: the shapes of arguments, None for numbers; what they are for
        does not matter where no size is open. NotKnown: a size depends on more."""
        self._tree, self._kernels = tree, kernels
        self._shapes: list[Shape | None] = [
            None if -1 in one["shape"] else tuple(one["shape"]) for one in tree.memory
        ]
        self._numbers: dict[int, Any] = {}
        if tree.is_open:
            for place, shape in enumerate(arguments):
                if shape is not None:
                    self._let(place, shape)
            self._body(tree.nodes)
            for one in tree.memory:
                if one["kind"] == "known":
                    self.number(one["of"])

    def shape(self, place: int) -> Shape:
        """The shape of memory; what nothing fills has no elements."""
        shape = self._shapes[place]
        if shape is None:
            return tuple(max(0, size) for size in self._tree.memory[place]["shape"])
        return shape

    def number(self, step: int) -> Any:
        """A number, by its step. NotKnown."""
        if step not in self._numbers:
            self._numbers[step] = self._computed(*self._tree.sizes[step])
        return self._numbers[step]

    def values(self, kernel: CudaKernel, inputs: Sequence[Any]) -> list[Any]:
        """What each step of the sizes of a kernel gives, for the inputs of a node;
        None: it depends on what a run computes."""
        assert kernel.code.open is not None
        return values_of(kernel.code.open.steps, [self._input(v) for v in inputs])

    def _input(self, value: Any) -> Any:
        """What a kernel is given: a number, memory with its shape, or None."""
        if isinstance(value, int):
            return _Shaped(self._shape(value))
        if "size" in value:
            return self.number(value["size"])
        return value.get("number")

    def _shape(self, place: int) -> Shape:
        shape = self._shapes[place]
        if shape is None:
            raise NotKnown("memory is read before it has a size")
        return shape

    def _computed(self, name: str, *of: Any) -> Any:
        if name == "number":
            return of[0]
        if name == "dim":
            return self._shape(of[0])[of[1]]
        try:
            value = _COMPUTES[name](*map(self.number, of))
        except (ArithmeticError, ValueError) as error:
            raise Misfit(str(error)) from error
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise Misfit("an int has more than 64 bits")
        return value

    # ---- nodes, in order

    def _body(self, nodes: Sequence[Any]) -> None:
        for kind, first, *rest in nodes:
            if kind == "launch":
                self._launch(first, rest[0], rest[1])
            elif kind == "copy":
                self._let(rest[0], self._shape(first))
            elif kind != "thread":
                for body in rest:
                    self._body(body)

    def _launch(self, name: str, inputs: Sequence[Any], outputs: Sequence[int]) -> None:
        assert self._kernels is not None
        kernel = self._kernels[name]
        sizes = kernel.code.open
        if sizes is None:
            return
        values = self.values(kernel, inputs)
        what = kernel.code.what
        if any(values[step] is None for step in needed(sizes)):
            raise NotKnown(f"a size in {what} depends on what a run computes")
        if why := misfit(sizes, values):
            raise Misfit(f"sizes do not fit in {what}: {why}")
        for place, shape in zip_equal(outputs, shapes_of(sizes, values)):
            self._let(place, shape)

    def _let(self, place: int, shape: Shape) -> None:
        if any(size < 0 for size in shape):
            raise Misfit(f"sizes of {list(shape)} do not fit")
        known = self._shapes[place]
        if known is None:
            self._shapes[place] = shape
        elif known != shape:
            raise NotKnown(
                f"a tensor has sizes of {list(known)} or {list(shape)}, as a run has it"
            )


class _Shaped:
    """Stands for a tensor."""

    def __init__(self, shape: Shape):
        self._shape = shape

    def dim(self, dimension: int) -> int:
        """The size of a dimension."""
        return self._shape[dimension]
