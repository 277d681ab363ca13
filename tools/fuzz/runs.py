"""Runs of a network: what each call gives, and not longer than it should take."""

import contextlib
import copy
import io
import linecache
import signal
import time
from operator import attrgetter

from .unused import words_of


class Endless(Exception):
    """A run takes longer than any program of ours should."""


@contextlib.contextmanager
def at_most(seconds):
    """Endless, in the block, after so many seconds of this process's own time.

    Such a block may be inside another, whose time goes on.
    """

    def stop(number, frame):
        raise Endless

    start = time.process_time()
    before = signal.signal(signal.SIGPROF, stop)
    outer, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        # What the outer block has left; a timer of 0 would never ring.
        left = max(outer - (time.process_time() - start), 1e-3) if outer else 0
        signal.setitimer(signal.ITIMER_PROF, 0)
        # A thread that sleeps may be given a late signal, which would end the process.
        is_default = before == signal.SIG_DFL
        signal.signal(signal.SIGPROF, signal.SIG_IGN if is_default else before)
        signal.setitimer(signal.ITIMER_PROF, left)


def outcome(function, x):
    """What a call gives, prints and leaves in its input: text where it raises.

    Of exceptions whose text the program itself writes, the text is kept too.
    """
    import torch

    x, printed = x.clone(), io.StringIO()
    try:
        with torch.no_grad(), contextlib.redirect_stdout(printed):
            given = function(x)
    except (Endless, KeyboardInterrupt):
        raise
    except Exception as error:
        raised = words_of(error)
        return {"raised": raised, "printed": printed.getvalue()}
    return {"given": given, "printed": printed.getvalue(), "input": x}


def eager(model, given):
    """What one call after the other gives, and a function: name -> final state.

    A call that raises leaves the state as it was before: DyCL says so. To copy the
    network takes longer than to run it, so that is done only if a call raises.
    """
    first, wanted = _copied(model), []
    for x in given:
        wanted.append(_run(first, x))
        if "raised" in wanted[-1]:
            return eager_by_copies(_copied(model), given)
    return wanted, lambda name: _data(attrgetter(name)(first))


def eager_by_copies(model, given):
    """As `eager`, with a copy before each call, to go back to."""
    wanted = []
    for x in given:
        before = _copied(model)
        wanted.append(_run(model, x))
        if "raised" in wanted[-1]:
            model = before
    return wanted, lambda name: _data(attrgetter(name)(model))


def _data(value):
    """A weight is a tensor like others."""
    import torch

    return value.detach() if isinstance(value, torch.nn.Parameter) else value


def _run(model, x):
    """The outcome of one call, to which later calls do not write."""
    with at_most(1):
        return copy.deepcopy(outcome(model, x))


def _copied(model):
    return copy.deepcopy(model, _layers(model))


def _layers(model):
    """torch's own layers, which copies share unless the program changes weights."""
    text = linecache.getlines(type(model).forward.__code__.co_filename)
    if any(".data =" in line for line in text):
        return {}
    ours = [m for m in model.modules() if type(m).__module__.startswith("torch.nn")]
    return {id(m): m for m in ours if not any(m.children())}
