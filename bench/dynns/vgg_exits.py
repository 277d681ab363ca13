"""A VGG-like network with an internal classifier behind each stage but the last.

Input: an image 1x3x32x32; result: logits 1x10 of the first classifier that is sure.
"""

import torch
from torch import nn

from bench.dynns import IMAGES, image


class Classifier(nn.Module):
    """Logits of features: max and average pooling to 4x4, mixed, and a linear layer."""

    def __init__(self, channels, classes):
        super().__init__()
        self.largest = nn.AdaptiveMaxPool2d(4)
        self.average = nn.AdaptiveAvgPool2d(4)
        self.alpha = nn.Parameter(torch.rand(1))
        self.linear = nn.Linear(channels * 16, classes)

    def forward(self, x):
        mixed = self.alpha * self.largest(x) + (1 - self.alpha) * self.average(x)
        return self.linear(mixed.flatten(1))


class VGGExits(nn.Module):
    """Five stages of two 3x3 convolutions; four exits and the end."""

    def __init__(self, classes=10):
        super().__init__()
        stages, exits, channels = [], [], 3
        for width, pools in ((64, 1), (128, 1), (256, 0), (256, 1), (512, 1)):
            layers = []
            for _ in range(2):
                convolution = nn.Conv2d(channels, width, 3, padding=1)
                layers += [convolution, nn.BatchNorm2d(width), nn.ReLU()]
                channels = width
            stages.append(nn.Sequential(*layers, *[nn.MaxPool2d(2)] * pools))
            exits.append(Classifier(width, classes))
        self.stages = nn.ModuleList(stages)
        self.exits = nn.ModuleList(exits[:-1])
        self.head = nn.Linear(512 * 2 * 2, classes)
        self.register_buffer("thresholds", torch.full([len(self.exits)], 0.5))

    def forward(self, x):
        for i, leave in enumerate(self.exits):
            x = self.stages[i](x)
            logits = leave(x)
            if torch.softmax(logits, dim=1).max().item() > self.thresholds[i].item():
                return logits
        return self.head(self.stages[-1](x).flatten(1))


def build(seed=0):
    """The network with seeded weights, its thresholds set so that each exit is taken.

    Of the 20 images of `cases`, each exit lets the surest fifth of the rest go.
    """
    torch.manual_seed(seed)
    model = VGGExits().eval()
    with torch.no_grad():
        x = torch.cat([example_inputs(seed)[0] for seed in range(IMAGES)])
        for i, leave in enumerate(model.exits):
            x = model.stages[i](x)
            sure = torch.softmax(leave(x), dim=1).amax(1)
            leaving = sure.topk(4).indices
            model.thresholds[i] = sure.sort(descending=True).values[3:5].mean()
            stay = torch.ones(len(x), dtype=torch.bool)
            stay[leaving] = False
            x = x[stay]
    return model


def example_inputs(seed=0):
    """One image."""
    return image(32, 2, seed)


def cases():
    """[(model, list of inputs)]: each exit, and the end."""
    return [(build(), [example_inputs(seed) for seed in range(IMAGES)])]
