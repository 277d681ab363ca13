"""Which way did eager go? Every `if` that a run takes on a tensor.

No model needs to know: `if tensor:` asks `Tensor.__bool__`, and a torch function mode
sees the question and the answer. Decisions on Python numbers are not seen.
"""

import inspect
import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dycl.checking.as_without_mode import as_without_mode
from dycl.checking.comparisons import EQUALITIES, ORDERINGS, Compared, Comparison

_TAG = "dycl_compared"
"""The attribute of a tensor that says what was compared to make it."""
_NEGATIONS = ("logical_not", "bitwise_not", "__invert__")


@dataclass(frozen=True)
class EagerDecision:
    """One `if` on a tensor: where, which way, and how far from the other way."""

    file: str
    """The file, without its folders."""
    line: int
    source: str
    """The text of the line."""
    taken: bool
    comparisons: tuple[Comparison, ...] = ()
    """What was compared to make it; (): that is not known."""

    @property
    def margin(self) -> float | None:
        """The distance from the predicate's value to its threshold.

        None where the test is not an ordering (a flag, `mask == 0`): such a test is
        exact, and only repeats what an earlier decision or the model has settled.
        """
        found = [c.margin for c in self.comparisons if c.margin is not None]
        return min(found, default=None)


def record(
    model: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> tuple[Any, tuple[EagerDecision, ...]]:
    """Run `model(*inputs)` in eager; its result, and every decision taken on a tensor.

    Raises what the model raises.
    """
    decisions: list[EagerDecision] = []
    return record_into(decisions, model, inputs, kwargs), tuple(decisions)


def record_into(
    decisions: list[EagerDecision],
    model: Any,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
) -> Any:
    """`record`, which leaves the decisions behind where the model raises."""
    import torch

    with torch.no_grad(), _recorder(decisions), as_without_mode():
        return model(*inputs, **(kwargs or {}))


def data_dependent(decisions: Iterable[EagerDecision]) -> tuple[EagerDecision, ...]:
    """Keep the decisions that the input settles: those on an ordering."""
    return tuple(d for d in decisions if d.margin is not None)


def _recorder(decisions: list[EagerDecision]) -> Any:
    """A mode that collects decisions; what was compared travels on the tensors."""
    import torch
    from torch.overrides import TorchFunctionMode

    compared = {
        getattr(owner, spelled): name
        for name in (*ORDERINGS, *EQUALITIES)
        for owner, spelled in (
            (torch, name),
            (torch.Tensor, name),
            (torch.Tensor, f"__{name}__"),
        )
    }
    folder = str(Path(torch.__file__).parent)

    class Recorder(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            if func is torch.Tensor.__bool__:
                decisions.append(_decision(result, _found(args), folder))
            elif isinstance(result, torch.Tensor) and result.dtype is torch.bool:
                tags = _carried(getattr(func, "__name__", ""), _found(args))
                if func in compared and len(args) > 1:
                    tags = (*tags, Compared(compared[func], *args[:2]))
                if tags:
                    setattr(result, _TAG, tags)
            return result

    return Recorder()


def _found(args: Any) -> tuple[Compared, ...]:
    """What was compared to make these arguments."""
    import torch

    tensors = (arg for arg in args if isinstance(arg, torch.Tensor))
    return tuple(tag for tensor in tensors for tag in getattr(tensor, _TAG, ()))


def _carried(function: str, tags: tuple[Compared, ...]) -> tuple[Compared, ...]:
    """What was compared to make a tensor, after one more function."""
    if function in ("any", "all"):
        return tuple(tag.reduced(function) for tag in tags)
    if function in _NEGATIONS:
        return tuple(tag.inverted() for tag in tags)
    return tags


def _decision(taken: bool, tags: tuple[Compared, ...], folder: str) -> EagerDecision:
    frame: Any = inspect.currentframe()
    while frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith(
        folder
    ):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    found = (tag.comparison() for tag in tags)
    return EagerDecision(
        Path(file).name,
        line,
        linecache.getline(file, line).strip(),
        taken,
        tuple(one for one in found if one is not None),
    )
