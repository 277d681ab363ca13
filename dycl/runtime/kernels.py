"""What the runtime needs of kernels, and how a launch gives them their arguments.

A kernel is either *native*, with `bind` (see `Kernel`): it takes addresses; or any
Python callable: it takes NumPy arrays (and Python numbers), inputs first, and fills the
output arrays. The second kind serves tests, debugging and toy backends.
"""

from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, Protocol

from dycl.runtime.buffers import Buffer

Number = int | float | bool
Argument = Buffer | Number
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


def make_launch(
    kernels: "KernelTable | Mapping[str, Any]",
    name: str,
    arguments: Sequence[Argument | EllipsisType],
) -> Launch:
    """A callable that runs the kernel; it takes what is `...` in `arguments`, in order.

    The buffers given here must outlive it. KeyError: there is no such kernel.
    """
    kernel: Any = kernels[name]
    open_places = [i for i, a in enumerate(arguments) if a is ...]
    if not hasattr(kernel, "bind"):
        return _python_launch(kernel, arguments, open_places)
    bound = kernel.bind(*map(_word, arguments))
    return _native_launch(bound, open_places) if open_places else bound


def _native_launch(bound: BoundKernel, places: Sequence[int]) -> Launch:
    store = bound.store

    def launch(*values: Argument) -> None:
        for place, value in zip(places, values, strict=True):
            store(place, value.address if isinstance(value, Buffer) else value)
        bound()

    return launch


def _python_launch(
    kernel: Callable[..., Any],
    arguments: Sequence[Argument | EllipsisType],
    places: Sequence[int],
) -> Launch:
    given = [_value(a) for a in arguments]

    def launch(*values: Argument) -> None:
        filled = list(given)
        for place, value in zip(places, values, strict=True):
            filled[place] = _value(value)
        kernel(*filled)

    return launch


def _word(argument: Argument | EllipsisType) -> Number:
    """What a native kernel gets: an address, or the number itself; 0 for `...`."""
    if isinstance(argument, EllipsisType):
        return 0
    return argument.address if isinstance(argument, Buffer) else argument


def _value(argument: Argument | EllipsisType) -> object:
    return argument.array if isinstance(argument, Buffer) else argument
