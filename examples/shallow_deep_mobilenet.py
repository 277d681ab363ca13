"""Shallow-Deep MobileNet, twice as wide: five internal classifiers.

Input 1x3xSxS float32 (S = 256 as published), result: logits 1xC. Five decisions
depend on the input; what lies behind the exit that is taken is not computed.
Shallow-Deep Networks: Kaya et al., ICML 2019; MobileNet: Howard et al., 2017.
"""

import torch
from torch import nn
from torch.nn import functional as F

from examples.shallow_deep import InternalClassifier, Stage, fitted_cases, smooth_image

STAGES = [(2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2)]
STAGES += [(16, 1)] * 5 + [(32, 2), (32, 1)]
"""Of each stage, the channels as a multiple of the stem's, and the stride."""

CLASSIFIER_STAGES = (2, 4, 6, 8, 11)


def separable(in_channels, channels, stride):
    """Return a depthwise convolution and a pointwise one."""
    return nn.Sequential(
        nn.Conv2d(
            in_channels,
            in_channels,
            3,
            stride,
            padding=1,
            groups=in_channels,
            bias=False,
        ),
        nn.BatchNorm2d(in_channels),
        nn.ReLU(),
        nn.Conv2d(in_channels, channels, 1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
    )


class ShallowDeepMobileNet(nn.Module):
    """13 separable convolutions; `width` is the number of channels of the stem."""

    def __init__(self, size=256, width=64, num_classes=1000):
        super().__init__()
        self.init_conv = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
        )
        self.layers = nn.ModuleList()
        in_channels = width
        for index, (multiple, stride) in enumerate(STAGES):
            channels, size = width * multiple, size // stride
            output = None
            if index in CLASSIFIER_STAGES:
                output = InternalClassifier(size, channels, num_classes)
            layers = separable(in_channels, channels, stride)
            self.layers.append(Stage(layers, num_classes, output))
            in_channels = channels
        self.end_layers = nn.Sequential(
            nn.AvgPool2d(size), nn.Flatten(), nn.Linear(in_channels, num_classes)
        )

    def forward(self, x):
        x = self.init_conv(x)
        for i in range(len(self.layers)):
            layer = self.layers[i]
            x, is_output, output = layer(x)
            if is_output != 0.0:
                confidence = torch.max(F.softmax(output[0], dim=0))
                if confidence >= 0.5:
                    return output
        return self.end_layers(x)


def build(size=256, width=64, num_classes=1000, seed=0):
    """Return the network in eval mode, with seeded random weights.

    `size` is the side of the image, a multiple of 64.
    """
    torch.manual_seed(seed)
    return ShallowDeepMobileNet(size, width, num_classes).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32."""
    return (smooth_image(size, seed),)


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A narrow twin for 64x64 images and 10 classes, fitted so that its six inputs leave
    at the five exits and at the end.
    """
    return fitted_cases(build(size=64, width=8, num_classes=10), 64, exits=5)
