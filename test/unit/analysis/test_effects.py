"""What calls write to."""

import inspect

import torch.nn.functional as F

from dycl.analysis.memory.effects import IN_PLACE_POSITIONS


def test_where_functions_take_inplace_is_as_torch_has_it():
    found = {}
    for name, function in vars(F).items():
        if inspect.isfunction(function):
            parameters = list(inspect.signature(function).parameters)
            if "inplace" in parameters:
                found[name] = parameters.index("inplace")
    assert found == IN_PLACE_POSITIONS
