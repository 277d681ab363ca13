"""`nn.TransformerEncoder` with padding, of which eager makes nested tensors."""

import pytest
import torch
from torch import nn

import dycl
from dycl.checking.as_without_mode import as_without_mode


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


class Masked(nn.Module):
    """An encoder and a decoder, which in eager look whether the mask is causal."""

    def __init__(self):
        super().__init__()
        self.whole = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, x, mask):
        return self.whole(x, x, mask, mask, mask)


def test_a_mask_is_looked_at_in_no_way_that_changes_what_is_computed():
    torch.manual_seed(0)
    model = Masked().eval()
    x = torch.randn(1, 4, 8)
    net = dycl.compile(model, (x, torch.zeros(4, 4)))
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    for mask in torch.zeros(4, 4), causal, causal.T, torch.randn(4, 4):
        # Without gradients eager's encoder reads a mask of numbers as one of truths.
        eager = model(x, mask).detach()
        torch.testing.assert_close(net(x, mask), eager, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_check_takes_what_eager_gives_for_padding():
    """`dycl.check` sees eager's decisions by a mode, under which eager's modules would
    compute what they leave at zero."""
    torch.manual_seed(0)
    model = Encoder(nn.LayerNorm(8)).eval()
    x, padding = torch.randn(2, 3, 8), torch.tensor([[0, 0, 1], [0, 1, 1]]).bool()
    net = dycl.compile(model, (x, padding))
    asked = torch.overrides.has_torch_function
    result = dycl.check(net, model, (x, padding))
    assert result.ok, result
    assert torch.overrides.has_torch_function is asked


class Named(torch.Tensor):
    """Overrides torch's functions, as a mode does."""


def test_a_class_of_tensors_overrides_functions_under_a_mode_as_well():
    asked = torch.overrides.has_torch_function
    tensors = torch.ones(1), nn.Parameter(torch.ones(1)), None
    named = (torch.ones(1).as_subclass(Named),)
    with as_without_mode():
        with as_without_mode():
            assert not torch.overrides.has_torch_function(tensors)
        assert torch.overrides.has_torch_function(named) is asked(named)
    assert torch.overrides.has_torch_function is asked
