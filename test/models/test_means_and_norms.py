"""Means of infinities beside a variance, and norms of half floats by f32 weights."""

import math

import pytest
import torch
import torch.nn.functional as F

import dycl

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning"),
    pytest.mark.filterwarnings("ignore:Mismatch dtype:UserWarning"),
]
inf, nan = math.inf, math.nan
ROWS = (
    [[1.0, 2, 3], [2, inf, 1], [0, 1, 2]],
    [[1.0, 2, inf], [2, -inf, 1], [inf, inf, inf]],
    [[nan, inf, 1], [inf, 1, -inf], [0, 1, -inf]],
)


class Means(torch.nn.Module):
    def forward(self, x):
        rows = torch.std_mean(x, 1), torch.var_mean(x, 0, keepdim=True)
        both = torch.var_mean(x, (0, 1), correction=0)
        return rows, both, torch.std_mean(x), torch.var_mean(x, 1, correction=3)


class Norms(torch.nn.Module):
    def forward(self, x):
        w = torch.linspace(0.5, 2, 4)
        by_layer = F.layer_norm(x, (4,), w, w), F.rms_norm(x, (4,), w)
        return by_layer, F.group_norm(x, 2, w, w), F.batch_norm(x, w, w, w, w)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_means_that_eager_loses_are_not_numbers(dtype):
    net = dycl.compile(Means().eval(), (torch.ones(3, 3, dtype=dtype),))
    for rows in ROWS:
        x = torch.tensor(rows, dtype=dtype)
        torch.testing.assert_close(net(x), Means()(x), equal_nan=True)


def test_means_of_any_number_of_rows():
    n = dycl.Dim("n", max=9)
    net = dycl.compile(
        Means().eval(), (torch.ones(2, 3),), dynamic_shapes={"x": {0: n}}
    )
    for x in (torch.tensor(ROWS[1]), torch.tensor(ROWS[0])[1:]):
        torch.testing.assert_close(net(x), Means()(x), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_norms_have_the_dtype_of_what_is_normalised(dtype):
    x = torch.linspace(-3, 5, 12).view(3, 4).to(dtype)
    found, wanted = dycl.compile(Norms().eval(), (x,))(x), Norms()(x)
    torch.testing.assert_close(found, wanted)
