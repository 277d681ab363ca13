"""Phases as text: expanding, leaving out, and pasting back after `-p`."""

import pytest
from xdsl.utils.arg_spec import parse_pipeline

from dycl.passes import PASSES
from dycl.passes.repeat import RepeatPass
from dycl.pipelines import (
    LEVELS,
    NORMALISE_ROUND,
    PHASES,
    Pipeline,
    PipelineError,
    expand,
)
from dycl.universe import everything


@pytest.mark.parametrize("phase", PHASES)
def test_phase_expands_to_known_passes(phase: str) -> None:
    text = expand(phase)
    for spec in parse_pipeline(text):
        assert spec.name in PASSES
    assert expand(text) == text
    assert all(entry.why for entry in PHASES[phase])


def test_normalise_repeats_its_round() -> None:
    first, second, *_ = parse_pipeline(expand("normalise"))
    assert first.name == "dycl-specialize-sizes"
    assert second.name == "dycl-repeat"
    made = RepeatPass.from_spec(second)
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


def test_text_is_parsed_and_written() -> None:
    spec = 'a{x="},{"},b,c{y=1,2 z="q,r" w=true v},d{e="true" f="3"}'
    pipeline = Pipeline.parse(spec)
    assert [item.name for item in pipeline.items] == ["a", "b", "c", "d"]
    assert str(pipeline) == spec
    assert Pipeline.parse(str(Pipeline.parse("mlir-opt[f(a,b)]"))) == Pipeline.parse(
        "mlir-opt[f(a,b)]"
    )


def test_phase_takes_no_options() -> None:
    with pytest.raises(ValueError, match="'host' is a phase and takes no options"):
        expand("host{x=1}")


def test_repeat_survives_printing_and_pasting() -> None:
    made = RepeatPass(("cse", "dycl-unroll-loops{max-trip-count=8}"), 3)
    text = str(made.pipeline_pass_spec())
    assert RepeatPass.from_spec(next(iter(parse_pipeline(text)))) == made
    assert Pipeline.parse(text).names == ("dycl-repeat", "cse", "dycl-unroll-loops")


def test_option_is_given_to_the_pass_of_that_name_only() -> None:
    spec = "x-twice,dycl-repeat{passes=x,x-twice when-stable=x},x{n=1},x{k=2}"
    found = Pipeline.parse(spec).with_option("x", "n", 8)
    assert str(found) == (
        'x-twice,dycl-repeat{passes="x{n=8}",x-twice when-stable="x{n=8}"},'
        "x{n=1},x{k=2 n=8}"
    )


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("dycl-unrol-loops", "no pass 'dycl-unrol-loops'; did you mean 'dycl-unroll"),
        ("dycl-repeat{passes=cse,csee}", "no pass 'csee'; did you mean 'cse'"),
        ("dycl-unroll-loops{max-trip=3}", "no option 'max-trip'; did you mean 'max-tr"),
        ("dycl-unroll-loops{max-trip-count=many}", "dycl-unroll-loops: Incompatible"),
        ('dycl-repeat{passes="dycl-unroll-loops{a=3}"}', "there is no option 'a'"),
        ("dycl-repeat", 'requires argument "passes"'),
    ],
)
def test_what_does_not_exist_is_refused(spec: str, sentence: str) -> None:
    with pytest.raises(PipelineError, match=sentence):
        Pipeline.parse(spec).load(everything().all_passes)


@pytest.mark.parametrize("text", ["a{", "a{b=}", "a}", "a b"])
def test_text_that_is_no_pipeline_is_refused(text: str) -> None:
    with pytest.raises(PipelineError, match="pass-pipeline:1"):
        Pipeline.parse(text)


def test_parts_of_a_pipeline() -> None:
    whole = Pipeline.parse("a,b,a,c").expanded()
    assert str(whole.until("a")) == "a,b,a"
    assert str(whole.since("a")) == "a,b,a,c"
    default = Pipeline.parse("default").expanded()
    assert default.since("type").until("type") == Pipeline.parse("type").expanded()
    with pytest.raises(PipelineError, match="no 'dycl-unroll-loops' outside dycl-rep"):
        default.since("dycl-unroll-loops")
    with pytest.raises(PipelineError, match="no 'd'; did you mean|no 'd'"):
        whole.until("d")


def test_levels_end_at_their_checks() -> None:
    parts = Pipeline.parse("default,cse").expanded().by_level()
    assert list(parts) == list(LEVELS)
    for (level, part), phase in zip(
        parts.items(), ("normalise", "type", "partition", "host,cse"), strict=True
    ):
        assert part == Pipeline.parse(phase).expanded(), level
    with pytest.raises(PipelineError, match="does not reach the level 'typed'"):
        Pipeline.parse("normalise,partition,host").expanded().by_level()
    with pytest.raises(PipelineError, match="does not reach the level 'hcfg'"):
        Pipeline.parse("normalise,partition,type,host").expanded().by_level()
