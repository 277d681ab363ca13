"""Records that a compiled network returns: the user's class, or a stand-in."""

import sys
import types
from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime.records import is_record, make_record, with_each


@dataclass
class Output:
    logits: object
    loss: object = None


class Pair(NamedTuple):
    a: object
    b: object = 1


@pytest.fixture
def module(monkeypatch):
    """A module of this name, as the user's."""
    made = types.ModuleType("users_records")
    made.Output, made.Pair = Output, Pair
    monkeypatch.setitem(sys.modules, "users_records", made)
    return made


def test_a_dataclass_is_the_users(module):
    made = make_record("users_records.Output", "dataclass", ("logits", "loss"), (1, 2))
    assert made == Output(1, 2)
    assert is_record(made)
    assert not is_record(Output)


def test_a_named_tuple_is_the_users(module):
    made = make_record("users_records.Pair", "namedtuple", ("a", "b"), (1, 2))
    assert type(made) is Pair
    assert made == (1, 2)


def test_a_class_that_is_defined_anew(module, monkeypatch):
    """As a cell of a notebook does that is run again."""
    name, fields = "users_records.Pair", ("a", "b")
    assert type(make_record(name, "namedtuple", fields, (1, 2))) is Pair
    anew = type("Pair", (Pair,), {})
    monkeypatch.setattr(module, "Pair", anew)
    assert type(make_record(name, "namedtuple", fields, (1, 2))) is anew


@pytest.mark.parametrize(
    "name", ["users_records.Nothing", "users_record.Output", "users_records.Output"]
)
def test_a_named_tuple_stands_in(module, name):
    """The module or the class is not there, or the class has other fields."""
    made = make_record(name, "dataclass", ("x", "_y"), (1, 2))
    assert type(made).__name__ == name.rpartition(".")[2]
    assert (made.x, made[1]) == (1, 2)


def test_each_field():
    assert with_each(Output(1, 2), str) == Output("1", "2")
    assert type(with_each(Pair(1, 2), str)) is Pair


class Net(nn.Module):
    def __init__(self, output):
        super().__init__()
        self.output = output

    def forward(self, x):
        if x.sum() > 0:
            return self.output(x, loss=Pair(x + 1))
        return self.output(x)


def test_a_class_of_a_function_has_a_stand_in():
    """Nobody can import it at run time: the fields have the same names."""

    @dataclass
    class Output:
        logits: object
        loss: object = None

    net = dycl.compile(Net(Output).eval(), (torch.ones(2),))
    out = net(torch.ones(2))
    assert type(out).__name__ == "Output"
    assert out._fields == ("logits", "loss")
    assert type(out.loss) is Pair
    assert torch.equal(out.loss.a, torch.full((2,), 2.0))
    assert net(-torch.ones(2)).loss is None
