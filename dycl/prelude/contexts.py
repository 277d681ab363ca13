"""What `contextlib.contextmanager` makes: the two parts of a generator function."""

from collections.abc import Callable
from typing import Any


class Manager:
    """A context manager of what stands in front of a `yield`, and of what follows.

    `enter` gives what is yielded, and the variables that `leave` takes.
    """

    def __init__(
        self,
        enter: Callable[[], tuple[Any, tuple[Any, ...]]],
        leave: Callable[..., Any],
    ):
        self._dycl_enter = enter
        self._dycl_leave = leave

    def __enter__(self) -> Any:
        value, self._dycl_kept = self._dycl_enter()
        return value

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self._dycl_leave(*self._dycl_kept)
