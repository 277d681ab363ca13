"""Samples of an operator as lines of Python: `torch.add(t0, t1, alpha=2)`."""

import itertools
import operator
import re
from dataclasses import dataclass

import numpy as np
import torch

FORMS = {
    "function": lambda op: True,
    "in place": lambda op: op.inplace_variant is not None,
}
"""How an operator is called, and whether it can be."""
_LARGEST = 100_000
"""Elements of a tensor, for quick answers."""


@dataclass
class Lines:
    """Calls of one operator, and the tensors `t0`, `t1`, ... that they name."""

    calls: list[str]
    tensors: list[torch.Tensor]

    def only(self, *calls):
        """Some of the calls."""
        return Lines(list(calls), self.tensors)


class NotText(ValueError):
    """A value that cannot be written into a program."""


def operators():
    """torch's descriptions of its operators that users write, by name.

    Not those whose results nobody has written to.
    """
    from torch.testing._internal.common_methods_invocations import op_db

    return sorted(
        (op for op in op_db if _is_written(op.name)),
        key=lambda op: (op.name, op.variant_test_name),
    )


@dataclass
class Merged:
    """The calls of several operators."""

    lines: Lines
    calls: list[list[str]]
    """Of each operator."""


def merged_lines(units, most):
    """The lines of several (operator, form, dtype), their tensors numbered through."""
    merged = Merged(Lines([], []), [])
    for unit in units:
        lines, first = lines_of(*unit, most), len(merged.lines.tensors)
        calls = [
            re.sub(r"\bt(\d+)\b", lambda m, n=first: f"t{int(m[1]) + n}", call)
            for call in lines.calls
        ]
        merged.lines.calls += calls
        merged.lines.tensors += lines.tensors
        merged.calls.append(calls)
    return merged


def lines_of(op, form, dtype, most=8):
    """What can be asked of an operator in a dtype; what is random is left out.

    `most`: samples, spread over all that torch has.
    """
    torch.manual_seed(0)
    found = list(itertools.islice(op.sample_inputs("cpu", dtype), 100))
    lines = Lines([], [])
    for sample in found[:: max(1, len(found) // most)][:most]:
        tensors = list(lines.tensors)
        try:
            call = _call(op, form, sample, tensors)
        except NotText:
            continue
        if call not in lines.calls and _is_plain(call, tensors):
            lines.calls.append(call)
            lines.tensors = tensors
    return lines


def _call(op, form, sample, tensors):
    """A sample as Python; its tensors are appended."""
    given = [_text(value, tensors) for value in (sample.input, *sample.args)]
    given += [f"{key}={_text(value, tensors)}" for key, value in sample.kwargs.items()]
    if form == "in place":
        if not re.fullmatch(r"t\d+", given[0]):
            raise NotText(given[0])
        name = getattr(op.inplace_variant, "__name__", "<partial>")
        if name.startswith("<"):  # a function of torch, with `inplace=True`
            given[0] = f"{given[0]}.clone()"
            return f"torch.{op.name}({', '.join(given)}, inplace=True)"
        return f"{given[0]}.clone().{name}({', '.join(given[1:])})"
    if _is_function(op.name):
        return f"torch.{op.name}({', '.join(given)})"
    if not re.fullmatch(r"t\d+", given[0]):
        raise NotText(given[0])
    return f"{given[0]}.{op.name}({', '.join(given[1:])})"


def leaves(value):
    """The tensors and other values in a result, which may be arrays of NumPy's."""
    if isinstance(value, np.ndarray):
        return [torch.from_numpy(value.copy())]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def difference(ours, eager, exact=None):
    """How one leaf differs from eager's; empty: it does not.

    `exact`: the same in doubles. Eager rounds on the way, by rules of each of its
    kernels. So of half floats what is no farther from `exact` than eager is, by the
    largest distance of all elements, is the same, too; of float32 an element that is no
    farther than eager's, and within a hundredth of it: not one of another branch.
    """
    if not isinstance(eager, torch.Tensor):
        same = ours == eager or (ours != ours and eager != eager)
        return "" if same and type(ours) is type(eager) else f"{ours!r}, not {eager!r}"
    if not isinstance(ours, torch.Tensor):
        return f"a {type(ours).__name__}, not a tensor"
    if (ours.shape, ours.dtype) != (eager.shape, eager.dtype):
        return (
            f"{ours.dtype} {tuple(ours.shape)}, not {eager.dtype} {tuple(eager.shape)}"
        )
    if _alike(ours, eager).all():
        return ""
    is_known = isinstance(exact, torch.Tensor) and exact.shape == eager.shape
    rule = _is_no_farther if eager.dtype in HALVES else _is_no_farther_anywhere
    if is_known and rule(ours, eager, exact):
        return ""
    return _first(ours, eager)


def _is_no_farther_anywhere(ours, eager, exact):
    """Whether each element that differs is finite, and as near to what is exact."""
    if eager.dtype != torch.float32:
        return False
    differs = ~_alike(ours, eager)
    if not torch.isclose(ours, eager, rtol=0.01, atol=0)[differs].all():
        return False
    far, near = ((x.double() - exact)[differs].abs() for x in (eager, ours))
    return bool((near <= far).all())


def _is_no_farther(ours, eager, exact):
    """Whether ours are finite where eager's are, and as near to what is exact."""
    finite = eager.isfinite() & exact.isfinite()
    if not (_alike(ours, eager) | finite).all() or not ours[finite].isfinite().all():
        return False
    far, near = ((x.double() - exact)[finite].abs() for x in (eager, ours))
    return bool(near.max() <= far.max())


_PRECISE = {torch.float64: 1e-6, torch.bfloat16: 1.6e-2, torch.float16: 1e-3}


def _alike(ours, eager):
    """Which elements are close enough, by what torch's tests ask of a dtype."""
    if not eager.dtype.is_floating_point:
        return ours == eager
    precise = _PRECISE.get(eager.dtype, 1e-4)
    return torch.isclose(ours, eager, rtol=precise, atol=1e-5, equal_nan=True)


def _first(ours, eager):
    """The first element that differs."""
    alike = _alike(ours, eager)
    place = int((~alike).flatten().long().argmax())
    one, other = ours.flatten()[place].item(), eager.flatten()[place].item()
    return f"{one!r}, not {other!r}, at {place} of {eager.numel()}"


def _is_written(name):
    """Whether users write an operator as `torch.NAME` or as a method."""
    if re.match(r"_(?!_)|(new_)?empty", name):
        return False
    return _is_function(name) or hasattr(torch.Tensor, name)


def _is_function(name):
    try:
        return callable(operator.attrgetter(name)(torch))
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
    state = torch.get_rng_state()
    try:
        first, second = (leaves(evaluated(call, tensors)) for _ in range(2))
    except Exception:
        return False  # samples of what raises are others
    if not torch.equal(state, torch.get_rng_state()):
        return False  # a random number may be the same twice
    if any(isinstance(x, torch.Tensor) and _is_odd(x) for x in first):
        return False
    return not any(map(difference, first, second))


def _is_odd(x):
    return x.is_complex() or x.layout != torch.strided or x.is_quantized


HALVES = (torch.float16, torch.bfloat16)


def exactly(call, tensors):
    """The leaves of what eager gives of a call of half floats or float32 in doubles.

    None: there are none of these in it, or it raises.
    """
    narrow = (*HALVES, torch.float32)
    named = [tensors[int(n)] for n in re.findall(r"\bt(\d+)\b", call)]
    if not any(tensor.dtype in narrow for tensor in named):
        return None
    wide = [t.double() if t.dtype in narrow else t for t in tensors]
    for dtype in narrow:
        call = call.replace(str(dtype), "torch.float64")
    try:
        return leaves(evaluated(call, wide))
    except Exception:
        return None


def evaluated(call, tensors):
    """What eager gives of a call, of copies of the tensors."""
    names = {f"t{i}": tensor.clone() for i, tensor in enumerate(tensors)}
    with torch.no_grad():
        return eval(call, {"torch": torch, **names})
