"""The model tests with sizes that a call decides: `pytest test/models --sizes`.

Each network that a test compiles is compiled with `dynamic_shapes`, too
(`variants.py`): one dimension of an input, all of one size, or all there are, as chance
has it, which is the same for a test in each run. When the test has ended, the twin has
to give what the network gave, and on inputs of other sizes what eager gives
(`size_twins.py`).

    --sizes           kernels of dynamic sizes are run by the interpreter
    --sizes native    they are compiled
    --one-in 20       a part of the tests (`replaced.py`)
"""

import os
import random

from eager_runs import copy_of, is_held_by_hooks
from replaced import number_of
from size_twins import SizeTwins, choices, spec_of
from structures import arguments_of
from torch.nn.modules import module as torchs
from variants import NATIVE, REFERENCE, VARIANTS, NoVariant

import dycl
from dycl.diag import CodedError, CompileErrors, collect_notes, collect_remarks
from dycl.diag.crash import InternalError
from dycl.driver.compilation import see_nothing

UNTAKEN = {
    "dynamic_shapes": "it has dynamic sizes already",
    "hints": "it has dynamic sizes already",
    "rows": "rows",
    "profile": "a profile of one size",
    "pipeline": "a pipeline of its own",
    "without": "a pipeline of its own",
    "matmul_dtype": "products of other factors",
    "weight_dtype": "products of other factors",
}
"""What a twin is not compiled with, and why."""
MOST_TRIES = 3
"""How many choices of dimensions are compiled, if those before are refused."""
BUGS = ("DY209", "DY305", "DY901")
"""What no size of a network that compiles may be refused with: an unforeseen failure,
and that eager raises for all inputs."""


def pytest_addoption(parser):
    parser.addoption(
        "--sizes",
        nargs="?",
        const=REFERENCE,
        default="",
        choices=(REFERENCE, NATIVE),
        help="compile with dynamic sizes, too; what computes them",
    )


def twins_of(compiled):
    """The network, and the same with dynamic sizes.

    Raises NoVariant, and what compiling raises but for refusals.
    """
    compiled.check(UNTAKEN)
    model, args = compiled.model, compiled.inputs
    if is_held_by_hooks(model):
        raise NoVariant("a hook of it is a function that holds a module")
    if torchs._global_forward_pre_hooks or torchs._global_forward_hooks:
        raise NoVariant("hooks of all modules, of which eager has none later")
    kwargs = compiled.given.get("kwargs") or {}
    arguments = arguments_of(model, args, kwargs)
    chance = random.Random(number_of(os.environ.get("PYTEST_CURRENT_TEST", "")))
    refused = []
    for names in choices(arguments, chance)[:MOST_TRIES]:
        most = chance.choice([None, 4096])
        shapes = spec_of(
            arguments, {p: dycl.Dim(n, max=most) for p, n in names.items()}
        )
        given = compiled.changed(dynamic_shapes=shapes)
        try:
            with collect_remarks(), collect_notes():
                many = compiled.compiling(
                    model, args, see_nothing, compiled.options, None, **given
                )
        except (CompileErrors, CodedError) as error:
            refused.append(why_refused(error))
            continue
        own = copy_of(model)
        return SizeTwins(compiled.net, many, own, names, chance, refused)
    raise NoVariant(refused[0] if refused else "no input is a tensor with dimensions")


VARIANTS["sizes"] = twins_of


def why_refused(error):
    """The first refusal. Raises the error if it is none that a network may get."""
    one = error.errors[0] if isinstance(error, CompileErrors) else error
    if isinstance(error, InternalError) or one.code in BUGS:
        raise error
    return f"refused, {one.code}: {one.what}"
