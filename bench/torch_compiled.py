"""torch.compile beside us, where it works: its CPU backend needs a C++ compiler."""

import signal
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

LIMIT = 60
"""Seconds that torch.compile may take until it has run every path twice."""


class Peer(NamedTuple):
    """Something callable like the model; or the reason why there is none."""

    run: Any
    why: str


def torch_compiled(model, inputs):
    """`torch.compile(model)`, run on all inputs so that nothing is left to compile."""
    compiled = torch.compile(model)
    try:
        with _at_most(LIMIT), torch.no_grad():
            for arguments in [*inputs, *inputs]:
                compiled(*arguments)
    except Exception as error:
        return Peer(None, f"none: {type(error).__name__}")
    return Peer(compiled, "")


@contextmanager
def _at_most(seconds):
    def stop(_number, _frame):
        raise TimeoutError(f"{seconds} s are over")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
