"""Phases as text: expanding, leaving out, and pasting back after `-p`."""

import pytest
from xdsl.utils.arg_spec import parse_pipeline

from dycl.passes import PASSES
from dycl.passes.repeat import RepeatPass
from dycl.pipelines import NORMALISE_ROUND, PHASES, expand, repeated, split


@pytest.mark.parametrize("phase", PHASES)
def test_phase_expands_to_known_passes(phase: str) -> None:
    text = expand(phase)
    for spec in parse_pipeline(text):
        assert spec.name in PASSES
    assert expand(text) == text
    assert all(entry.why for entry in PHASES[phase])


def test_normalise_repeats_its_round() -> None:
    first = next(iter(parse_pipeline(expand("normalise"))))
    assert first.name == "dycl-repeat"
    made = RepeatPass.from_spec(first)
    assert made.passes == tuple(entry.what for entry in NORMALISE_ROUND)


def test_default_is_the_four_phases() -> None:
    assert expand("default") == expand("normalise,type,partition,host")


@pytest.mark.parametrize(
    ("spec", "without", "left"),
    [
        ("a,b{x=1,2},c", {"b"}, "a,c"),
        ("a,b{x=1,2}", set[str](), "a,b{x=1,2}"),
        ("dycl-repeat{passes=a,b,c}", {"b"}, "dycl-repeat{passes=a,c}"),
        (
            'dycl-repeat{passes="a,b{x=1,2}","c" max-rounds=3},d',
            {"a"},
            'dycl-repeat{passes="b{x=1,2}",c max-rounds=3},d',
        ),
        ("dycl-repeat{passes=a,b max-rounds=3},c", {"a", "b"}, "c"),
        ("a", {"a"}, ""),
        ("host,a", {"host"}, "a"),
    ],
)
def test_without_leaves_out_everywhere(spec: str, without: set[str], left: str) -> None:
    assert expand(spec, without) == left


def test_split_respects_braces_brackets_and_quotes() -> None:
    spec = 'a{x="},{"},b, mlir-opt[f(a,b)],c{y=1,2}'
    assert split(spec) == ['a{x="},{"}', "b", "mlir-opt[f(a,b)]", "c{y=1,2}"]


def test_phase_takes_no_options() -> None:
    with pytest.raises(ValueError, match="'host' is a phase and takes no options"):
        expand("host{x=1}")


def test_repeat_survives_printing_and_pasting() -> None:
    made = RepeatPass(("cse", "dycl-unroll-loops{max-trip-count=8}"), 3)
    text = str(made.pipeline_pass_spec())
    assert RepeatPass.from_spec(next(iter(parse_pipeline(text)))) == made
    assert repeated(text) == ["cse", "dycl-unroll-loops{max-trip-count=8}"]
