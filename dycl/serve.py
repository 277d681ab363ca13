"""Requests of many clients, one row each, are answered by one call of a network.

A server's clients come one by one, and a network with rows is faster for many. What
comes while a call is under way, or within a short delay, is put into one batch. For
asyncio; calls run in a thread of their own.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.open_shapes import OpenShapes
from dycl.runtime.row_inputs import alike, one_row
from dycl.runtime.sessions import Sessions
from dycl.runtime.tensors import to_torch
from dycl.runtime.trees import NODE

if TYPE_CHECKING:
    from dycl.runtime.inputs import InputSpec

__all__ = ["Batcher", "Busy", "Closed", "Sessions", "Statistics"]

_REMEMBERED = 10_000
"""Requests of which a batcher knows how long they took."""


class Closed(RuntimeError):
    """A batcher was asked after it was closed."""


class Busy(RuntimeError):
    """So many requests wait already that a batcher takes no more."""


class Statistics(NamedTuple):
    """What a batcher has answered by now, without requests that were given up."""

    requests: int
    calls: int
    """Of the network; `requests / calls` is how many rows one has had."""
    p50: float
    """Of the last 10,000 requests, how many seconds a half took at most; 0 of none."""
    p90: float
    p99: float
    longest: float


class _Request(NamedTuple):
    arguments: tuple[Any, ...]
    is_torch: bool
    answer: asyncio.Future[Any]
    session: Hashable
    came: float
    """When, by the loop's clock."""


class Batcher:
    """`await batcher(x)`: what the network gives for one row.

    With `sessions`, each row belongs to one: `await batcher(x, session="ann")`.
    It belongs to the event loop of its first request, until that loop ends. Requests
    of one shape are answered in the order in which they came. As `async with` it is
    closed at the end of the block.
    """

    def __init__(
        self,
        net: Any,
        max_rows: int = 32,
        max_delay: float = 0.002,
        sessions: Sessions | None = None,
        max_waiting: int | None = None,
    ):
        """`net` is compiled with `rows`, for all of its inputs, or loaded. A call has
        at most `max_rows` rows; a request waits for so many at most `max_delay`
        seconds, and for the call that is under way. `sessions` are of this network.
        While `max_waiting` requests wait, further ones are refused (`Busy`).

        TypeError: the network has no rows, an input without, or a state. ValueError: a
        limit that no call can keep to.
        """
        rows = getattr(net, "rows", None)
        if rows is None:
            raise TypeError("the network was not compiled with rows")
        if len(rows.form["inputs"]) != len(net.inputs):
            raise TypeError("an input of the network is the same for all rows")
        if net.state and sessions is None:
            raise TypeError("the network has a state, which all clients would share")
        if max_rows < 1 or not max_delay >= 0:
            raise ValueError("max_rows is at least 1, and max_delay at least 0")
        if max_waiting is not None and max_waiting < 1:
            raise ValueError("max_waiting is at least 1")
        self._net = net
        self._sessions = sessions
        self._inputs: Sequence[InputSpec] = net.inputs
        self._inputs_of = rows.inputs_of
        if sessions is not None:
            self._inputs, self._inputs_of = sessions.inputs, sessions.inputs_of
        self._open = OpenShapes(net.sizes)
        self._most, self._delay = max_rows, max_delay
        self._most_waiting = max_waiting
        self._waiting: deque[_Request] = deque()
        self._work: _Work | None = None
        self._is_closed = False
        self._requests = self._calls = 0
        self._times: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def statistics(self) -> Statistics:
        """How many requests were answered, in how many calls, and how long they took
        from when they came to their answers."""
        times = np.array(self._times or [0.0])
        percentiles = np.percentile(times, (50, 90, 99, 100)).tolist()
        return Statistics(self._requests, self._calls, *percentiles)

    async def __call__(self, *row: Any, session: Hashable = None, **named: Any) -> Any:
        """The result for one row, whose arrays or tensors have a first size of 1. A
        tree is read when its call is made: change none until it is answered.

        dycl.runtime.InputError: it does not fit, which other requests do not notice.
        Busy: too many wait. Closed: there is no batcher any more, or its task was
        cancelled. RuntimeError: another event loop has it. What the network raises for
        this row. `session` is the row's, where the batcher has sessions.
        """
        if self._is_closed:
            raise Closed("the batcher is closed")
        row = self._inputs_of(row, named)
        arguments, is_torch = self._checked(row), any(map(is_torch_tensor, row))
        loop = asyncio.get_running_loop()
        if self._work is None or not self._work.goes_on(loop):
            self._waiting.clear()  # They were of a loop that has ended.
            self._work = _Work(loop, self._run)
        if self._most_waiting is not None and len(self._waiting) >= self._most_waiting:
            self._drop_done()
            if len(self._waiting) >= self._most_waiting:
                raise Busy(f"{len(self._waiting)} requests wait already")
        answer: asyncio.Future[Any] = loop.create_future()
        request = _Request(arguments, is_torch, answer, session, loop.time())
        self._waiting.append(request)
        self._work.more.set()
        return await answer

    async def close(self) -> None:
        """Answer what has come by now, and take no more. If this is cancelled, what has
        come is answered nevertheless."""
        self._is_closed = True
        if self._work is None or not self._work.goes_on(asyncio.get_running_loop()):
            return
        self._work.more.set()
        # Not the task itself: it would be cancelled with whoever waits for it.
        await asyncio.wait([self._work.task])

    async def __aenter__(self) -> Batcher:  # noqa: PYI034 - Python 3.9 has no Self
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _checked(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """One row as arrays; copies, since the client may go on with its own. Trees
        stay where they are."""
        known: dict[str, tuple[int, str]] = {}
        return tuple(
            value if spec.dtype == NODE else one_row(spec, value, self._open, known)
            for spec, value in zip(self._inputs, row)
        )

    async def _run(self, work: _Work) -> None:
        """Answer requests until the batcher is closed and there are none."""
        loop, more = work.loop, work.more
        taken: list[_Request] = []
        try:
            while not self._is_closed or self._waiting:
                if not self._waiting:
                    more.clear()
                    await more.wait()
                    continue
                while len(self._waiting) < self._most and not self._is_closed:
                    rest = self._waiting[0].came + self._delay - loop.time()
                    more.clear()
                    try:
                        await asyncio.wait_for(more.wait(), max(0.0, rest))
                    except asyncio.TimeoutError:
                        break
                taken = self._taken()
                for places in alike(
                    [self._shapes(one.arguments) for one in taken],
                    in_order=self._sessions is not None,
                ):
                    requests = [taken[place] for place in places]
                    call = loop.run_in_executor(work.threads, self._answers, requests)
                    _hand_out(requests, await call)
                    self._note(requests, loop.time())
        finally:
            # There are such if the loop ends, or somebody cancels all of its tasks.
            left = [*taken, *self._waiting]
            self._waiting.clear()
            _hand_out(left, [Closed("the batcher's task was cancelled") for _ in left])
            work.threads.shutdown(wait=False)

    def _shapes(self, arguments: Sequence[Any]) -> tuple[object, ...]:
        """Of one row; trees are of any."""
        return tuple(
            None if spec.dtype == NODE else value.shape
            for spec, value in zip(self._inputs, arguments)
        )

    def _note(self, requests: Sequence[_Request], now: float) -> None:
        answered = [one for one in requests if not one.answer.cancelled()]
        self._calls += 1
        self._requests += len(answered)
        self._times.extend(now - one.came for one in answered)

    def _taken(self) -> list[_Request]:
        """The requests of the next call; those that were given up are left out."""
        requests: list[_Request] = []
        while self._waiting and len(requests) < self._most:
            request = self._waiting.popleft()
            if not request.answer.done():
                requests.append(request)
        return requests

    def _drop_done(self) -> None:
        """Requests that were given up do not wait."""
        waiting = [one for one in self._waiting if not one.answer.done()]
        self._waiting.clear()
        self._waiting.extend(waiting)

    def _answers(self, requests: Sequence[_Request]) -> list[Any]:
        """For each request what the network gives, or an error that it raises.

        In the batcher's thread. Where a call of several rows raises, each is called
        alone: the error is for the rows that raise it then.
        """
        try:
            columns = zip(*(request.arguments for request in requests))
            joined = [
                list(column) if spec.dtype == NODE else np.concatenate(column)
                for spec, column in zip(self._inputs, columns)
            ]
            return self._in_one_call(requests, joined)
        except BaseException as error:  # whatever it is, it is for the client
            if len(requests) == 1 or self._sessions is not None:
                return [error for _ in requests]
        return [answer for one in requests for answer in self._answers([one])]

    def _in_one_call(
        self, requests: Sequence[_Request], columns: Sequence[Any]
    ) -> list[Any]:
        """What the network gives. Raises what it raises, without sessions: with them
        that is among the answers, since a row must not be run again."""
        if self._sessions is None:
            args, kwargs = self._net.rows.call_of(columns)
            result = self._net(*args, **kwargs)
            answers = self._net.rows.split(result, len(requests))
        else:
            keys = [request.session for request in requests]
            answers = self._sessions.answers(keys, columns)
        return [
            to_torch(answer) if request.is_torch else answer
            for request, answer in zip(requests, answers)
        ]


class _Work:
    """The task of a batcher in one event loop, and the thread in which it calls."""

    def __init__(self, loop: asyncio.AbstractEventLoop, run: Callable[[_Work], Any]):
        self.loop = loop
        self.more = asyncio.Event()
        """Set when a request comes, and when the batcher is closed."""
        self.threads = ThreadPoolExecutor(1, "dycl-batcher")
        self._process = os.getpid()
        self.task: asyncio.Task[None] = loop.create_task(run(self))

    def goes_on(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether this answers requests of a loop. RuntimeError: of another one."""
        if self.task.done() or self._process != os.getpid() or self.loop.is_closed():
            return False
        if self.loop is not loop:
            raise RuntimeError(
                "the batcher belongs to another event loop: make one for each"
            )
        return True


def _hand_out(requests: Sequence[_Request], answers: Sequence[Any]) -> None:
    for request, answer in zip(requests, answers):
        if request.answer.done():
            continue
        if isinstance(answer, StopIteration):  # which no future may raise
            answer = RuntimeError(f"the network raised {answer!r}")
        if isinstance(answer, BaseException):
            request.answer.set_exception(answer)
        else:
            request.answer.set_result(answer)
