"""One program: eager, compiled, and compared on inputs that decide both ways."""

import copy
import inspect
import random
import time

import numpy as np
import torch
from torch.utils import _pytree as pytree

import dycl
from dycl.diag import CodedError
from dycl.driver.models import lower
from tools.corpus.programs import Result
from tools.corpus.reading import Reading
from tools.corpus.rounding import is_rounding
from tools.corpus.variants import FIRST, variants

_RAISED = ("same", "raises")


def judge(program, until="native"):
    """What becomes of the program; `until`: `eager`, a level of the IR, or `native`."""
    result = Result(program.library, program.name, "same")
    try:
        model, args, kwargs = _made(program)
        with Reading() as reading:
            first = _called(model, args, kwargs)
        again, *_ = _made(program)
    except Exception as error:
        result.verdict, result.cause = "eager fails", _words(error)
        return result
    result.dynamic = reading.found
    if _difference(_called(again, args, kwargs, seed=1), first, exact=True):
        result.verdict = "random"
        return result
    if until == "eager":
        return result
    model, *_ = _made(program)
    try:
        began = time.process_time()
        if until != "native":
            lower(model, args, until, kwargs=kwargs)
        else:
            net = dycl.compile(model, args, kwargs=kwargs, cache=False)
    except CodedError as refused:
        _refused(result, refused)
    except Exception as error:
        result.verdict, result.cause = "bug", _words(error)
    else:
        if until == "native":
            _compared(result, net, program, args, kwargs)
    result.seconds = round(time.process_time() - began, 1)
    return result


def _made(program):
    _seed(0)
    model, args, kwargs = program.make()
    if isinstance(model, torch.nn.Module):
        model = model.eval()
    return model, tuple(args), kwargs


def _seed(seed):
    """Of all generators; not by `torch.manual_seed`, which a corpus may replace."""
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def _called(model, args, kwargs, seed=0):
    """What eager returns for copies of the arguments."""
    _seed(seed)
    args, kwargs = copy.deepcopy((args, kwargs))
    with torch.no_grad():
        return model(*args, **kwargs)


def _refused(result, refused):
    first, *others = getattr(refused, "errors", (refused,))
    result.verdict, result.code, result.cause = "refused", first.code, first.what
    result.others = len(others)
    if first.at is not None:
        lines = str(first.at.frame()).splitlines()
        result.where = lines[2].split("|", 1)[-1].strip() if len(lines) > 2 else ""


def _compared(result, net, program, args, kwargs):
    """Call both on the inputs; stop at the first difference.

    What eager raises has to be raised; then both begin anew, since eager keeps what it
    had set by then. Odd inputs are tried as long as a decision has gone one way only.
    """
    ways = {}
    eager, *_ = _made(program)
    for number, (xs, ks) in enumerate(variants((args, kwargs), _source(eager))):
        if number >= FIRST and all(len(seen) == 2 for seen in ways.values()):
            break
        is_odd = number >= FIRST
        found = _one(net, eager, xs, ks, is_odd)
        if found == _RAISED:
            eager, *_ = _made(program)
            net.reset_state()
        elif found:
            result.verdict, result.cause = found[0], f"input {number}: {found[1]}"
            break
        result.calls += 1
        for decision in net.path:
            place = (decision.name, decision.test, decision.file, decision.line)
            ways.setdefault(place, set()).add(decision.taken)
    result.decisions = len(ways)
    result.both = sum(len(seen) == 2 for seen in ways.values())


def _one(net, eager, args, kwargs, is_odd):
    """What is wrong with one call: a verdict and words; None: nothing.

    `_RAISED`: both raise.
    """
    try:
        wanted = _called(eager, args, kwargs)
    except Exception as error:
        wanted = error
    try:
        ours = net(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    except Exception as error:
        if isinstance(wanted, Exception):
            return _RAISED
        return "bug", f"raises {_words(error)}"
    if isinstance(wanted, Exception):
        return "wrong", f"does not raise {_words(wanted)}"
    found = _difference(ours, wanted, loose=is_odd)
    if found and is_rounding(ours, wanted, eager, args, kwargs):
        found = ""
    return ("wrong", found) if found else None


def _difference(ours, wanted, exact=False, loose=False):
    """How two results differ; empty: not at all.

    A tensor may differ by rounding; on odd inputs, which are far from what a model was
    made for, by more of it. (What is found is shown to `tools.corpus.rounding`.)
    """
    ours, wanted = (pytree.tree_leaves(_plain(one)) for one in (ours, wanted))
    if len(ours) != len(wanted):
        return f"{len(ours)} results, not {len(wanted)}"
    for place, (one, other) in enumerate(zip(ours, wanted, strict=True)):
        if isinstance(other, torch.Tensor) and isinstance(one, torch.Tensor):
            found = _differ(one.detach(), other.detach(), exact, loose)
        elif isinstance(other, (int, float, bool, str)) or other is None:
            alike = one == other or (one != one and other != other)
            close = isinstance(one, float) and abs(one - other) <= 1e-3 * abs(other)
            found = "" if alike or close else f"{one!r}, not {other!r}"
        else:
            kinds = [type(x).__name__ for x in (one, other)]
            found = "" if kinds[0] == kinds[1] else "a {}, not a {}".format(*kinds)
        if found:
            return f"result {place}: {found}"
    return ""


def _plain(value):
    """Outputs that pytree knows; what it does not know by its attributes."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if not isinstance(value, torch.Tensor) and hasattr(value, "__dict__"):
        return {key: _plain(one) for key, one in sorted(vars(value).items())}
    return value


def _differ(ours, wanted, exact, loose):
    if (ours.shape, ours.dtype) != (wanted.shape, wanted.dtype):
        kinds = [f"{x.dtype} {tuple(x.shape)}" for x in (ours, wanted)]
        return "{}, not {}".format(*kinds)
    if exact:
        return "" if _same_bits(ours, wanted) else "another value"
    if not (wanted.is_floating_point() or wanted.is_complex()):
        return "" if torch.equal(ours, wanted) else "another value"
    precise = 1e-2 if loose or wanted.dtype.itemsize < 4 else 1e-3
    size = wanted.abs().nan_to_num(0, 0, 0).max().item() if wanted.numel() else 0
    close = torch.isclose(
        ours, wanted, rtol=precise, atol=precise / 10 * max(size, 1e-2), equal_nan=True
    )
    if close.all():
        return ""
    place = int((~close).flatten().long().argmax())
    pair = [x.flatten()[place].item() for x in (ours, wanted)]
    return "{!r}, not {!r}, at {} of {}".format(*pair, place, wanted.numel())


def _same_bits(ours, wanted):
    return torch.equal(ours.isnan(), wanted.isnan()) and torch.equal(
        torch.nan_to_num(ours) if ours.is_floating_point() else ours,
        torch.nan_to_num(wanted) if wanted.is_floating_point() else wanted,
    )


def _source(model):
    """The source of the model's class, for the numbers in it; empty where unknown."""
    try:
        source = inspect.getsource(type(model))
        return inspect.cleandoc(source) if source[:1].isspace() else source
    except (OSError, TypeError):
        return ""


def _words(error):
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"[:300]
