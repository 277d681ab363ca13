"""What becomes of one program: eager, interpreter and compiled code side by side."""

import contextlib
import copy
import io
import linecache
import math
import re
import sys
import tempfile
import traceback
import zlib
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import ModuleType

from dycl.diag import CodedError, CompileErrors
from dycl.tools.same import value_difference

from .called import difference, way_of
from .inputs import inputs
from .runs import Endless, at_most, eager, eager_by_copies, outcome
from .unused import MOST_RAISING, Used, deciding, is_implicit, without, words_of
from .writer import write_program

TOLERANCE = 1e-3
"""Relative and absolute, for float32 results that other kernels may sum otherwise."""

INTERPRETED = {"verify": False, "host": "python", "backend": "reference"}
"""Options of a compilation that makes no code of the machine."""

_QUOTED = re.compile("`[^`]*`")
_numbers = count()


@dataclass
class Verdict:
    """How a program ended.

    `kind` is `same`, `refused` (then `codes` says why), `useless` (eager itself does
    not end, or raises for every input), or what failed: `compiled` and `interpreted`
    (another answer than eager), `python host` and `loaded` (another bit than compiled),
    `crash` (an exception that is no refusal), `rows` and `sizes` (another answer when
    compiled that way).
    `unraised`: an index or a division of which nothing is used is gone, and so is what
    it raises; that is no failure. All else is as eager without these (`.unused`).
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
        if self.kind == "refused":
            return self.kind, _QUOTED.sub("`_`", self.detail.partition("\n")[0])
        return self.kind, self.detail.split(" | ")[0]


def load(source):
    """The network of a program, on weights that are the same each time."""
    import torch

    name = f"<fuzz {next(_numbers)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    module = ModuleType("fuzzed")
    sys.modules["fuzzed"] = module  # records that are returned are made by their name
    exec(compile(source, name, "exec"), module.__dict__)
    torch.manual_seed(0)
    return module.__dict__["Net"]().eval()


def judge(source, limit=60, whole=True):
    """Compile and compare; a Verdict.

    Not `whole`: in half the time, by kernels that are interpreted and the Python host,
    and with no check of the IR between passes.
    """
    try:
        with at_most(3):
            model = load(source)
            given = inputs(source)
            wanted, state = eager(model, given)
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
            options = {} if whole else INTERPRETED
            found = _compare(source, model, given, wanted, state, options)
            raised = [one["raised"] for one in wanted if "raised" in one]
            if not found.failed or not any(map(is_implicit, raised)):
                return found
            other = _interpreted(model, given, wanted, state)
            if other is None and is_unused(source, model, given, options):
                return Verdict("unraised", next(filter(is_implicit, raised)))
            return other or found
    except Endless:
        return Verdict("crash", f"takes more than {limit} s")


def is_unused(source, model, given, options):
    """Whether compiled code is as eager but for values that raise and have no use.

    A value that decides has none if the same comes of it both ways.
    """

    def is_same(truth):
        try:
            with deciding(truth), at_most(20):
                return _is_same_without(source, model, given, options)
        except Endless:
            return False

    return is_same(None) or (is_same(False) and is_same(True))


def _is_same_without(source, model, given, options):
    for _ in range(MOST_RAISING):
        changed, error = load(source), None
        for x in given:
            error = error or _implicit_error(changed, x)
        if error is None:
            break
        source = without(source, error)
        if source is None:
            return False
    try:
        # To be part of a state is a use; a copy of the state finds it.
        expected = eager_by_copies(load(source), given)
    except Used:
        return False
    found = _compare(source, model, given, *expected, options, interpret=False)
    return not found.failed


def _implicit_error(model, x):
    """The exception of a call, if an expression may have raised it."""
    import torch

    try:
        with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            model(x.clone())
    except Exception as error:
        return error if is_implicit(words_of(error)) else None
    except Used:
        pass
    return None


def _compare(source, model, given, wanted, state, options, interpret=True):
    import dycl

    options = {"verify": True, "max_iterations": 10_000, **options}
    try:
        net = dycl.compile(model, (given[0],), **options)
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
    sides = {}

    def run(x):
        try:
            return net(x)
        finally:
            for decision in net.path:
                key = decision.line, decision.name
                sides.setdefault(key, set()).add(decision.taken)

    found = _first_difference("compiled", run, given, wanted)
    if found is not None:
        return found
    found = _state_difference("compiled", net.state, state)
    if interpret:
        found = found or _interpreted(model, given, wanted, state)
    if options["verify"]:
        found = found or _elsewhere(net, given)
    if found is None and (way := way_of(source)) is not None:
        found = _called(way, source, given, options)
    return found or Verdict("same", sides=sides)


def _called(way, source, given, options):
    """Compiled for many rows, or for inputs of any size."""
    try:
        what = difference(way, source, load, given, options, TOLERANCE)
    except Endless:
        raise
    except Exception as error:
        return Verdict("crash", f"{way}: {_place(error)}")
    return None if what is None else Verdict(way, f"answers | {what}")


def _elsewhere(net, given):
    """The same code run by the Python host, or saved and loaded: bit for bit."""
    net.reset_state()
    wanted = [outcome(net, x) for x in given]
    others = {"python host": net.with_python_host} if net.host == "native" else {}
    if zlib.crc32(net.host_source.encode()) % 4 == 0:
        others["loaded"] = lambda: _loaded(net)
    for kind, make in others.items():
        try:
            other = make()
        except Exception as error:
            return Verdict("crash", f"{kind}: {_place(error)}")
        found = _first_difference(kind, other, given, wanted, 0)
        found = found or _state_difference(kind, other.state, net.state.__getitem__, 0)
        if found is not None:
            return found
    return None


def _loaded(net):
    import dycl

    with tempfile.TemporaryDirectory() as folder:
        net.save(Path(folder) / "net.dycl")
        return dycl.load(Path(folder) / "net.dycl")


def _interpreted(model, given, wanted, state):
    """The source level, run by the interpreter: where it differs, a Verdict."""
    from dycl.driver.inputs import example_types
    from dycl.frontend import import_model
    from dycl.ir.interpreter import Interpreter

    try:
        imported = import_model(model, example_types((given[0],)))
        interpreter = Interpreter(imported.module, imported.params)
    except Endless:
        raise
    except Exception as error:
        return Verdict("crash", _place(error))
    kept = {}

    def run(x):
        result = interpreter.run((x,), state=copy.deepcopy(kept))  # it may raise
        kept.update(copy.deepcopy(dict(result.state)))
        return result.value

    found = _first_difference("interpreted", run, given, wanted)
    if found is not None and found.family[1] == "raises UnsupportedReached":
        return None  # a `try`: only later levels know which side is taken
    return found or _state_difference("interpreted", kept, state)


def _first_difference(kind, function, given, wanted, tolerance=TOLERANCE):
    """All calls first: a result that a later call overwrites differs too."""
    results = [outcome(function, x) for x in given]
    for number, (have, want) in enumerate(zip(results, wanted, strict=True)):
        found = value_difference(want, have, tolerance)
        if found is None:
            continue
        if "raised" in have:
            return Verdict(kind, f"raises {have['raised']} | input {number}: {found}")
        if "raised" in want:
            return Verdict(kind, f"no {want['raised']} | input {number}: {found}")
        return Verdict(kind, f"answers | input {number}: {found}")
    return None


def _state_difference(kind, have, wanted, tolerance=TOLERANCE):
    for name, value in have.items():
        found = value_difference(wanted(name), value, tolerance, name)
        if found is not None:
            return Verdict(kind, f"state | after all: {found}")
    return None


def _is_tame(value):
    """No number so large that float32 sums of it are noise."""
    import torch

    match value:
        case torch.Tensor():
            found = value.double().abs()
            return bool(((found < 1e4) | ~found.isfinite()).all())
        case float() | int():
            return abs(value) < 1e4 or not math.isfinite(value)
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
    import torch._dynamo  # which fake tensors ask for; no program may come to these yet

    torch.set_num_threads(1)
    sys.setrecursionlimit(20_000)
    for source in (FIRST, *map(write_program, range(WARMING))):
        judge(source, whole=False)
    judge(FIRST)


WARMING = 8
"""Programs that are judged in advance: what they import is there for all others."""

FIRST = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0.5 else x
"""
