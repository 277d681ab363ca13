"""`aten::_transformer_encoder_layer_fwd`, as TorchDynamo calls it, with masks."""

import pytest
import torch
from torch import nn

import dycl

PAIRS = [[False, True, True], [False, False, True], [False, False, False]]
KEYS = [[False, False, True], [True, True, True]]
MASKS = {
    "none": (None, None),
    "pairs": (torch.tensor(PAIRS), 0),
    "keys, in one sample all": (torch.tensor(KEYS), 1),
    "all": (torch.tensor([[PAIRS, PAIRS[::-1]]] * 2), 2),
}


class Layer(nn.Module):
    def __init__(self, use_gelu, norm_first, mask, mask_type):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.flags = use_gelu, norm_first
        self.mask = mask, mask_type

    def forward(self, x):
        layer, attention = self.layer, self.layer.self_attn
        y = torch.ops.aten._transformer_encoder_layer_fwd(
            x,
            8,
            2,
            attention.in_proj_weight,
            attention.in_proj_bias,
            attention.out_proj.weight,
            attention.out_proj.bias,
            *self.flags,
            layer.norm1.eps,
            layer.norm1.weight,
            layer.norm1.bias,
            layer.norm2.weight,
            layer.norm2.bias,
            layer.linear1.weight,
            layer.linear1.bias,
            layer.linear2.weight,
            layer.linear2.bias,
            *self.mask,
        )
        return y if x.sum() > 0 else y.relu()


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("flags", [(False, False), (True, True)])
def test_equal_to_eager(flags, mask):
    torch.manual_seed(0)
    model = Layer(*flags, *MASKS[mask]).eval()
    x = torch.randn(2, 3, 8).abs()
    net = dycl.compile(model, (x,))
    taken = []
    for given in (x, -x):
        with torch.no_grad():
            expected = model(given)
        torch.testing.assert_close(net(given), expected, equal_nan=True)
        taken.append(net.path[-1].taken)
    assert taken == [True, False]


@pytest.mark.parametrize("shape", [(0, 3, 8), (2, 0, 8)])
def test_no_elements(shape):
    model = Layer(False, False, None, None).eval()
    x = torch.zeros(shape)
    with torch.no_grad():
        assert torch.equal(dycl.compile(model, (x,))(x), model(x))
