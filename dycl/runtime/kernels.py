"""What the runtime needs of kernels, and how a launch gives them their arguments.

A kernel is either *native*, with `bind` (see `Kernel`): it takes addresses; or any
Python callable: it takes NumPy arrays (and Python numbers), inputs first, and fills the
output arrays. The second kind serves tests, debugging and toy backends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union, cast

from dycl.runtime.buffers import Buffer, OpenBuffer
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from types import EllipsisType

Number = Union[int, float, bool]
Argument = Union[Buffer, Number]
Launch = Callable[..., None]


class BoundKernel(Protocol):
    """A native kernel with its arguments laid out in memory."""

    def store(self, index: int, value: Number) -> None:
        """Set argument `index`: an address, or a number."""
        ...

    def __call__(self) -> None:
        """Run on the arguments last stored."""
        ...


class Kernel(Protocol):
    """A native kernel: inputs, then outputs; an address for each tensor."""

    def bind(self, *arguments: Number) -> BoundKernel:
        """Lay out the arguments; any of them may be stored anew before a call."""
        ...


class KernelTable(Protocol):
    """The kernels of one model by name; a dict of callables will do."""

    def __getitem__(self, name: str, /) -> Kernel | Callable[..., Any]:
        """The kernel called `name`. KeyError: there is none."""
        ...


class NoRoom(Exception):
    """The memory that kernels have of their own is full; a later call may find some."""


def make_launch(kernel: Any, arguments: Sequence[Argument | EllipsisType]) -> Launch:
    """A callable that runs the kernel; it takes what is `...` in `arguments`, in order.

    The buffers given here must outlive it.
    """
    open_places = [i for i, a in enumerate(arguments) if a is ...]
    if not hasattr(kernel, "bind"):
        return _python_launch(kernel, arguments, open_places)
    open_dims: tuple[tuple[int, ...], ...] = getattr(kernel, "open_dims", ())
    if any(open_dims):
        return _open_launch(kernel.bind(), arguments, open_places, open_dims)
    bound = kernel.bind(*map(_word, arguments))
    return _native_launch(bound, open_places) if open_places else bound


def _open_launch(
    bound: BoundKernel,
    arguments: Sequence[Argument | EllipsisType],
    places: Sequence[int],
    open_dims: Sequence[tuple[int, ...]],
) -> Launch:
    """A launch where some arguments bring their sizes, or some results have their own.

    The address of a tensor is followed by those of its sizes that are open.
    """
    starts: list[int] = []
    count = 0
    for dims in open_dims:
        starts.append(count)
        count += 1 + (0 if dims == RESULT else len(dims))

    def store(place: int, value: Argument) -> None:
        start, dims = starts[place], open_dims[place]
        if not isinstance(value, Buffer):
            bound.store(start, value)
        elif dims == RESULT:
            assert isinstance(value, OpenBuffer)
            bound.store(start, value.slots.__array_interface__["data"][0])
        else:
            bound.store(start, value.address)
            for offset, dim in enumerate(dims, 1):
                bound.store(start + offset, value.array.shape[dim])

    given = [(i, a) for i, a in enumerate(arguments) if a is not ...]
    results = [a for i, a in given if open_dims[i] == RESULT]
    made = [n for n, place in enumerate(places) if open_dims[place] == RESULT]

    def launch(*values: Argument) -> None:
        for place, value in given:
            store(place, value)
        for place, value in zip_equal(places, values):
            store(place, value)
        bound()
        for result in results:
            cast(OpenBuffer, result).take()
        for place in made:
            cast(OpenBuffer, values[place]).take()

    return launch


RESULT = (-1,)
"""In `open_dims`: a result of dynamic size, for which the kernel makes the memory."""


def _native_launch(bound: BoundKernel, places: Sequence[int]) -> Launch:
    store = bound.store

    def launch(*values: Argument) -> None:
        for place, value in zip_equal(places, values):
            store(place, value.address if isinstance(value, Buffer) else value)
        bound()

    return launch


def _python_launch(
    kernel: Callable[..., Any],
    arguments: Sequence[Argument | EllipsisType],
    places: Sequence[int],
) -> Launch:
    def launch(*values: Argument) -> None:
        whole = list(arguments)
        for place, value in zip_equal(places, values):
            whole[place] = value
        opened = [a for a in whole if isinstance(a, OpenBuffer)]
        results = kernel(*map(_value, whole))
        if opened and results:  # results come last
            for result, array in zip_equal(opened[-len(results) :], results):
                result.set(array)

    return launch


def _word(argument: Argument | EllipsisType) -> Number:
    """What a native kernel gets: an address, or the number itself; 0 for `...`."""
    if argument is ...:
        return 0
    return argument.address if isinstance(argument, Buffer) else argument


def _value(argument: Argument | EllipsisType) -> object:
    return argument.array if isinstance(argument, Buffer) else argument
