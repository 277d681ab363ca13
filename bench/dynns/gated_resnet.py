"""A CIFAR ResNet-38 whose shape-keeping blocks each stand behind a gate.

Input: an image 1x3x32x32; result: logits 1x10. Sixteen decisions: a gate
looks at the mean of its block's input.
"""

import torch
from torch import nn

from bench.dynns import IMAGES, image


class Block(nn.Module):
    """Two 3x3 convolutions with a shortcut, 1x1 where the shape changes."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


class Gate(nn.Module):
    """Whether a block is worth its time: a number between 0 and 1."""

    def __init__(self, channels):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.score = nn.Conv2d(channels, 1, 1)

    def forward(self, x):
        return torch.sigmoid(self.score(self.pool(x)))


class Gated(nn.Module):
    """A block that is left out where its gate is closed."""

    def __init__(self, channels):
        super().__init__()
        self.gate = Gate(channels)
        self.block = Block(channels, channels)

    def forward(self, x):
        if self.gate(x).item() > 0.5:
            x = self.block(x)
        return x


class GatedResNet(nn.Module):
    """Three stages of 16, 32 and 64 channels; `depth` blocks in each."""

    def __init__(self, depth=6, classes=10):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
        )
        blocks = [Gated(16) for _ in range(depth)]
        for width in (32, 64):
            blocks.append(Block(width // 2, width, 2))
            blocks += [Gated(width) for _ in range(depth - 1)]
        self.blocks = nn.ModuleList(blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.pool(x).flatten(1))


def build(seed=0):
    """The network with seeded weights; each gate is open for half of the images."""
    torch.manual_seed(seed)
    model = GatedResNet().eval()
    with torch.no_grad():
        x = model.stem(torch.cat([example_inputs(seed)[0] for seed in range(IMAGES)]))
        for block in model.blocks:
            if not isinstance(block, Gated):
                x = block(x)
                continue
            gate = block.gate
            gate.score.bias -= gate.score(gate.pool(x)).median()
            x = block.block(x)
    return model


def example_inputs(seed=0):
    """One image."""
    return image(32, 2, seed)


def cases():
    """[(model, list of inputs)]: many ways through one network."""
    return [(build(), [example_inputs(seed) for seed in range(IMAGES)])]
