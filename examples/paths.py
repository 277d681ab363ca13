"""Which way did eager go? Records every `if` that a run takes on a tensor.

No model needs to know: `if tensor:` asks `Tensor.__bool__`, and a torch function
mode sees the question and the answer.
"""

import linecache
import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode

_ORDERINGS = frozenset(
    getattr(torch.Tensor, name)
    for name in ("gt", "ge", "lt", "le", "__gt__", "__ge__", "__lt__", "__le__")
)
_EQUALITIES = frozenset(
    getattr(torch.Tensor, name) for name in ("eq", "ne", "__eq__", "__ne__")
)
_TORCH = str(Path(torch.__file__).parent)


@dataclass(frozen=True)
class Decision:
    """One `if` on a tensor: where, which way, and how far from the other way.

    `margin` is the distance from the predicate's value to its threshold. It is None
    where the test is not an ordering (a flag, `mask == 0`): such a test is exact,
    and only repeats what an earlier decision or the model's structure has settled.
    """

    file: str
    line: int
    source: str
    taken: bool
    margin: float | None


class _Recorder(TorchFunctionMode):
    """Collects decisions; margins travel on the tensors that comparisons return."""

    def __init__(self):
        super().__init__()
        self.decisions = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func in _ORDERINGS:
            result.margin = (args[0] - args[1]).abs().min().item()
        elif func in _EQUALITIES and hasattr(args[0], "margin"):
            result.margin = args[0].margin
        elif func is torch.Tensor.__bool__:
            frame = _user_frame()
            file, line = frame.f_code.co_filename, frame.f_lineno
            source = linecache.getline(file, line).strip()
            margin = getattr(args[0], "margin", None)
            decision = Decision(Path(file).name, line, source, result, margin)
            self.decisions.append(decision)
        return result


def _user_frame():
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith(
        _TORCH
    ):
        frame = frame.f_back
    return frame


def record(model, inputs):
    """Run `model(*inputs)` in eager; return its result and every `Decision` taken."""
    with torch.no_grad(), _Recorder() as recorder:
        result = model(*inputs)
    return result, tuple(recorder.decisions)


def data_dependent(decisions):
    """Keep the decisions that the input settles: those on an ordering."""
    return tuple(d for d in decisions if d.margin is not None)
