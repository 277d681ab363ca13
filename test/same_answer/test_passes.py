"""No pass changes an answer: alone, in its place in the pipeline, or left out."""

import pytest
from generate import functions, modules
from hypothesis import given, settings
from passes import EXISTING, Comparison, Tally, passes_of, phases_that_exist

ALONE = [name for name in EXISTING if name != "dycl-repeat"]
PIPELINE = ",".join(phases_that_exist())
OPTIONAL = [
    name
    for phase in phases_that_exist()
    for name in passes_of(phase)
    if not name.startswith("dycl-check-")
]


def compare(programs, examples, pipeline, **options):
    """Run the pipeline on so many programs; the tally."""
    tally = Tally()

    @settings(max_examples=examples)
    @given(programs)
    def run(program):
        comparison = Comparison(program)
        tally.add(comparison, comparison.run(pipeline, **options))

    run()
    return tally


@pytest.mark.parametrize("name", ALONE)
def test_pass_alone(name):
    """On source as it comes: the same answer, or a sentence."""
    compare(functions("free"), 8, name)
    compare(modules("free"), 4, name)


def test_normalise_on_functions():
    # A loop over a list that is also returned is refused: it is not unrolled.
    compare(functions("compilable"), 30, "normalise").check(refused=0.4, both=0.4)


def test_pipeline_on_modules():
    pytest.importorskip("torch")
    compare(modules("compilable"), 15, PIPELINE).check()


@pytest.mark.parametrize("name", dict.fromkeys(OPTIONAL))
def test_pipeline_without(name):
    """Without any one pass: the same answer, or a sentence."""
    pytest.importorskip("torch")
    options = {"without": [name], "at_each_step": False}
    if name in passes_of("normalise"):
        compare(functions("compilable"), 5, "normalise", **options)
    compare(modules("compilable"), 4, PIPELINE, **options)
