"""What printed hosts call: buffers, launches, lists, exceptions, and the path."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from dycl.runtime.buffers import Buffer, Keeper, OpenBuffer, adopt, allocate
from dycl.runtime.dtypes import array_of_numbers, numpy_dtype, widened
from dycl.runtime.effects import (
    deeply,
    log,
    make_exception,
    rounds,
    too_deep,
    warn,
)
from dycl.runtime.finders import make_finder
from dycl.runtime.inputs import InputError
from dycl.runtime.items import Item, Items, of_numbers, plain
from dycl.runtime.kernels import Argument, KernelTable, Launch, make_launch
from dycl.runtime.preparation import Preparations
from dycl.runtime.records import make_record, named
from dycl.runtime.trees import child, field, has_attribute, has_field, is_node
from dycl.runtime.weight_set import WeightSet, weight_buffer

if TYPE_CHECKING:
    from types import EllipsisType


def _closed(*arguments: object) -> Any:
    raise RuntimeError("the network is gone")


Segment = Callable[..., Union["tuple[bool, Any]", None]]
"""Takes what a part of the host uses. None: the host has to do that part; else whether
it returns, and the value, or a tuple of what the rest of the host uses."""


def _by_host(*given: object) -> None:
    """The part of a host that is not one graph here."""


class HostServices:
    """What a printed host calls `rt`: one set of buffers, for one thread."""

    def __init__(
        self,
        kernels: KernelTable | Mapping[str, Any],
        weights: WeightSet,
        load: Callable[[HostServices], Callable[..., Any]],
        preparations: Preparations,
    ):
        """Bind weights, buffers and kernels by running the host's `load`.

        `preparations` is what instances of one network share.
        """
        self._kernels = kernels
        self.weights = weights
        self._preparations = preparations
        # Kernels hold addresses only; this keeps the memory behind them.
        self._kept: list[object] = []
        self._shared: dict[str, Buffer] = {}
        self.taken: list[tuple[int, bool]] = []
        self.busy = False
        """Whether a call runs on it."""
        self.forward: Callable[..., Any] = load(self)

    def close(self) -> None:
        """Let go of what refers to this: its memory need not wait for the collector."""
        self.forward = _closed

    def start(self) -> None:
        """Forget the path of the last call."""
        self.taken.clear()

    def finish(self) -> None:
        """Wait until all that was launched is done, where a launch does not."""

    # `memory`, here and below: the one that a buffer is in, of a device that computes a
    # part of the network; "" is that of the processor.

    def param(
        self, path: str, dtype: str, shape: tuple[int, ...], memory: str = ""
    ) -> Buffer:
        """The weight `path`. KeyError: missing; ValueError: of another type."""
        return weight_buffer(self.weights, path, dtype, shape)

    def constant(
        self,
        dtype: str,
        shape: tuple[int, ...],
        values: Sequence[Any],
        memory: str = "",
    ) -> Buffer:
        """A constant tensor of these elements, row by row; one stands for all."""
        array = array_of_numbers(values[0] if len(values) == 1 else values, dtype)
        if array.ndim == 0:
            return adopt(np.broadcast_to(array, shape))
        return adopt(array.reshape(shape))

    def packed(
        self, dtype: str, shape: tuple[int, ...], text: str, memory: str = ""
    ) -> Buffer:
        """A constant tensor given as the base64 text of its little-endian bytes."""
        element = numpy_dtype(dtype).newbyteorder("<")
        return adopt(np.frombuffer(base64.b64decode(text), element).reshape(shape))

    def buffer(self, dtype: str, shape: tuple[int, ...], memory: str = "") -> Buffer:
        """Memory for the output of a launch; every call of the host writes it anew.

        A size of -1 is known to the kernel only.
        """
        if -1 in shape:
            return OpenBuffer(dtype, len(shape))
        return allocate(dtype, shape)

    def keeper(self, dtype: str, shape: tuple[int, ...], memory: str = "") -> Keeper:
        """Keeps what one iteration of a loop hands to the next."""
        return Keeper(dtype, shape, partial(self.buffer, memory=memory))

    def finder(
        self, keys: int | tuple[object, ...], error: str
    ) -> Callable[[object], int]:
        """Finds where a key stands: an index in a length, or one of a dict's keys.

        `error` is what a key that is not there raises: "IndexError: text with {}" or
        "KeyError"; if empty, it stands behind the last.
        """
        return make_finder(keys, error)

    def launch(
        self,
        name: str,
        inputs: Sequence[Argument | EllipsisType],
        outputs: Sequence[Argument | EllipsisType],
    ) -> Launch:
        """A launch of kernel `name`; what is `...` is given at each call, in order.

        KeyError: there is no such kernel.
        """
        try:
            kernel = self._kernels[name]
        except KeyError as error:
            raise KeyError(f"there is no kernel {name!r}") from error
        inputs = self._preparations.inputs(name, kernel, inputs)
        own = getattr(kernel, "workspace", 0)
        memory: str = getattr(kernel, "memory", "")
        needed = [self.workspace(own, memory)] if own else []
        arguments = (*inputs, *outputs, *needed)
        self._kept.append(arguments)
        return make_launch(kernel, arguments)

    def segment(self, number: int) -> Segment:
        """What runs a part of the host as one graph; see `Segment`."""
        return _by_host

    def workspace(self, size: int, memory: str = "") -> Buffer:
        """Memory for one launch at a time; where there is enough, the same for all."""
        shared = self._shared.get(memory)
        had = 0 if shared is None else shared.dim(0)
        if shared is None or had < size:
            shared = self.buffer("uint8", (max(size, 2 * had),), memory)
            self._shared[memory] = shared
        return shared

    def decide(self, index: int, taken: bool) -> bool:
        """Note which side of decision `index` is taken, and take it."""
        self.taken.append((index, taken))
        return taken

    def exception(
        self, name: str, base: type[BaseException], *arguments: object
    ) -> BaseException:
        """The user's exception, or one of the same name that stands in for it."""
        return make_exception(name, base, arguments)

    deeply = staticmethod(deeply)
    log = staticmethod(log)
    record = staticmethod(make_record)
    named = staticmethod(named)
    rounds = staticmethod(rounds)
    too_deep = staticmethod(too_deep)
    warn = staticmethod(warn)

    def stream(self, name: str | None) -> Any:
        """`sys.stdout` or `sys.stderr`, as it is now."""
        return None if name is None else getattr(sys, name)

    def checked(self, value: Any, condition: bool, message: str) -> Any:
        """The value. RuntimeError, or what the message begins with: not so."""
        if not condition:
            if message.startswith("InputError: "):
                raise InputError(message.removeprefix("InputError: "))
            if message.startswith("IndexError: "):
                raise IndexError(message.removeprefix("IndexError: "))
            raise RuntimeError(message)
        return value

    def read_bf16(self, value: Buffer) -> float:
        """The only element of a buffer of bfloat16. ValueError: there are several."""
        return widened(value.array).item()

    def list(self, *items: Item) -> Items:
        """A list of these numbers or buffers; buffers are copied."""
        return Items(items)

    field = staticmethod(field)
    child = staticmethod(child)
    has_field = staticmethod(has_field)
    has_attribute = staticmethod(has_attribute)
    is_node = staticmethod(is_node)

    def tolist(self, value: Buffer) -> Items:
        """The numbers of a buffer as nested lists."""
        return of_numbers(widened(value.array).tolist())

    def result(self, value: Buffer | Items) -> Any:
        """A copy that belongs to the caller; of a list, a list of copies."""
        if isinstance(value, Items):
            return plain(value)
        return value.array.copy()
