"""What becomes of one program: eager, interpreter and compiled code side by side."""

import contextlib
import io
import linecache
import signal
import sys
import traceback
from dataclasses import dataclass, field
from itertools import count

from dycl.diag import CodedError, CompileErrors
from dycl.tools.same import value_difference

TOLERANCE = 1e-3
"""Relative and absolute, for float32 results that other kernels may sum otherwise."""

IMPLICIT = ("IndexError", "KeyError", "ZeroDivisionError")
"""What an expression may raise whose value nobody uses."""

_numbers = count()


@dataclass
class Verdict:
    """How a program ended.

    `kind` is `same`, `refused` (then `codes` says why), `useless` (eager itself does
    not end, or raises for every input), or what failed: `compiled` and `interpreted`
    (another answer than eager), `crash` (an exception that is no refusal).
    `unraised`: an index or a division of which nothing is used is gone, and so is what
    it raises; that is no failure.
    """

    kind: str
    detail: str = ""
    codes: tuple[str, ...] = ()
    sides: dict = field(default_factory=dict)

    @property
    def failed(self):
        return self.kind not in ("same", "unraised", "refused", "useless")

    @property
    def family(self):
        """What stays the same while a failing program is made small."""
        return self.kind, self.detail.split(" | ")[0]


def inputs(count=10):
    """Inputs of 1x4: all positive, all negative, small and large ones."""
    import torch

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    return [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]


def load(source):
    """The network of a program, on weights that are the same each time."""
    import torch

    name = f"<fuzz {next(_numbers)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    namespace = {"__name__": "fuzzed"}
    exec(compile(source, name, "exec"), namespace)
    torch.manual_seed(0)
    return namespace["Net"]().eval()


class Endless(Exception):
    """A run takes longer than any program of ours should."""


@contextlib.contextmanager
def at_most(seconds):
    """Endless, in the block, when the time is over."""

    def stop(number, frame):
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(function, x):
    """What a call gives, prints and leaves in its input: text where it raises."""
    import torch

    x, printed = x.clone(), io.StringIO()
    try:
        with torch.no_grad(), contextlib.redirect_stdout(printed):
            given = function(x)
    except (Endless, KeyboardInterrupt):
        raise
    except Exception as error:
        return {"raised": type(error).__name__, "printed": printed.getvalue()}
    return {"given": given, "printed": printed.getvalue(), "input": x}


def judge(source, limit=60):
    """Compile and compare; a Verdict."""
    try:
        with at_most(3):
            model = load(source)
            wanted = [outcome(model, x) for x in inputs()]
    except Endless:
        return Verdict("useless", "endless")
    except Exception as error:
        return Verdict("useless", f"cannot be made: {type(error).__name__}")
    if not any("given" in one for one in wanted):
        return Verdict("useless", f"raises {wanted[0]['raised']}")
    if not all(_is_tame(one.get("given")) for one in wanted):
        return Verdict("useless", "large numbers")
    try:
        with at_most(limit):
            return _compare(model, wanted)
    except Endless:
        return Verdict("crash", f"takes more than {limit} s")


def _compare(model, wanted):
    import dycl

    try:
        net = dycl.compile(model, (inputs()[0],), verify=True, max_iterations=10_000)
    except CompileErrors as refusal:
        codes = tuple(sorted({error.code for error in refusal.errors}))
        return Verdict("refused", str(refusal), codes)
    except CodedError as refusal:
        kind = "refused" if refusal.code[2] < "5" else "crash"
        return Verdict(kind, f"{refusal.code} | {refusal}", (refusal.code,))
    except Endless:
        raise
    except Exception as error:
        return Verdict("crash", _place(error))
    found = _first_difference("compiled", net, wanted)
    if found is not None:
        return found
    sides = {}
    for x in inputs():
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            net(x)
        for decision in net.path:
            key = decision.line, decision.name
            sides.setdefault(key, set()).add(decision.taken)
    return _interpreted(model, wanted) or Verdict("same", sides=sides)


def _interpreted(model, wanted):
    """The source storey, run by the interpreter: where it differs, a Verdict."""
    from dycl.frontend import import_model
    from dycl.inputs import example_types
    from dycl.ir.interpreter import Interpreter

    try:
        imported = import_model(model, example_types((inputs()[0],)))
        interpreter = Interpreter(imported.module, imported.params)
    except Endless:
        raise
    except Exception as error:
        return Verdict("crash", _place(error))

    def run(x):
        return interpreter.run((x,)).value

    return _first_difference("interpreted", run, wanted)


def _first_difference(kind, function, wanted):
    for number, (x, want) in enumerate(zip(inputs(), wanted, strict=True)):
        have = outcome(function, x)
        found = value_difference(want, have, TOLERANCE)
        if found is None:
            continue
        if "raised" in have:
            return Verdict(kind, f"raises {have['raised']} | input {number}: {found}")
        if want.get("raised") in IMPLICIT:
            return Verdict("unraised", want["raised"])
        if "raised" in want:
            return Verdict(kind, f"no {want['raised']} | input {number}: {found}")
        return Verdict(kind, f"answers | input {number}: {found}")
    return None


def _is_tame(value):
    """No number so large that float32 sums of it are noise."""
    import torch

    match value:
        case torch.Tensor():
            return value.numel() == 0 or bool(value.double().abs().max() < 1e4)
        case float() | int():
            return abs(value) < 1e4
        case list() | tuple():
            return all(map(_is_tame, value))
        case dict():
            return all(map(_is_tame, value.values()))
    return True


def _place(error):
    """The exception, and the function of DyCL it comes from."""
    cause = error.__cause__ or error
    frames = traceback.extract_tb(cause.__traceback__)
    ours = [f for f in frames if "/dycl/" in f.filename] or frames
    name = ours[-1].filename.rsplit("/dycl/", 1)[-1]
    return f"{type(cause).__name__} in {name}:{ours[-1].name} | {cause}"


def prepare():
    """One thread, deep recursion as in the tools; and all that is loaded once."""
    import torch

    torch.set_num_threads(1)
    sys.setrecursionlimit(20_000)
    judge(FIRST)


FIRST = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0.5 else x
"""
