"""The compiler and the runtime name the fields of Python's own values alike."""

import numpy as np
import pytest
import torch

from dycl.ir import builtin_nodes as ours
from dycl.runtime import builtin_nodes as theirs
from dycl.runtime.node_attributes import attributes_of


@pytest.mark.parametrize(
    "value",
    [True, 3, 2.5, "text", (1, 2), [1], {"left": 1, "a'b": 2}, torch.zeros(2)],
    ids=lambda value: type(value).__name__,
)
def test_what_a_value_holds(value):
    name = theirs.class_name_of(value)
    assert name == ours.constructor_of(value)
    assert name in ours.BASES
    fields = attributes_of(value)
    for field, held in fields.items():
        assert ours.field_of(value, field) is held
        if isinstance(value, dict):
            assert ours.has_field(value, field)


def test_the_same_tables():
    assert ours.LEAVES == theirs.LEAVES
    assert ours.BASES.keys() == theirs.BUILTIN
    assert ours.key_field("it's") == theirs.key_field("it's")


@pytest.mark.parametrize("name", ["int()", "items()", "['left']", "left"])
def test_the_same_exceptions(name):
    error, text = ours.missing(name, "no attribute")
    raised = theirs.missing(name, "no attribute")
    assert error == f"builtins.{type(raised).__name__}"
    assert raised.args == (text,)


def test_arrays_are_tensors():
    assert theirs.class_name_of(np.zeros(2)) == "torch.Tensor"
