"""Dtypes that eager has no kernel for are refused, of dynamic sizes too."""

import pytest
import torch

import dycl
from dycl.diag import CompileErrors


class Mixed(torch.nn.Module):
    def forward(self, x, y):
        return torch.lerp(x, y, 0.5)


class Divided(torch.nn.Module):
    def forward(self, x, y):
        return torch.addcdiv(x, x, y)


class Spread(torch.nn.Module):
    def forward(self, x, y):
        return torch.var(x - y)


@pytest.mark.parametrize("is_dynamic", [True, False])
@pytest.mark.parametrize(
    ("model", "dtype"),
    [
        *((Mixed(), torch.uint8), (Mixed(), torch.bool), (Divided(), torch.bool)),
        *((Spread(), torch.int32), (Spread(), torch.bool)),
    ],
)
def test_what_eager_refuses_is_refused(model, dtype, is_dynamic):
    n = dycl.Dim("n", max=9)
    shapes = {"x": {0: n}, "y": {0: n}} if is_dynamic else None
    x = torch.tensor([1, 0, 3]).to(dtype)
    with pytest.raises(RuntimeError):
        model(x, x)
    with pytest.raises(CompileErrors, match="not implemented|support"):
        dycl.compile(model.eval(), (x, x), dynamic_shapes=shapes)


def test_what_eager_takes_compiles():
    n = dycl.Dim("n", max=9)
    x, shapes = torch.rand(3), {"x": {0: n}, "y": {0: n}}
    for model in (Mixed(), Divided()):
        net = dycl.compile(model.eval(), (x, x + 1), dynamic_shapes=shapes)
        for count in (0, 1, 2, 9):
            given = torch.rand(count), torch.rand(count) + 1
            torch.testing.assert_close(net(*given), model(*given))
