"""Of several ways to set a peer, the fastest that gives eager's answers."""

import time
from collections.abc import Callable
from typing import Any

from dycl.checking.values import largest_relative

TOLERANCE = 1e-3


class Chosen:
    """Something to run, and by which name it was chosen."""

    def __init__(self, run: Callable[..., Any], setting: str):
        """`setting`: what a reader of the tables is told."""
        self.setting = setting
        self._run = run

    def __call__(self, *inputs):
        """Run it."""
        return self._run(*inputs)


def best(ways: dict[str, Callable[[], Callable[..., Any]]], subject) -> Chosen:
    """The way whose paths together take least; `ways` make something to run.

    Ways that raise, or whose answers are wrong, are left out; the setting names those
    that raise, as the race may be unfair without them. Where none is left, the first
    that answers is returned, so that the race shows how it is wrong, and the first
    error is raised where none answers.
    """
    found, wrong, errors = {}, [], {}
    for name, make in ways.items():
        try:
            run = make()
            worst = max(
                largest_relative(run(*inputs), answer)
                for inputs, answer in zip(subject.inputs, subject.answers, strict=True)
            )
            if worst > TOLERANCE:
                wrong.append(Chosen(run, name))
                continue
            found[_seconds(run, subject.inputs)] = Chosen(run, name)
        except Exception as error:
            errors[name] = error
    if found or wrong:
        chosen = found[min(found)] if found else wrong[0]
        for name, error in errors.items():
            chosen.setting += f"; {name} fails: {type(error).__name__}"
        return chosen
    raise next(iter(errors.values()))


def _seconds(run, inputs, calls=5):
    """Of one call of each path, the fastest of a few."""
    return sum(min(_call(run, given) for _ in range(calls)) for given in inputs)


def _call(run, given):
    begun = time.process_time()
    run(*given)
    return time.process_time() - begun
