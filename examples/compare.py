"""Eager against compiled, on many inputs: the values, and the way that was taken."""

import copy
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from examples.paths import record

RTOL = 1e-4
ILL_CONDITIONED = 1e-3
"""A network whose eager result is farther from float64's cannot be compared."""


@dataclass
class Comparison:
    """What a compiled network and eager did with the same inputs."""

    runs: int = 0
    equal_values: int = 0
    equal_paths: int = 0
    equal_predictions: int = 0
    worst: float = 0.0
    """Largest difference, relative to the largest value of the same output.

    Where it is more than RTOL: how much farther than eager's the result is from that of
    float64. A deep network may amplify the rounding of either.
    """
    paths: dict = field(default_factory=dict)
    """The path of each run (one bool a decision) -> the positions of its inputs."""
    sides: dict = field(default_factory=dict)
    """Decision (name, line) -> the set of sides that were taken."""

    @property
    def all_equal(self):
        """Whether every run gave eager's values by eager's path."""
        return self.runs == self.equal_values == self.equal_paths


def compare(net, model, inputs, progress=None):
    """Run both on every tuple of `inputs`; return the `Comparison`.

    A path is compared at the lines where the compiled network still decides: what was
    settled when it was compiled (a flag, a repeated test) is no decision any more.
    """
    result = Comparison()
    lines = {(Path(file).name, line) for _, _, file, line in net.decisions}
    for position, arguments in enumerate(inputs):
        expected, decisions = record(model, arguments)
        actual = net(*arguments)
        path = tuple(d.taken for d in net.path)
        eager = tuple(d.taken for d in decisions if (d.file, d.line) in lines)
        error = difference(actual, expected)
        if RTOL < error < ILL_CONDITIONED:
            error = beyond_eager(actual, expected, model, arguments)
        result.runs += 1
        result.worst = max(result.worst, error)
        result.equal_values += error <= RTOL
        result.equal_paths += path == eager
        result.equal_predictions += prediction(actual) == prediction(expected)
        result.paths.setdefault(path, []).append(position)
        for decision in net.path:
            key = (decision.name, decision.line)
            result.sides.setdefault(key, set()).add(decision.taken)
        if progress is not None:
            progress(result)
    return result


def beyond_eager(actual, expected, model, arguments):
    """How much farther than `expected` `actual` is from the result in float64."""
    with torch.no_grad():
        exact = copy.deepcopy(model).double()(*map(in_float64, arguments))
    eager = difference(in_float64(expected), exact)
    if not eager < ILL_CONDITIONED:
        return float("inf")
    return difference(in_float64(actual), exact) - eager


def in_float64(value):
    """The same structure, its float tensors in float64."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    if type(value) in (tuple, list):
        return type(value)(map(in_float64, value))
    if isinstance(value, dict):
        return {key: in_float64(item) for key, item in value.items()}
    return value


def prediction(output):
    """The class with the largest logit, in the first tensor that a network returns.

    None where it returns none: an empty list.
    """
    first = next(iter(output), None) if isinstance(output, (tuple, list)) else output
    return None if first is None else int(first.argmax())


def difference(actual, expected):
    """Largest relative difference of two results of one structure.

    Infinite where structure, shape, dtype or a value that is no tensor differs. A
    number of NumPy's is Python's in a compiled network.
    """
    if isinstance(expected, np.generic):
        expected = expected.item()
    if isinstance(expected, torch.Tensor):
        same = isinstance(actual, torch.Tensor) and (
            (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
        )
        if not same:
            return float("inf")
        if expected.numel() == 0:
            return 0.0
        if not expected.is_floating_point():
            return 0.0 if torch.equal(actual, expected) else float("inf")
        scale = expected.abs().max().clamp_min(1e-6)
        return float((actual - expected.detach()).abs().max() / scale.detach())
    if type(actual) is not type(expected):
        return float("inf")
    if isinstance(expected, (tuple, list)):
        if len(actual) != len(expected):
            return float("inf")
        return max(map(difference, actual, expected), default=0.0)
    if isinstance(expected, dict):
        if actual.keys() != expected.keys():
            return float("inf")
        return max((difference(actual[k], expected[k]) for k in expected), default=0.0)
    if isinstance(expected, float) and math.isfinite(expected):
        return abs(actual - expected) / max(abs(expected), 1e-6)
    return 0.0 if actual == expected else float("inf")
