"""A network over trees by every host, and by the interpreter."""

import torch

from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context


def runs_of(net, levels=("normal", "host"), weights=None):
    """What runs one tree: both hosts, and the interpreter at each level.

    Of deep trees inside `deep_recursion()`.
    """
    runs = [net.network, net.with_python_host().network]
    for level in levels:
        module = parse_text(new_context(), net.stages[level], level)
        machine = Interpreter(module, weights or {})
        runs.append(lambda tree, machine=machine: machine.run([tree]).value)
    return runs


def equal(ours, eager):
    """The same structure, types and values."""
    assert type(ours) is type(eager)
    if isinstance(eager, tuple):
        for one, other in zip(ours, eager, strict=True):
            equal(one, other)
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, equal_nan=True)
    else:
        assert ours == eager
