"""`nn.EmbeddingBag` in exported programs: of four results of an op, one is read."""

import pytest
import torch
from torch import nn

import dycl


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's, about its own code
@pytest.mark.parametrize("padding", [None, 2, -1])
@pytest.mark.parametrize("is_decomposed", [False, True])
def test_equal_to_eager(is_decomposed, padding):
    model = nn.EmbeddingBag(10, 4, mode="max", padding_idx=padding).eval()
    given = torch.tensor([1, 2, 9, 4, 2]), torch.tensor([0, 2, 2])
    program = torch.export.export(model, given, strict=False)
    if is_decomposed:
        program = program.run_decompositions()
    net = dycl.compile(program, given)
    for indices in (given[0], torch.tensor([2, 2, 0, 0, 9])):
        with torch.no_grad():
            expected = model(indices, given[1])
        torch.testing.assert_close(net(indices, given[1]), expected)
