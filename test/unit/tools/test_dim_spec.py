"""`--input f32[1,n] --dim n=1..512`: sizes that a call decides."""

import pytest

import dycl
from dycl.tools.dim_spec import dynamic_shapes, parse_dims, parse_hints, with_numbers
from dycl.tools.input_spec import InputSpec, parse_input
from dycl.tools.opt_args import UsageError


def test_reads():
    assert parse_dims(["n=1..512", " m = 0.. "]) == {
        "n": dycl.Dim("n", min=1, max=512),
        "m": dycl.Dim("m"),
    }


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["n"], "cannot read --dim 'n'; write it like n=1..512"),
        (["n=..4"], "cannot read --dim 'n=..4'"),
        (["n=1..4", "n=1..5"], "--dim says twice what `n` is"),
        (["n=4..3"], "--dim n=4..3: the Dim `n` is 4 to 3"),
        (["n=0..1"], "a size of 0 or 1 alone is fixed"),
    ],
)
def test_says_what_is_wrong(texts, message):
    with pytest.raises(UsageError) as caught:
        parse_dims(texts)
    assert message in str(caught.value)


def test_inputs_are_as_large_as_the_range_allows():
    spec = parse_input("f32[1,n,m,k]")
    ranges = {"n": (1, 512), "m": (16, None), "k": (0, 4)}
    assert with_numbers(spec, ranges) == InputSpec("f32", (1, 8, 16, 4))
    with pytest.raises(UsageError, match="'k' is not a size; if a call decides it"):
        with_numbers(spec, {"n": (1, 512), "m": (16, None)})


def test_shapes_are_those_of_the_names():
    dims = parse_dims(["n=1..512", "m=0.."])
    sources = [parse_input(text) for text in ("f32[n,3]", "f32[2]", "i64[m,n]")]
    assert dynamic_shapes(sources, dims) == {
        "dynamic_shapes": ({0: dims["n"]}, {}, {0: dims["m"], 1: dims["n"]})
    }
    assert dynamic_shapes(sources[1:2], {}) == {}
    with pytest.raises(UsageError, match="`m` is, which no --input has as a size"):
        dynamic_shapes(sources[:2], dims)


def test_hints():
    dims = parse_dims(["n=1..512", "m=0.."])
    assert parse_hints([], dims) == {}
    assert parse_hints(["n=128, 7", "m=0", "n=3"], dims) == {
        "hints": {"n": [128, 7, 3], "m": [0]}
    }
    assert parse_hints(["x.size(0)=4"]) == {"hints": {"x.size(0)": [4]}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n", "cannot read --hint 'n'; write it like n=128,256"),
        ("n=1..4", "cannot read --hint 'n=1..4'"),
        ("k=4", "hints names `k`, which is no dynamic size: calls decide n, m"),
        ("n=0", "the hint n = 0 is not in n = 1..512"),
    ],
)
def test_says_what_is_wrong_with_a_hint(text, message):
    dims = parse_dims(["n=1..512", "m=0.."])
    with pytest.raises(UsageError) as caught:
        parse_hints([text], dims)
    assert message in str(caught.value)
