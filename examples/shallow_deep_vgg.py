"""Shallow-Deep VGG-16 with batch norm: six internal classifiers.

Input 1x3xSxS float32 (S = 256 as published), result: logits 1xC. Six decisions
depend on the input; what lies behind the exit that is taken is not computed.
Shallow-Deep Networks: Kaya et al., ICML 2019; VGG: Simonyan and Zisserman, 2015.
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

WIDTHS = (1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8)
"""Channels of each convolution, as a multiple of the first one's."""

POOLED_STAGES = (1, 3, 6, 9, 12)
CLASSIFIER_STAGES = (1, 3, 5, 6, 8, 9)


class ShallowDeepVGG(ShallowDeepNet):
    """13 convolutions and a linear stage; the first convolution has `width` channels,
    the linear stage `hidden` features."""

    def __init__(
        self, size=256, width=64, hidden=2048, num_classes=1000, threshold=0.9
    ):
        super().__init__()
        self.threshold = threshold
        self.init_conv = nn.Sequential()
        self.layers = nn.ModuleList()
        in_channels = 3
        for index, multiple in enumerate(WIDTHS):
            channels = width * multiple
            layers = nn.Sequential(
                nn.Conv2d(in_channels, channels, 3, padding=1),
                nn.BatchNorm2d(channels),
                nn.ReLU(),
            )
            if index in POOLED_STAGES:
                layers.append(nn.MaxPool2d(2))
                size = size // 2
            output = None
            if index in CLASSIFIER_STAGES:
                output = InternalClassifier(size, channels, num_classes)
            self.layers.append(Stage(layers, num_classes, output))
            in_channels = channels
        linear = nn.Sequential(
            nn.Flatten(),
            nn.Linear(in_channels * size * size, hidden),
            nn.ReLU(),
            nn.Dropout(0.5),
        )
        self.layers.append(Stage(linear, num_classes))
        self.end_layers = nn.Sequential(
            nn.Linear(hidden, hidden // 2),
            nn.Dropout(0.5),
            nn.Linear(hidden // 2, num_classes),
        )
        init_by_fan_out(self)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, 0, 0.01)
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.zeros_(module.bias)


def build(size=256, width=64, hidden=2048, num_classes=1000, threshold=0.9, seed=0):
    """Return the network in eval mode, with seeded random weights.

    `size` is the side of the image, a multiple of 32.
    """
    torch.manual_seed(seed)
    return ShallowDeepVGG(size, width, hidden, num_classes, threshold).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32."""
    return (smooth_image(size, seed),)


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A narrow twin for 64x64 images and 10 classes, fitted so that its seven inputs
    leave at the six exits and at the end.
    """
    twin = build(size=64, width=8, hidden=64, num_classes=10)
    return fitted_cases(twin, 64, exits=6)
