"""The interpreter gives what Python gives, on random programs, for every input."""

from collections import Counter

import pytest
from generate import functions, modules
from hypothesis import given, settings
from programs import call

from dycl.frontend import import_function, import_model
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import value_difference

SIDES = Counter()
"""(test of a program, side) -> how often it was taken."""


def source_storey(program):
    """The program's module and its weights."""
    if program.is_module:
        from xdsl.dialects.builtin import f32

        from dycl.ir.torch import VTensorType

        imported = import_model(program.forward, [VTensorType.of([2, 3], f32)])
        return imported.module, imported.params
    return import_function(program.forward, [VALUE, VALUE]), {}


def check(program):
    module, weights = source_storey(program)
    module.verify()
    interpreter = Interpreter(module, weights)
    for values in program.inputs:
        want = call(program.forward, values)
        result = interpreter.run(values)
        assert value_difference(want, result.value) is None
        for decision in result.path:
            SIDES[program.name, decision.place, decision.taken] += 1


@settings(max_examples=150)
@given(functions())
def test_functions(program):
    check(program)


@settings(max_examples=60)
@given(modules())
def test_modules(program):
    pytest.importorskip("torch")
    check(program)


def test_both_sides_were_taken():
    """Most decisions that were run at all went both ways over the inputs."""
    places = {key[:2] for key in SIDES}
    both = [p for p in places if SIDES[*p, True] and SIDES[*p, False]]
    assert len(places) > 300
    assert len(both) > 0.5 * len(places), f"{len(both)} of {len(places)}"
