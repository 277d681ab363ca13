"""Shallow-Deep Wide ResNet-32-4: six internal classifiers.

Input 1x3xSxS float32 (S = 256 as published), result: logits 1xC. Six decisions
depend on the input; what lies behind the exit that is taken is not computed.
Shallow-Deep Networks: Kaya et al., ICML 2019; Wide ResNet: Zagoruyko, BMVC 2016.
"""

import torch
from torch import nn

from examples.shallow_deep import (
    InternalClassifier,
    ShallowDeepNet,
    Stage,
    fitted_cases,
    init_by_fan_out,
    smooth_image,
)

CLASSIFIER_STAGES = (2, 4, 6, 8, 10, 12)

CLASSIFIER_SIZE = 32
"""The map that the first classifiers were made for, whatever the image: their pooling
is adaptive."""


class WideBlock(Stage):
    """A pre-activation block: norm and ReLU come before each convolution."""

    def __init__(self, in_channels, channels, stride, num_classes, output=None):
        layers = nn.Sequential(
            nn.BatchNorm2d(in_channels),
            nn.ReLU(),
            nn.Conv2d(in_channels, channels, 3, padding=1),
            nn.Dropout(0.3),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, stride, padding=1),
        )
        super().__init__(layers, num_classes, output)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Conv2d(in_channels, channels, 1, stride)

    def features(self, x):
        return self.layers(x) + self.shortcut(x)


class ShallowDeepWideResNet(ShallowDeepNet):
    """15 stages in three groups, 16, 32 and 64 times `widen` channels wide."""

    def __init__(self, widen=4, num_classes=1000, threshold=0.9):
        super().__init__()
        self.threshold = threshold
        self.init_conv = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.layers = nn.ModuleList()
        in_channels = 16
        for group in range(3):
            channels = 16 * widen << group
            for block in range(5):
                stride = 2 if group > 0 and block == 0 else 1
                output = None
                if len(self.layers) in CLASSIFIER_STAGES:
                    size = CLASSIFIER_SIZE >> group
                    output = InternalClassifier(size, channels, num_classes)
                self.layers.append(
                    WideBlock(in_channels, channels, stride, num_classes, output)
                )
                in_channels = channels
        self.end_layers = nn.Sequential(
            nn.BatchNorm2d(in_channels),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
            nn.Flatten(),
            nn.Linear(in_channels * 4 * 4, num_classes),
        )
        init_by_fan_out(self)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)


def build(widen=4, num_classes=1000, threshold=0.9, seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return ShallowDeepWideResNet(widen, num_classes, threshold).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32, S a multiple of 32."""
    return (smooth_image(size, seed),)


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A narrow twin for 64x64 images and 10 classes, fitted so that its seven inputs
    leave at the six exits and at the end.
    """
    return fitted_cases(build(widen=1, num_classes=10), 64, exits=6)
