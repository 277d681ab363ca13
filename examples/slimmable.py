"""A slimmable network that chooses its width by the image.

Input: an image 1x3x16x16; result: logits 1x10 and the width. A small controller looks
at the image and says which part of each layer's channels runs; batch norms are kept
for each width. Yu et al., ICLR 2019; the controller as in DS-Net (Li et al., 2021).
"""

from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

WIDTHS = (0.25, 0.5, 0.75, 1.0)


class SlimmableConv2d(nn.Conv2d):
    """A convolution with the first channels only; the images keep all three."""

    def __init__(self, inputs, outputs, stride):
        super().__init__(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.keeps_inputs = inputs == 3

    def forward(self, x, width):
        outputs = int(self.out_channels * width)
        inputs = (
            self.in_channels if self.keeps_inputs else int(self.in_channels * width)
        )
        weight = self.weight[:outputs, :inputs]
        return F.conv2d(x, weight, None, self.stride, self.padding)


class SwitchableBatchNorm2d(nn.Module):
    """A batch norm for each width: the statistics differ."""

    def __init__(self, channels):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm2d(int(channels * w)) for w in WIDTHS)

    def forward(self, x, width):
        return self.norms[WIDTHS.index(width)](x)


class Slimmable(nn.Module):
    """Three slimmable convolutions, a linear layer that takes what they give."""

    def __init__(self, classes=10):
        super().__init__()
        self.controller = nn.Sequential(nn.Flatten(), nn.Linear(3 * 4 * 4, len(WIDTHS)))
        channels = [3, 16, 32, 64]
        self.convs = nn.ModuleList(
            SlimmableConv2d(i, o, 2) for i, o in pairwise(channels)
        )
        self.norms = nn.ModuleList(SwitchableBatchNorm2d(o) for o in channels[1:])
        self.fc = nn.Linear(channels[-1], classes)

    def forward(self, x):
        scores = self.controller(F.avg_pool2d(x, 4))
        width = WIDTHS[scores.argmax().item()]
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = F.relu(norm(conv(x, width), width))
        x = x.mean(dim=(2, 3))
        weight = self.fc.weight[:, : x.shape[1]]
        return F.linear(x, weight, self.fc.bias), width


def build(seed=0):
    """Return the network in eval mode, with seeded random weights and statistics."""
    torch.manual_seed(seed)
    model = Slimmable()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0.0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    return model.eval()


def example_inputs(seed=0):
    """Return one image of noise."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(1, 3, 16, 16, generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(30)])]
