"""The examples beyond the networks of the paper: compiled equals eager.

Every decision goes both ways. Many of these read numbers by `.item()` or as an index,
which the recorder of eager's path does not see; the values say which way it went.
"""

import importlib

import pytest
import torch

import dycl
from dycl.checking.values import largest_relative
from examples.compare import RTOL

NETWORKS = {
    "switch_moe": ((36, 5), (6, 4)),
    "mixture_of_depths": ((12, 9),),
    "tree_lstm": ((6, 13),),
    "branchynet": ((2, 3),),
    "slimmable": ((4, 5),),
    "dynamic_resolution": ((3, 4),),
    "msdnet": ((3, 5),),
    "pabee": ((8, 4),),
    "skip_rnn": ((11, 14),),
    "act_rnn": ((10, 8),),
    "variable_length_lstm": ((2, 3),),
    "greedy_decoding": ((2, 3),),
    "layer_skip": ((6, 4),),
    "speculative_decoding": ((2, 6),),
}
"""Example -> the decisions and the kernels of each of its networks."""


@pytest.mark.parametrize("name", NETWORKS)
def test_equals_eager_on_both_sides_of_every_decision(name):
    cases = importlib.import_module(f"examples.{name}").cases()
    for (model, inputs), (decisions, kernels) in zip(
        cases, NETWORKS[name], strict=True
    ):
        net = dycl.compile(model, inputs[0], verify=True)
        assert len(net.decisions) == decisions
        assert net.stages["hcfg"].count("attributes {dycl.kernel") == kernels
        sides = set()
        for given in inputs:
            actual = net(*given)
            with torch.no_grad():
                expected = model(*given)
            assert largest_relative(actual, expected) <= RTOL
            sides |= {(d.name, d.taken) for d in net.path}
        names = {name for name, *_ in net.decisions}
        assert len(names) == decisions
        assert sides == {(name, taken) for name in names for taken in (True, False)}
