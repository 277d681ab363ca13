"""The model tests with rows: `pytest test/models --rows`.

Each network that a test compiles is compiled with `rows=True`, too. When the test has
ended, rows of its calls, put together, have to give the values and paths that they gave
alone, and which the test compares with eager (`row_twins.py`). What cannot have rows is
counted and named in the summary, with the reason.

    --rows            kernels of many rows are run by the interpreter
    --rows native     they are compiled
    --one-in 20       a part of the tests (`replaced.py`)
"""

from collections import Counter

import pytest
import torch
from row_twins import NoRows, Twins, grouped_anyhow, with_rows

from dycl.compiled import CompiledModel
from dycl.diag import collect_notes, collect_remarks
from dycl.driver import models
from dycl.driver.compilation import see_nothing
from dycl.options import CompileOptions

NATIVE, REFERENCE = "native", "reference"
COMPARED = "compared"
UNTAKEN = {
    "kwargs": "arguments by keyword",
    "rows": "it has rows already",
    "dynamic_shapes": "sizes that a call decides",
    "hints": "sizes that a call decides",
    "profile": "a profile of one row",
    "pipeline": "a pipeline of its own",
    "matmul_dtype": "products of other factors",
    "weight_dtype": "products of other factors",
}
"""What a twin is not compiled with, and why."""
INTERPRETED = {"backend": REFERENCE, "host": "auto", "target": NATIVE, "threads": 1}


def pytest_addoption(parser):
    parser.addoption(
        "--rows",
        nargs="?",
        const=REFERENCE,
        default="",
        choices=(REFERENCE, NATIVE),
        help="compile with rows, too; what computes them",
    )


@pytest.fixture(scope="module", autouse=True)
def row_twins(request):
    """Networks -> their twins, or why there are none; None: rows are not asked for."""
    kind = request.config.getoption("--rows")
    if not kind:
        yield None
        return
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        compiling = with_row_twin(models.compile_watched, kind, made)
        patch.setattr(models, "compile_watched", compiling)
        patch.setattr(CompiledModel, "__call__", noting(CompiledModel.__call__, made))
        yield made


@pytest.fixture(autouse=True)
def rows_compared(request, row_twins):
    """Compares what a test has called, and notes for the summary what there was."""
    if row_twins is None:
        yield
        return
    known = set(row_twins)
    yield
    said = Counter()
    try:
        for net, twins in row_twins.values():
            said[outcome_of(net, twins, is_new=id(net) not in known)] += 1
    finally:
        for key in [key for key in row_twins if key not in known]:
            del row_twins[key]
    del said[None]
    request.node.user_properties.append(
        ("rows", [*said] or ["no network is compiled or called"])
    )


def outcome_of(net, twins, *, is_new):
    """What the summary says of a network; None: the test has nothing to do with it.

    Raises what compiling the twin has raised, and AssertionError.
    """
    if isinstance(twins, NoRows):
        return str(twins) if is_new else None
    if isinstance(twins, Exception):
        raise twins
    if not is_new and not twins.calls:
        return None
    try:
        twins.compare()
    except NoRows as why:
        return str(why)
    finally:
        twins.calls.clear()
    return f"{COMPARED}, row by row: {twins.alone}" if twins.alone else COMPARED


def with_row_twin(compiling, kind, made):
    """`compile_watched`, which compiles each network with rows as well."""

    def compiled(model, inputs, watch, options=None, listener=None, **given):
        net = compiling(model, inputs, watch, options, listener, **given)
        try:
            with pytest.MonkeyPatch.context() as patch:
                grouped_anyhow(patch)
                twins = twins_of(compiling, kind, net, model, inputs, options, given)
        except Exception as error:  # The test goes on as if there were no twin.
            twins = error
        made[id(net)] = net, twins
        return net

    return compiled


def twins_of(compiling, kind, net, model, inputs, options, given):
    """Raises NoRows, and what compiling raises."""
    plain = vars(CompileOptions())
    asked = vars(options or CompileOptions()) | given
    for name, why in UNTAKEN.items():
        if asked.get(name) and asked[name] != plain.get(name):
            raise NoRows(why)
    if isinstance(model, torch.export.ExportedProgram):
        raise NoRows("an exported program")
    if net.signature is not None:
        raise NoRows("an input with a structure")
    if any("expression" not in one for one in effects_of(net)):
        raise NoRows("effects that must not be had twice")
    own, example, rows, places = with_rows(model, inputs)
    given |= {"keep": None, "rows": rows} | (INTERPRETED if kind == REFERENCE else {})
    with collect_remarks() as remarks, collect_notes():
        many = compiling(own, example, see_nothing, options, None, **given)
    alone = "" if many.rows.is_grouped else why_alone(remarks)
    return Twins(net, many, places, is_wrapped=own is not model, alone=alone)


def why_alone(remarks):
    """Why rows are not computed together. KeyError: no remark says so."""
    return {one.what: one.why for one in remarks}["run row by row"]


def effects_of(net):
    return net.native.program.tables["effects"] if net.native is not None else ()


def noting(call, made):
    """`CompiledModel.__call__`, which notes the calls of networks that have a twin."""

    def noted(self, *args, **kwargs):
        net, twins = made.get(id(self), (None, None))
        if net is not self or kwargs or not isinstance(twins, Twins):
            return call(self, *args, **kwargs)
        return twins.run(call, args)

    return noted


def pytest_terminal_summary(terminalreporter):
    """Which tests were compared, and which have no variant with rows, and why."""
    tests = {}
    for report in [r for some in terminalreporter.stats.values() for r in some]:
        if getattr(report, "when", None) == "teardown":
            for why in dict(report.user_properties).get("rows", ()):
                tests.setdefault(why, []).append(report.nodeid)
    if tests:
        terminalreporter.section("rows")
    for why, names in sorted(tests.items()):
        terminalreporter.write_line(f"{len(names)} tests: {why}")
        for name in sorted(names) if why != COMPARED else ():
            terminalreporter.write_line(f"    {name}")
