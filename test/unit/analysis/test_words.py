"""Types and torch's texts reach users in their own words."""

import pytest
from xdsl.dialects.builtin import f32, i1

from dycl.analysis.dynamic_sizes.symbol_words import in_letters
from dycl.analysis.tensors.abstract import Dim, Tensor
from dycl.ir.dialect import SequenceType
from dycl.ir.dtypes import element_type
from dycl.ir.torch import IntT, OptionalType, VTensorType
from dycl.ir.type_words import type_words


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (VTensorType.of((2, 3), f32), "a float32 tensor of shape (2, 3)"),
        (VTensorType.of((2,), element_type("int64")), "an int64 tensor of shape (2,)"),
        (VTensorType.of((), i1), "a bool tensor of shape ()"),
        (VTensorType.of((-1, 4), f32), "a float32 tensor of shape (any size, 4)"),
        (VTensorType.of(None, None), "a tensor"),
        (SequenceType(IntT), "a list of int, as long as the input decides"),
        (OptionalType(IntT), "an int or None"),
    ],
)
def test_a_type(found, words):
    assert type_words(found) == words


def test_a_tensor_of_the_analysis_is_called_alike():
    one = Tensor.contiguous((Dim("rows"), 4), f32)
    assert str(one) == type_words(one.type) == "a float32 tensor of shape (any size, 4)"


def test_sizes_that_torch_has_symbols_for():
    said = "The size of tensor a (s0) must match the size of tensor b (s1 + s0) at 1"
    assert in_letters(said) == (
        "The size of tensor a (n) must match the size of tensor b (m + n) at 1 "
        "(n, m are sizes that the input decides)"
    )
    assert in_letters("mat1 is 2 x u3") == (
        "mat1 is 2 x n (n is a size that the input decides)"
    )
    assert in_letters("nothing of the kind") == "nothing of the kind"
