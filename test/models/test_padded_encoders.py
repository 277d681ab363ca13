"""`nn.TransformerEncoder` with padding, of which eager makes nested tensors."""

import pytest
import torch
from torch import nn

import dycl


class Encoder(nn.Module):
    def __init__(self, norm):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=norm)

    def forward(self, x, padding):
        return self.encoder(x, src_key_padding_mask=padding)


@pytest.mark.parametrize("norm", [None, nn.LayerNorm(8, bias=True)])
@pytest.mark.filterwarnings("ignore")
def test_padding_at_the_end_of_rows_is_zero_and_elsewhere_is_not(norm):
    torch.manual_seed(0)
    model = Encoder(norm).eval()
    if norm is not None:
        nn.init.ones_(norm.bias)
    masks = [
        [[0, 0, 1], [0, 1, 1]],
        [[0, 0, 0], [0, 0, 0]],
        [[1, 0, 0], [0, 0, 1]],
    ]
    calls = [(torch.randn(2, 3, 8), torch.tensor(mask).bool()) for mask in masks]
    net = dycl.compile(model, calls[0])
    for call in calls:
        with torch.no_grad():
            eager = model(*call)
        torch.testing.assert_close(net(*call), eager, rtol=1e-4, atol=1e-5)
