"""The table of what torch-mlir lowers wrongly: each row is still true.

A row that fails in `test_it_is_still_wrong` was mended by torch-mlir: its fix can go.
"""

import faulthandler
import gc
import importlib.util
import math
import multiprocessing
import re
import signal
from pathlib import Path

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import dycl
from dycl.analysis import torch_fixes
from dycl.analysis.torch_fixes import boxes, counting, dims, missing, widening
from dycl.analysis.torch_fixes.table import AVOIDED, REWRITES, TABLE
from dycl.kernels.cpu import CpuBackend, building, lower, many

FOLDER = Path(torch_fixes.__file__).parent
STEPS = Path(lower.__file__).parent / "torch_fixes"
NAMES = {"torch": torch, "F": torch.nn.functional, "tensor": torch.tensor}
NUMBERS = {"nan": math.nan, "inf": math.inf}
IDS = [f"{fix.ops[0] if fix.ops else 'all'}: {fix.shows}" for fix in TABLE]
each_fix = pytest.mark.parametrize("fix", TABLE, ids=IDS)
pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")


@pytest.fixture(scope="module", autouse=True)
def warm():
    """What compiling imports is imported once, before the children are forked.

    What traces for `torch_text` is of torch._dynamo, which takes 0.8 s.
    """
    dycl.compile(lambda x: x.tanh(), (torch.ones(1),), cache=False, host="python")
    make_fx(lambda x: x.tanh(), pre_dispatch=True)(torch.ones(1))


def tensors(fix):
    return eval(f"({fix.given},)", {**NAMES, **NUMBERS})


def function(fix, folder):
    """The call as a function that has source."""
    names = ", ".join("xyz"[: len(tensors(fix))])
    file = folder / "shows.py"
    text = f"def shows({names}):\n    return {fix.shows}\n"
    file.write_text(f"import torch\nimport torch.nn.functional as F\n\n\n{text}")
    spec = importlib.util.spec_from_file_location("shows", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.shows


class Here:
    """Work that is done in this process, which is a child already: see `Children`."""

    def __init__(self, limit):
        self.limit = limit

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def one(self, function, *given):
        return function(*given)

    def each(self, function, jobs, most):
        for number, given in enumerate(jobs):
            yield number, function(*given)


def in_child(job):
    """What `job` gives in a process of its own: "right", or what is wrong."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def work():
        faulthandler.disable()  # that a process ends is no news here
        gc.freeze()
        signal.alarm(10)
        building.Children = Here
        many.in_child = lambda function, *given, limit: function(*given)
        theirs.send(job())

    process = context.Process(target=work)
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        return f"the process ends: {process.exitcode}"
    finally:
        process.join()


def verdict(run, wanted, is_exact):
    """How what `run` gives compares with eager's result, or eager's error."""
    try:
        got = run()
    except Exception as error:
        return "right" if isinstance(wanted, Exception) else f"refused: {error}"
    if isinstance(wanted, Exception):
        return f"no {type(wanted).__name__}"
    same = (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    if same and wanted.is_floating_point():
        close = (0, 0) if is_exact else (1e-4, 1e-6)
        same = torch.allclose(got, wanted, *close, equal_nan=True)
        same &= torch.equal(got.signbit() & (got == 0), wanted.signbit() & (got == 0))
    elif same:
        same = torch.equal(got, wanted)
    return "right" if same else f"{got} is not {wanted}"


def eager(call, fix):
    try:
        return call(*tensors(fix))
    except Exception as error:
        return error


@each_fix
def test_it_is_still_wrong(fix, torch_text, call, tmp_path):
    """torch-mlir's own importer, so that no rewrite applies; and not the step."""
    shows = function(fix, tmp_path)

    def run():
        lower.STAGES = tuple(
            (stage, tuple(s for s in steps if lower.step_name(s[0]) != fix.step))
            for stage, steps in lower.STAGES
        )
        text = torch_text(shows, *tensors(fix))
        library = CpuBackend(cache=False).compile(text)
        return call(library["kernel"], *tensors(fix))[0]

    found = in_child(lambda: verdict(run, eager(shows, fix), fix.is_rounding))
    assert found != "right", "torch-mlir has mended it: the fix can go"


@each_fix
def test_our_fix_is_right(fix, tmp_path, children_go_on):
    shows = function(fix, tmp_path)

    def run():
        net = dycl.compile(shows, tensors(fix), cache=False, host="python")
        return net(*tensors(fix))

    found = verdict(run, eager(shows, fix), fix.is_rounding)
    if fix.fix == "cpu-refuse-random":
        assert found.startswith("refused: ")
    else:
        assert found == "right"


def test_the_table_has_all_rewrites():
    in_table = {
        (op, fix.is_avoided)
        for fix in TABLE
        if not isinstance(fix.fix, str)
        for op in fix.ops
    }
    rewritten = {*boxes.REWRITES, *counting.REWRITES, *missing.REWRITES, "to"}
    avoided = {*counting.AVOIDED, "rrelu"}
    others = {(op, False) for op in rewritten} | {(op, True) for op in avoided}
    assert in_table.isdisjoint(others)
    both = {(op, False) for op in REWRITES} | {(op, True) for op in AVOIDED}
    assert both == in_table | others


def test_an_op_has_one_rewrite():
    rows = [
        (op, fix.is_avoided)
        for fix in TABLE
        if not isinstance(fix.fix, str)
        for op in fix.ops
    ]
    assert len(rows) == len(set(rows))


def test_the_table_has_all_steps():
    files = {path.stem for path in STEPS.glob("*.py")} - {"__init__"}
    steps = {f"cpu-{name.replace('_', '-')}" for name in files}
    assert steps == {fix.step for fix in TABLE if fix.step}
    assert steps <= set(lower.named_steps())


def test_other_fixes_are_functions():
    modules = {"widening": widening, "dims": dims}
    for fix in TABLE:
        if isinstance(fix.fix, str) and fix.step is None:
            module, name = re.fullmatch(r"(\w+)\.(\w+)", fix.fix).groups()
            assert callable(getattr(modules[module], name))


@pytest.mark.parametrize(
    ("x", "index"),
    [
        (torch.tensor(3.0), torch.tensor([0, 0])),
        (torch.tensor(3.0), torch.tensor(0)),
        (torch.tensor([3.0, 4.0]), torch.tensor(1)),
    ],
)
def test_a_gather_has_the_shape_of_its_index(x, index):
    """torch-mlir knows no tensor or index of rank 0."""
    net = dycl.compile(lambda x, y: x.gather(0, y), (x, index), host="python")
    assert torch.equal(net(x, index), x.gather(0, index))
    with pytest.raises(RuntimeError, match="out of bounds"):
        net(x, index + 7)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_variances_with_few_degrees_of_freedom(count):
    x = torch.linspace(1, 2, count)

    def variances(x):
        return [
            torch.var(x, correction=-1),
            torch.var(x, correction=0),
            torch.std(x),
            torch.std(x, correction=2),
            *torch.var_mean(x, correction=5),
        ]

    net = dycl.compile(variances, (x,), host="python")
    for found, expected in zip(net(x), variances(x), strict=True):
        assert found.dtype == expected.dtype
        torch.testing.assert_close(found, expected, equal_nan=True)


def test_pools_of_volumes_of_halves_round_once():
    """Eager sums half floats in f32."""
    x = torch.randn(1, 2, 6, 6, 6, generator=torch.Generator().manual_seed(0))
    for dtype in (torch.bfloat16, torch.float16):
        given = x.to(dtype)
        net = dycl.compile(
            lambda x: torch.nn.functional.adaptive_avg_pool3d(x, 1), (given,)
        )
        exact = given.double().mean((2, 3, 4), keepdim=True).to(dtype)
        assert torch.equal(net(given), exact)
