"""Reading `f32[1,3,32,32]` and making tensors of it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from dycl.tools.input_spec import DTYPES, InputSpec, make_input, parse_input
from dycl.tools.usage import UsageError


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("f32[1,3,32,32]", InputSpec("f32", (1, 3, 32, 32))),
        ("i64[1]", InputSpec("i64", (1,))),
        ("bool[2]", InputSpec("bool", (2,))),
        ("f64[]", InputSpec("f64", ())),
        (" u8[ 2, 3 ] ", InputSpec("u8", (2, 3))),
        ("f32[0,4]", InputSpec("f32", (0, 4))),
        ("f32[1, n,4]", InputSpec("f32", (1, "n", 4))),
    ],
)
def test_reads(text, spec):
    assert parse_input(text) == spec


def test_a_spec_prints_as_it_is_written():
    assert str(InputSpec("f32", (1, 3))) == "f32[1,3]"
    assert str(parse_input("f64[]")) == "f64[]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1,3,32,32",
            "cannot read the input '1,3,32,32'; write it like f32[1,3,32,32]",
        ),
        ("f32", "cannot read the input 'f32'"),
        ("float32[1]", "there is no dtype 'float32'; did you mean 'f32'?"),
        ("long[1]", "there is no dtype 'long'; did you mean 'i64'?"),
        ("f31[1]", "there is no dtype 'f31'; did you mean 'f32'?"),
        ("complex[1]", "known: f64, f32"),
        ("f32[1,,2]", "'' is not a size"),
        ("f32[1,2.5]", "'2.5' is not a size"),
        ("f32[-3]", "'-3' is not a size"),
        ("f32[?,3]", "a size that is left open needs a name and a range"),
        ("no/such.npy", "there is no file 'no/such.npy'"),
    ],
)
def test_says_what_is_wrong(text, message):
    with pytest.raises(UsageError) as caught:
        parse_input(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_tensors_have_shape_and_dtype_and_follow_the_seed(dtype):
    spec = InputSpec(dtype, (50, 2))
    first, second = (make_input(spec, np.random.default_rng(3)) for _ in range(2))
    assert first.shape == (50, 2)
    assert first.dtype == getattr(torch, DTYPES[dtype])
    assert torch.equal(first, second)
    assert len(first.unique()) > 1


@pytest.mark.parametrize("dtype", ["f32", "i64", "bool"])
def test_a_tensor_of_rank_0(dtype):
    made = make_input(InputSpec(dtype, ()), np.random.default_rng(0))
    assert made.shape == ()
    assert made.dtype == getattr(torch, DTYPES[dtype])


def test_reads_an_array_from_a_file(tmp_path):
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T  # not contiguous
    np.save(tmp_path / "x.npy", array)
    source = parse_input(str(tmp_path / "x.npy"))
    assert source == Path(tmp_path / "x.npy")
    tensor = make_input(source, np.random.default_rng(0))
    assert torch.equal(tensor, torch.tensor([[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]))


def test_never_unpickles(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UsageError, match="holds no plain array"):
        make_input(tmp_path / "x.npy", np.random.default_rng(0))


def test_refuses_a_dtype_that_torch_lacks(tmp_path):
    np.save(tmp_path / "x.npy", np.array(["text"]))
    with pytest.raises(UsageError, match="which torch does not have"):
        make_input(tmp_path / "x.npy", np.random.default_rng(0))
