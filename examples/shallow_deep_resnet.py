"""Shallow-Deep ResNet-56: six internal classifiers, and out at the first sure one.

Input 1x3xSxS float32 (S = 256 as published), result: logits 1xC. Six decisions
depend on the input; what lies behind the exit that is taken is not computed.
Shallow-Deep Networks: Kaya et al., ICML 2019.
"""

import torch
from torch import nn
from torch.nn import functional as F

from examples.shallow_deep import (
    InternalClassifier,
    ShallowDeepNet,
    Stage,
    fitted_cases,
    smooth_image,
)

CLASSIFIER_STAGES = (3, 7, 11, 15, 19, 23)


class BasicBlock(Stage):
    """A basic block; the internal classifier sees the sum before the ReLU."""

    def __init__(self, in_channels, channels, stride, num_classes, output=None):
        layers = nn.Sequential(
            nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )
        super().__init__(layers, num_classes, output)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, channels, 1, stride, bias=False),
                nn.BatchNorm2d(channels),
            )

    def features(self, x):
        return self.layers(x) + self.shortcut(x)

    def forward(self, x):
        total = self.features(x)
        return F.relu(total), torch.tensor(1), self.output(total)

    def _forward_without_output(self, x):
        total = self.features(x)
        return F.relu(total), torch.tensor(0), torch.zeros(len(x), self.num_classes)


class ShallowDeepResNet(ShallowDeepNet):
    """27 stages in three groups, 16, 32 and 64 channels wide."""

    def __init__(self, size=256, num_classes=1000, threshold=0.9):
        super().__init__()
        self.threshold = threshold
        self.init_conv = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
        self.layers = nn.ModuleList()
        in_channels, size = 16, size // 2
        for group, channels in enumerate((16, 32, 64)):
            for block in range(9):
                stride = 2 if group > 0 and block == 0 else 1
                size = size // stride
                output = None
                if len(self.layers) in CLASSIFIER_STAGES:
                    output = InternalClassifier(size, channels, num_classes)
                self.layers.append(
                    BasicBlock(in_channels, channels, stride, num_classes, output)
                )
                in_channels = channels
        self.end_layers = nn.Sequential(
            nn.AvgPool2d(8),
            nn.Flatten(),
            nn.Linear(64 * (size // 8) ** 2, num_classes),
        )
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(
                    module.weight, mode="fan_out", nonlinearity="relu"
                )


def build(size=256, num_classes=1000, threshold=0.9, seed=0):
    """Return the network in eval mode, with seeded random weights.

    `size` is the side of the image, a multiple of 64.
    """
    torch.manual_seed(seed)
    return ShallowDeepResNet(size, num_classes, threshold).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32."""
    return (smooth_image(size, seed),)


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A twin for 64x64 images and 10 classes, fitted so that its seven inputs leave at
    the six exits and at the end; and the published size, as its random weights are.
    """
    twin = fitted_cases(build(size=64, num_classes=10), 64, exits=6)
    return [*twin, (build(), [example_inputs()])]
