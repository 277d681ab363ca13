"""Calls of one operator in one model, without those that are refused, and eager."""

import importlib.util
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

import dycl
from dycl.diag import CompileError, CompileErrors
from tools.operators.samples import difference, evaluated, exactly, leaves

_HEAD = 3
"""Lines of the model's file before the first call."""


class Unclear(Exception):
    """Something went wrong, and nobody says with which call."""


def judge(lines):
    """(call, outcome, words) of each call: compiled together where that goes."""
    try:
        return _together(lines)
    except Exception as error:
        if (count := len(lines.calls)) > 1:
            halves = lines.calls[: count // 2], lines.calls[count // 2 :]
            return [one for half in halves for one in judge(lines.only(*half))]
        outcome = "refused" if isinstance(error, Unclear) else "died"
        words = str(error) or type(error).__name__
        return [(lines.calls[0], outcome, words.partition("\n")[0])]


def _together(lines):
    found = []
    with TemporaryDirectory() as folder:
        net, calls, given = _compiled(Path(folder), lines, found)
        if net is None:
            return found
        try:
            results = net(*given)
        except Exception as error:
            if len(calls) > 1:
                raise
            return [*found, (calls[0], "wrong", f"raises {error!r}"[:200])]
        for call, ours in zip(calls, results, strict=True):
            eager = leaves(evaluated(in_order(call), lines.tensors))
            ours = leaves(ours)
            eager = _with_our_places(call, ours, eager, lines.tensors)
            differ = list(map(difference, ours, eager))
            if any(differ):
                exact = exactly(in_order(call), lines.tensors) or [None] * len(eager)
                differ = list(map(difference, ours, eager, exact))
            if len(ours) != len(eager):
                differ.append(f"{len(ours)} results, not {len(eager)}")
            words = next(filter(None, differ), "")
            found.append((call, "wrong" if words else "same", words))
    return found


_SORT = re.compile(
    r"(torch\.(?:arg)?sort)\((t\d+)(?:, (-?\d+))?(?:, (True|False))?(, \w+=.*)?\)"
)


def in_order(call):
    """A sort as one that keeps equal elements in order.

    Eager promises no order for others, and gives that of its library; ours keeps it.
    """
    found = _SORT.fullmatch(call)
    if found is None or "stable" in call:
        return call
    name, x, dim, descending, rest = found.groups()
    dim = f", dim={dim}" if dim else ""
    down = f", descending={descending}" if descending else ""
    return f"{name}({x}, stable=True{dim}{down}{rest or ''})"


_PLACED = re.compile(
    r"torch\.(?:median|nanmedian|mode)\(t(\d+)(?:, (?:dim=)?(-?\d+))?.*\)"
)


def _with_our_places(call, ours, eager, tensors):
    """What eager gives, with our place of each element, if it is found there.

    Of equal elements, the choice is left to eager's library.
    """
    found = _PLACED.fullmatch(call)
    if found is None or len(ours) != 2 or ours[1].shape != eager[1].shape:
        return eager
    x, dim = tensors[int(found[1])], int(found[2] or -1)
    if x.dim() == 0 or not (ours[1] >= 0).all() or (ours[1] >= x.shape[dim]).any():
        return eager
    values, places = (
        one if one.dim() == x.dim() else one.unsqueeze(dim)
        for one in (eager[0], ours[1])
    )
    picked = x.gather(dim, places)
    is_one = (picked == values) | ((picked != picked) & (values != values))
    return [eager[0], torch.where(is_one.reshape(ours[1].shape), ours[1], eager[1])]


def _compiled(folder, lines, found):
    """The network of the calls that are not refused, the calls, and its inputs."""
    calls = list(lines.calls)
    for attempt in range(len(calls)):
        named = sorted({int(n) for c in calls for n in re.findall(r"\bt(\d+)\b", c)})
        path = folder / f"calls_{attempt}.py"
        path.write_text(_source(calls, named))
        given = tuple(lines.tensors[n].clone() for n in named)
        try:
            return dycl.compile(_model(path), given, cache=False), calls, given
        except CompileError as error:
            errors = error.errors if isinstance(error, CompileErrors) else [error]
            refused = _refused(errors, path.name)
            if not refused or not refused.keys() <= set(range(len(calls))):
                raise Unclear(_words(errors[0])) from error
        found += [(calls[i], "refused", words) for i, words in refused.items()]
        calls = [call for i, call in enumerate(calls) if i not in refused]
        if not calls:
            break
    return None, [], ()


def _source(calls, named):
    """A model of the calls."""
    body = [f"        r{i} = {call}" for i, call in enumerate(calls)]
    return "\n".join(
        [
            "import torch",
            "class Calls(torch.nn.Module):",
            f"    def forward(self, {', '.join(f't{n}' for n in named)}):",
            *body,
            f"        return ({', '.join(f'r{i}' for i in range(len(calls)))},)",
            "",
        ]
    )


def _model(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.Calls().eval()


def _refused(errors, file):
    """Which calls are refused, by position, and what is said of each."""
    found = {}
    for error in errors:
        place = re.search(rf"{re.escape(file)}:(\d+)", str(error))
        if place is not None:
            found[int(place[1]) - _HEAD - 1] = _words(error)
    return found


def _words(error):
    return f"{error.code} {error.what}".partition("\n")[0]
