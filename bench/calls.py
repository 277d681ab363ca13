"""What a call from Python costs over one from C, and what a decision costs.

    python -m bench.calls            (about half a minute)

Small networks are compiled, and one handle of each is run in turns from Python and
from a loop in C, which does what `examples/c/run.c` does: it sets the inputs, runs, and
looks at the result. Both run the same code on the same memory; the least of many
rounds.
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import dycl
from bench.machine import one_thread, show_facts
from dycl.host.native import headers
from dycl.runtime.loading import load_from_memory
from dycl.toolchain import INSTALL, find_compiler

CALLS = 200
ROUNDS = 801

LOOP = """
#include "dycl.h"

/* Runs a handle on the same inputs again and again; 0, or what a run gave else. */
int loop(int (*run)(dycl_net *), dycl_net *net, const dycl_value *values, int64_t count,
         int64_t times)
{
    static volatile int64_t seen;
    for (int64_t i = 0; i < times; i++) {
        for (int64_t j = 0; j < count; j++)
            net->inputs[j] = values[j];
        int how = run(net);
        if (how != DYCL_OK)
            return how;
        seen += net->outputs[0].integer;
    }
    return 0;
}
"""


class Gate(nn.Module):
    """A tensor, one decision, a tensor."""

    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


class Several(nn.Module):
    """Two tensors and a float; a tuple of a tensor and a number."""

    def forward(self, x, y, a: float):
        z = x + y
        if a > 0.5:
            z = z * 2
        return z, a + 1.0


class Kept(nn.Module):
    """A buffer that each call replaces."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(1, 4))

    def forward(self, x):
        self.h = torch.tanh(self.h + x)
        if self.h.sum() > 0:
            return self.h * 2
        return self.h - 1


class Numbers(nn.Module):
    """Decisions on a number: nothing but the host."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, x, a: float):
        n = 0
        for i in range(self.count):
            if a > i / 1000:
                n = n + 1
        return x + n


def inputs_of(name):
    """What a network is called with."""
    x = np.ones((1, 4), np.float32)
    return {"two tensors, a float": (x, x, 1.5)}.get(name, (x,))


def c_loop():
    """The function `loop`, compiled. RuntimeError: there is no C compiler."""
    cc = find_compiler()
    if cc is None:
        raise RuntimeError(f"the loop in C: {INSTALL}")
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        for name, text in {**headers(), "loop.c": LOOP}.items():
            (at / name).write_text(text, "utf-8")
        command = [*cc.command, "-O2", "-shared", "-fPIC", "loop.c", "-o", "loop.so"]
        subprocess.run(command, cwd=at, check=True)
        library = load_from_memory((at / "loop.so").read_bytes(), "loop")
    return library.loop


def c_caller(net, arguments, loop):
    """Runs the handle that this thread's calls of `net` run; takes how many times."""
    instance = net._net._calls._instance()
    state = net._net._state
    given = [*arguments, *(state.arguments() if state.rows else ())]
    values = (ctypes.c_int64 * (len(given) + 1))()
    floats = ctypes.cast(values, ctypes.POINTER(ctypes.c_double))
    for i, value in enumerate(given):
        if isinstance(value, np.ndarray):
            values[i] = value.ctypes.data
        elif isinstance(value, float):
            floats[i] = value
        else:
            values[i] = getattr(value, "address", value)
    run = ctypes.cast(instance._host.run, ctypes.c_void_p)

    def call(times):
        count, number = ctypes.c_int64(len(given)), ctypes.c_int64(times)
        if loop(run, instance.handle, values, count, number):
            raise RuntimeError("the run in C did not return")
        return given

    return call


def python_caller(net, arguments):
    """Calls the network as users do."""

    def call(times):
        for _ in range(times):
            net(*arguments)

    return call


def race(callers):
    """Microseconds of one call of each, in turns: the least of all rounds."""
    times = {name: [] for name in callers}
    for _ in range(ROUNDS):
        for name, call in callers.items():
            started = time.thread_time()
            call(CALLS)
            times[name].append((time.thread_time() - started) / CALLS * 1e6)
    return {name: min(found) for name, found in times.items()}


def compiled(model, arguments):
    """The network, with a native host, after a call."""
    net = dycl.compile(model.eval(), tuple(as_tensors(arguments)))
    assert net.host == "native"
    net(*arguments)
    return net


def show_calls(loop):
    """A call from Python, with arrays and with tensors, and the same from C."""
    print(f"\n{'network':24} {'C':>6} {'over C: arrays':>16} {'tensors':>8}   us")
    models = {"a tensor": Gate(), "two tensors, a float": Several(), "state": Kept()}
    for name, model in models.items():
        arguments = inputs_of(name)
        net = compiled(model, arguments)
        callers = {
            "arrays": python_caller(net, arguments),
            "C": c_caller(net, arguments, loop),
            "tensors": python_caller(net, as_tensors(arguments)),
        }
        found = race(callers)
        arrays, tensors = (found[key] - found["C"] for key in ("arrays", "tensors"))
        print(f"{name:24} {found['C']:6.2f} {arrays:16.2f} {tensors:8.2f}")


def show_bounds():
    """What a call of the least takes that Python, NumPy and torch have to do."""
    x, array = torch.ones(1, 4), np.ones((1, 4), np.float32)
    from_numpy, is_neg = torch.from_numpy, torch.Tensor.is_neg

    class Nothing:
        def __call__(self, *args, **kwargs):
            return args

    nothing = Nothing()
    found = race(
        {
            "a Python object is called": repeated(lambda: nothing(x)),
            "an array is copied": repeated(array.copy),
            "an array is made a tensor": repeated(lambda: from_numpy(array)),
            "a tensor is made an array": repeated(lambda: x.numpy()),
            "a tensor is asked whether it is negated": repeated(lambda: is_neg(x)),
        }
    )
    print()
    for name, time_of_one in found.items():
        print(f"{name:40} {time_of_one:.2f} us")


def repeated(function):
    """Calls a function; takes how many times."""

    def call(times):
        for _ in range(times):
            function()

    return call


def as_tensors(arguments):
    """The same as torch has it."""
    return [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]


def show_decisions(loop):
    """What each decision adds, from C."""
    few, many = 8, 136
    x = np.ones((1, 4), np.float32)
    nets = {n: compiled(Numbers(n), (x, 0.05)) for n in (few, many)}
    found = race({n: c_caller(net, (x, 0.05), loop) for n, net in nets.items()})
    each = (found[many] - found[few]) / (many - few) * 1000
    print(f"\na decision on a number: {each:.1f} ns")


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    show_facts()
    loop = c_loop()
    with one_thread():
        show_calls(loop)
        show_bounds()
        show_decisions(loop)


if __name__ == "__main__":
    main()
