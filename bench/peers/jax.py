"""JAX: exported programs of torch in JAX's own ops, compiled by XLA for the CPU."""

import os

import torch

from bench.peers.jax_ops import Interpreter
from bench.peers.lines import traces
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes


def whole(subject: Subject, threads: int, _folder):
    """The rewritten model, `torch.cond` as `lax.cond`, `while_loop` likewise."""
    _set(threads)
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    run = _compiled(torch.export.export(model, subject.inputs[0]))
    return lambda *inputs: model.finish(*run(*inputs))


def lines(subject: Subject, threads: int, folder):
    """A straight line for each path."""
    _set(threads)
    return traces(subject, folder, lambda _path, line: _compiled(line.program))


def _set(threads):
    """Before JAX begins: its pool has a thread for each processor allowed."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-threads:])
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"


def _compiled(program):
    """Tensors to tensors; the weights are constants of the code."""
    import jax
    import numpy as np

    program = program.run_decompositions()
    interpreter = Interpreter(program)
    compiled = jax.jit(interpreter)

    def run(*inputs):
        found = compiled(*(tensor.numpy() for tensor in inputs))
        return [torch.from_numpy(np.array(each)) for each in found]

    return run
