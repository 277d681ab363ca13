"""The model tests with rows: `pytest test/models --rows`.

Each network that a test compiles is compiled with `rows=True`, too (`variants.py`).
When the test has ended, rows of its calls, put together, have to give the values and
paths that they gave alone, and which the test compares with eager (`row_twins.py`).

    --rows            kernels of many rows are run by the interpreter
    --rows native     they are compiled
    --one-in 20       a part of the tests (`replaced.py`)
"""

import pytest
from row_twins import Twins, grouped_anyhow, with_rows
from variants import NATIVE, REFERENCE, VARIANTS, NoVariant

from dycl.diag import CompileErrors, collect_notes, collect_remarks
from dycl.driver.compilation import see_nothing

UNTAKEN = {
    "rows": "it has rows already",
    "dynamic_shapes": "sizes that a call decides",
    "hints": "sizes that a call decides",
    "profile": "a profile of one row",
    "pipeline": "a pipeline of its own",
    "matmul_dtype": "products of other factors",
    "weight_dtype": "products of other factors",
}
"""What a twin is not compiled with, and why."""
SHARED = "an input of the network, which all rows share"
"""What the refusal of a list that all rows would change says."""
WRITTEN = "DY307"
"""The refusal of a change in place that is not followed."""


def pytest_addoption(parser):
    parser.addoption(
        "--rows",
        nargs="?",
        const=REFERENCE,
        default="",
        choices=(REFERENCE, NATIVE),
        help="compile with rows, too; what computes them",
    )


def twins_of(compiled):
    """The network, and the same with rows.

    Raises NoVariant, and what compiling raises.
    """
    compiled.check(UNTAKEN)
    keywords = compiled.given.get("kwargs") or {}
    own, example, rows, places = with_rows(compiled.model, compiled.inputs, keywords)
    given = compiled.changed(rows=rows)
    with pytest.MonkeyPatch.context() as patch:
        grouped_anyhow(patch)
        with collect_remarks() as remarks, collect_notes():
            try:
                many = compiled.compiling(
                    own, example, see_nothing, compiled.options, None, **given
                )
            except CompileErrors as error:
                if all(SHARED in one.what for one in error.errors):
                    raise NoVariant(SHARED) from error
                if own is not compiled.model and error.errors[0].code == WRITTEN:
                    raise NoVariant("it writes to a view of its rows") from error
                raise
    alone = "" if many.rows.is_grouped else why_alone(remarks)
    is_wrapped = own is not compiled.model
    is_interpreted = compiled.kind == REFERENCE
    made = (places, is_wrapped, is_interpreted, alone)
    return Twins(compiled.net, many, compiled.model, *made)


VARIANTS["rows"] = twins_of


def why_alone(remarks):
    """Why rows are not computed together. KeyError: no remark says so."""
    return {one.what: one.why for one in remarks}["run row by row"]
