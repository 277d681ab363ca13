"""A dynamic resolution network: a predictor says how large the image must be.

Input: an image 1x3x32x32; result: logits 1x10 and the side that was used. The image is
shrunk, then one residual network runs on it, whose batch norms have statistics for each
resolution. Zhu et al., NeurIPS 2021 (DRNet).
"""

import torch
from torch import nn
from torch.nn import functional as F

SIDES = (16, 24, 32)


class Block(nn.Module):
    """Two convolutions with a residual, and batch norms for each resolution."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.norm1 = nn.ModuleDict({str(s): nn.BatchNorm2d(outputs) for s in SIDES})
        self.norm2 = nn.ModuleDict({str(s): nn.BatchNorm2d(outputs) for s in SIDES})

    def forward(self, x, resolution):
        y = F.relu(self.norm1[resolution](self.conv1(x)))
        y = self.norm2[resolution](self.conv2(y))
        return F.relu(y + self.shortcut(x))


class ResolutionPredictor(nn.Module):
    """Scores for the resolutions, from a thumbnail."""

    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3, 2), nn.Linear(8, len(SIDES))

    def forward(self, x):
        thumbnail = F.avg_pool2d(x, 4)
        return self.fc(F.relu(self.conv(thumbnail)).mean(dim=(2, 3)))


class DynamicResolutionNet(nn.Module):
    """The predictor, then three blocks and a classifier on the shrunk image."""

    def __init__(self, classes=10):
        super().__init__()
        self.predictor = ResolutionPredictor()
        self.blocks = nn.ModuleList([Block(3, 8, 1), Block(8, 16, 2), Block(16, 32, 2)])
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        choice = self.predictor(x).argmax(dim=1)
        side = SIDES[choice]
        if side != x.shape[-1]:
            x = F.interpolate(x, size=(side, side), mode="nearest")
        for block in self.blocks:
            x = block(x, str(side))
        return self.fc(x.mean(dim=(2, 3))), side


def build(seed=0):
    """Return the network in eval mode, with seeded random weights and statistics."""
    torch.manual_seed(seed)
    model = DynamicResolutionNet()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0.0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    return model.eval()


def example_inputs(seed=0):
    """Return one image of noise, of some brightness in each colour."""
    generator = torch.Generator().manual_seed(seed)
    colour = torch.randn(1, 3, 1, 1, generator=generator) * 3
    return (torch.randn(1, 3, 32, 32, generator=generator) + colour,)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(40)])]
