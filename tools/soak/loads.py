"""The loads: each calls a network for some seconds and says how often, or what failed.

`read` is called now and then; the caller looks at the memory of the process in it.
"""

import signal
import threading
import time

import numpy as np
import torch


class Wrong(Exception):
    """A result that is not the one of the first call."""


FEWEST = 0
"""How many calls one thread makes at least, however long that takes."""


def calls(net, inputs, seconds, read):
    """One thread, one call after another; NumPy arrays or torch tensors."""
    wanted = [bits(net(x)) for x in inputs]
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end or count < FEWEST:
        for _ in range(50):
            for x, first in zip(inputs, wanted, strict=True):
                if bits(net(x)) != first:
                    raise Wrong(f"call {count}")
                count += 1
        read()
    return count


def threads(net, inputs, seconds, read, number=8):
    """Many threads share one network; each looks at its own path as well."""
    wanted = []
    for x in inputs:
        wanted.append((bits(net(x)), net.path))
    end, counts, failed = time.monotonic() + seconds, [0] * number, []

    def work(mine):
        while time.monotonic() < end and not failed:
            for x, first in zip(inputs, wanted, strict=True):
                if (bits(net(x)), net.path) != first:
                    failed.append(f"thread {mine}, call {counts[mine]}")
                    return
                counts[mine] += 1

    workers = [threading.Thread(target=work, args=(i,)) for i in range(number)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        time.sleep(0.05)
        read()
    if failed:
        raise Wrong(failed[0])
    return sum(counts)


def state(net, inputs, seconds, read):
    """A network with state, from its first state on, again and again."""
    net.reset_state()
    wanted = [bits(net(x)) for x in inputs]
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        net.reset_state()
        for x, first in zip(inputs, wanted, strict=True):
            if bits(net(x)) != first:
                raise Wrong(f"call {count}")
            count += 1
        read()
    return count


def interrupts(net, inputs, seconds, read):
    """Ctrl-C at any moment of a call: the next call is right all the same."""
    wanted = [bits(net(x)) for x in inputs]
    end, count, interval = time.monotonic() + seconds, 0, 0.0003
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        while time.monotonic() < end:
            interval = 0.0001 + (interval * 1.37) % 0.002
            try:
                signal.setitimer(signal.ITIMER_REAL, interval)
                while True:
                    for x in inputs:
                        net(x)
            except KeyboardInterrupt:
                count += 1
            for x, first in zip(inputs, wanted, strict=True):
                if bits(net(x)) != first:
                    raise Wrong(f"after interrupt {count}")
            read()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return count


def extremes(nets, inputs, seconds, read):
    """NaN, infinities, denormals, ties, huge values: what eager gives, on its path.

    `nets`: the network, and its model. `inputs`: those that others are made of.
    """
    net, model = nets
    given = [strange for x in inputs for strange in _strange(x)]
    end, count = time.monotonic() + seconds, 0
    while not count or time.monotonic() < end:
        for x in given:
            with torch.no_grad():
                wanted = model(x.clone())
            found = net(x)
            if found.shape != wanted.shape or not torch.allclose(
                found, wanted, rtol=1e-4, atol=1e-30, equal_nan=True
            ):
                raise Wrong(f"of {x.flatten()[:3].tolist()}...")
            count += 1
        read()
    return count


def _strange(x):
    """A tensor as it is, and others of its size."""
    yield x
    for value in (0.0, -0.0, 1e-42, -1e-42, 1e38, -1e38, 1.0):
        yield torch.full_like(x, value)
    for value in (float("nan"), float("inf"), float("-inf"), 1e-40, 3e38):
        one = x.clone()
        one.view(-1)[1] = value
        yield one


def bits(value):
    """What can be compared: shape and bytes."""
    array = np.asarray(value)
    return array.shape, array.tobytes()
