"""The source level, and the normal one, compute what Python computes."""

import pytest
from xdsl.context import Context
from xdsl.passes import PassPipeline

from dycl.frontend import import_model
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interpreter import Interpreter
from dycl.pipelines import NORMALISE_ROUND
from dycl.universe import everything

from .programs import CASES

each_program = pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)

FOLLOWED = {
    name: 0
    for name in (
        "dycl.for",
        "dycl.while",
        "dycl.invoke",
        "dycl.subscript",
        "dycl.scope",
    )
}
"""Ops of which normal form has none, for these programs."""

EXPECTED = {
    "branch_in_a_called_function": {"dycl.scope": 2},
    "break_and_continue": {"dycl.scope": 1},
    "while_with_jumps": {"dycl.while": 1},
    "text": {"dycl.invoke": 1},
}
DECISIONS = {
    "stale_flag": 1,
    "constant_reassigned_in_a_branch": 1,
    "range_with_a_start": 0,
    "conditional_expressions": 1,
    "list_appended_until_a_break": 4,
    "while_on_a_counter": 0,
    "state_that_may_be_none": 0,
    "recursion_that_ends": 0,
}


def normalise(module):
    passes = ",".join(step.what for step in NORMALISE_ROUND)
    PassPipeline.parse_spec(
        everything().all_passes, f"dycl-repeat{{passes={passes}}}"
    ).apply(Context(), module)
    module.verify()


def answers(module, inputs):
    return [Interpreter(module, {}).run([x]).value for x in inputs]


@each_program
def test_source_level_is_python(function) -> None:
    module = import_model(function, [VALUE]).module
    assert answers(module, CASES[function]) == [function(x) for x in CASES[function]]


@each_program
def test_normal_level_is_python(function) -> None:
    module = import_model(function, [VALUE]).module
    normalise(module)
    assert answers(module, CASES[function]) == [function(x) for x in CASES[function]]


@each_program
def test_normal_level_keeps_only_decisions(function) -> None:
    module = import_model(function, [VALUE]).module
    normalise(module)
    entry = module.body.block.first_op
    names = [op.name for op in entry.walk()]
    want = {**FOLLOWED, **EXPECTED.get(function.__name__, {})}
    assert {name: names.count(name) for name in want} == want
    if function.__name__ in DECISIONS:
        assert names.count("dycl.if") == DECISIONS[function.__name__]
