"""The fuzzer compiles programs for rows and for any size, and finds what is wrong."""

import pytest

pytest.importorskip("torch")

import torch

import dycl
from dycl.tools.same import value_difference
from tools.fuzz.called import of_row, way_of
from tools.fuzz.newer import FROM
from tools.fuzz.verdict import judge
from tools.fuzz.writer import write_program

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        y = x * 2 if x.sum() > 0.5 else x - 1
        {}
        return {{'y': y, 'n': [y.sum(), 'k']}}, y[0]
"""
UNUSED = "u = x.view(2, 2)"


def test_each_way_has_a_third_of_the_programs():
    ways = [way_of(write_program(seed)) for seed in range(FROM, FROM + 3)]
    assert sorted(map(str, ways)) == ["None", "rows", "sizes"]
    assert way_of(write_program(FROM - 1)) is None


def test_what_a_row_has_of_a_result():
    batch = {"y": torch.arange(6.0).view(3, 2), "n": [[1.0, 2.0, 3.0], "k"]}
    like = {"y": torch.zeros(1, 2), "n": [0.0, "k"]}
    found = of_row(batch, like, 1, 3)
    wanted = {"y": torch.tensor([[2.0, 3.0]]), "n": [2.0, "k"]}
    assert value_difference(wanted, found) is None


@pytest.mark.parametrize("way", ["rows", "sizes"])
def test_a_program_that_is_right(way):
    source = f'CALLED = "{way}"\n' + NET.format(UNUSED)
    assert judge(source, whole=False).kind == "same"


@pytest.mark.parametrize(
    ("way", "keyword"), [("rows", "rows"), ("sizes", "dynamic_shapes")]
)
def test_a_program_that_is_wrong_that_way(way, keyword, monkeypatch):
    """As if the compiler took another program where it is asked for that way."""
    source = f'CALLED = "{way}"\n' + NET.format("pass")
    compile_right = dycl.compile

    def compile_wrong(model, inputs, **options):
        if options.get(keyword):
            model.register_buffer("one", torch.ones(()))
            model.forward = type(model).wrong.__get__(model)
        return compile_right(model, inputs, **options)

    monkeypatch.setattr(dycl, "compile", compile_wrong)
    wrong = NET.format("pass").partition("def forward")[2].replace("- 1", "+ 1")
    verdict = judge(source + "\n    def wrong" + wrong, whole=False)
    assert verdict.kind == way
