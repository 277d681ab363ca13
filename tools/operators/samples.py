"""Samples of an operator as lines of Python: `torch.add(t0, t1, alpha=2)`."""

import itertools
import operator
from dataclasses import dataclass

import numpy as np
import torch

MOST = 8
"""Samples of one operator and dtype, spread over all that torch has."""
_LARGEST = 100_000
"""Elements of a tensor, for quick answers."""


@dataclass
class Lines:
    """Calls of one operator, and the tensors `t0`, `t1`, ... that they name."""

    calls: list[str]
    tensors: list[torch.Tensor]


class NotText(ValueError):
    """A value that cannot be written into a program."""


def operators():
    """torch's descriptions of its operators, by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    return sorted(
        (op for op in op_db if _is_function(op.name)),
        key=lambda op: (op.name, op.variant_test_name),
    )


def lines_of(op, dtype):
    """What can be asked of an operator in a dtype; what is random is left out."""
    torch.manual_seed(0)
    found = list(itertools.islice(op.sample_inputs("cpu", dtype), 100))
    lines = Lines([], [])
    for sample in found[:: max(1, len(found) // MOST)][:MOST]:
        tensors = list(lines.tensors)
        try:
            given = [sample.input, *sample.args]
            parts = [_text(value, tensors) for value in given]
            named = sample.kwargs.items()
            parts += [f"{key}={_text(value, tensors)}" for key, value in named]
        except NotText:
            continue
        call = f"torch.{op.name}({', '.join(parts)})"
        if _is_plain(call, tensors):
            lines.calls.append(call)
            lines.tensors = tensors
    return lines


def leaves(value):
    """The tensors and other values in a result, which may be arrays of NumPy's."""
    if isinstance(value, np.ndarray):
        return [torch.from_numpy(value.copy())]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def difference(ours, eager):
    """How one leaf differs from eager's; empty: it does not."""
    if not isinstance(eager, torch.Tensor):
        same = ours == eager or (ours != ours and eager != eager)
        return "" if same and type(ours) is type(eager) else f"{ours!r}, not {eager!r}"
    if not isinstance(ours, torch.Tensor):
        return f"a {type(ours).__name__}, not a tensor"
    if (ours.shape, ours.dtype) != (eager.shape, eager.dtype):
        return (
            f"{ours.dtype} {tuple(ours.shape)}, not {eager.dtype} {tuple(eager.shape)}"
        )
    if not eager.dtype.is_floating_point:
        return "" if torch.equal(ours, eager) else _first(ours, eager)
    precise = 1e-6 if eager.dtype == torch.float64 else 1e-4
    close = torch.allclose(ours, eager, rtol=precise, atol=1e-5, equal_nan=True)
    return "" if close else _first(ours, eager)


def _first(ours, eager):
    """The first element that differs."""
    alike = torch.isclose(ours, eager, rtol=1e-4, atol=1e-5, equal_nan=True)
    place = int((~alike).flatten().long().argmax())
    one, other = ours.flatten()[place].item(), eager.flatten()[place].item()
    return f"{one!r}, not {other!r}, at {place} of {eager.numel()}"


def _is_function(name):
    """Whether an operator is a function that users call as `torch.NAME`.

    Not those whose results nobody has written to.
    """
    try:
        return not name.startswith(("_", "empty")) and callable(
            operator.attrgetter(name)(torch)
        )
    except AttributeError:
        return False


def _text(value, tensors):
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return f"t{len(tensors) - 1}"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, (list, tuple)):
        items = ", ".join(_text(item, tensors) for item in value)
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items}{',' if len(value) == 1 else ''})"
    raise NotText(type(value).__name__)


def _is_plain(call, tensors):
    """Whether eager gives the same twice, of strided tensors of real numbers."""
    if any(t.is_complex() or t.layout != torch.strided for t in tensors):
        return False
    if any(t.numel() > _LARGEST for t in tensors):
        return False
    try:
        first, second = (leaves(evaluated(call, tensors)) for _ in range(2))
    except Exception:
        return False  # samples of what raises are others
    if any(isinstance(x, torch.Tensor) and _is_odd(x) for x in first):
        return False
    return not any(map(difference, first, second))


def _is_odd(x):
    return x.is_complex() or x.layout != torch.strided or x.is_quantized


def evaluated(call, tensors):
    """What eager gives of a call, of copies of the tensors."""
    names = {f"t{i}": tensor.clone() for i, tensor in enumerate(tensors)}
    with torch.no_grad():
        return eval(call, {"torch": torch, **names})
