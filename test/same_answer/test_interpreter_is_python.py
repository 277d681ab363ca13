"""The interpreter gives what Python gives, on random programs, for every input."""

from collections import Counter

import pytest
from generate import functions, modules
from hypothesis import given, settings

from dycl.ir.interpreter import Interpreter
from dycl.tools.same import value_difference


def check(program, sides):
    """Compare for each input; count which way each decision of the program went."""
    module, weights = program.source_level()
    module.verify()
    interpreter = Interpreter(module, weights)
    for values, want in zip(program.inputs, program.run(), strict=True):
        result = interpreter.run(values)
        assert value_difference(want, result.value) is None
        for decision in result.path:
            sides[program.name, decision.location, decision.taken] += 1


def assert_both_sides(sides):
    """Most decisions that were run at all went both ways over the inputs."""
    places = {key[:2] for key in sides}
    both = sum(1 for p in places if sides[*p, True] and sides[*p, False])
    assert len(places) > 200
    assert both > 0.5 * len(places), f"{both} of {len(places)}"


def test_functions():
    sides = Counter()

    @settings(max_examples=120)
    @given(functions("free"))
    def run(program):
        check(program, sides)

    run()
    assert_both_sides(sides)


def test_modules():
    pytest.importorskip("torch")
    sides = Counter()

    @settings(max_examples=50)
    @given(modules("free"))
    def run(program):
        check(program, sides)

    run()
    assert_both_sides(sides)
