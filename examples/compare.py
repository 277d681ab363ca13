"""Eager against compiled, on many inputs: the values, and the way that was taken.

`dycl.check` compares the kernels too, and says where a difference is; this counts.
"""

from dataclasses import dataclass, field
from pathlib import Path

from dycl.checking.eager import record
from dycl.checking.rounding import ILL_CONDITIONED, beyond_eager
from dycl.checking.values import TOLERANCES, largest_relative

RTOL = TOLERANCES["float32"]


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
        error = largest_relative(actual, expected)
        if RTOL < error < ILL_CONDITIONED:
            error = beyond_eager(model, arguments, {}, actual, expected)
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


def prediction(output):
    """The class with the largest logit, in the first tensor that a network returns.

    None where it returns none: an empty list.
    """
    first = next(iter(output), None) if isinstance(output, (tuple, list)) else output
    return None if first is None else int(first.argmax())
