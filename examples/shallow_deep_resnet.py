"""Shallow-Deep ResNet-56: six internal classifiers, and out at the first sure one.

Input 1x3xSxS float32 (S = 256 as published), result: logits 1xC. Six decisions
depend on the input; what lies behind the exit that is taken is not computed.
Shallow-Deep Networks: Kaya et al., ICML 2019.
"""

import torch
from torch import nn
from torch.nn import functional as F

CLASSIFIER_STAGES = (3, 7, 11, 15, 19, 23)


class InternalClassifier(nn.Module):
    """Pools a map to 4x4, mixing max and average by a learnt share, and classifies."""

    def __init__(self, size, channels, num_classes):
        super().__init__()
        if size >= 4:
            pooled = size // (size // 4)
            self.max_pool = nn.AdaptiveMaxPool2d(pooled)
            self.avg_pool = nn.AdaptiveAvgPool2d(pooled)
            self.alpha = nn.Parameter(torch.rand(1))
            self.linear = nn.Linear(channels * pooled * pooled, num_classes)
            self.forward = self._forward_pooled
        else:
            self.linear = nn.Linear(channels * size * size, num_classes)
            self.forward = self._forward_flat

    def features(self, x):
        mixed = self.alpha * self.max_pool(x) + (1 - self.alpha) * self.avg_pool(x)
        return mixed.view(mixed.size(0), -1)

    def _forward_pooled(self, x):
        return self.linear(self.features(x))

    def _forward_flat(self, x):
        return self.linear(x.view(x.size(0), -1))


class Stage(nn.Module):
    """A basic block, with or without an internal classifier on its sum.

    Returns features, a flag that says whether there are logits, and the logits.
    """

    def __init__(self, in_channels, channels, stride, size, num_classes, has_output):
        super().__init__()
        self.num_classes = num_classes
        self.layers = nn.Sequential(
            nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.shortcut = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, channels, 1, stride, bias=False),
                nn.BatchNorm2d(channels),
            )
        if has_output:
            self.output = InternalClassifier(size, channels, num_classes)
        else:
            self.forward = self._forward_without_output

    def forward(self, x):
        total = self.layers(x) + self.shortcut(x)
        return F.relu(total), torch.tensor(1), self.output(total)

    def _forward_without_output(self, x):
        total = self.layers(x) + self.shortcut(x)
        return F.relu(total), torch.tensor(0), torch.zeros(len(x), self.num_classes)


class ShallowDeepResNet(nn.Module):
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
                has_output = len(self.layers) in CLASSIFIER_STAGES
                self.layers.append(
                    Stage(in_channels, channels, stride, size, num_classes, has_output)
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

    def forward(self, x):
        x = self.init_conv(x)
        for i in range(len(self.layers)):
            layer = self.layers[i]
            x, is_output, output = layer(x)
            if is_output:
                confidence = torch.max(F.softmax(output[0], dim=0))
                if confidence >= self.threshold:
                    return output
        return self.end_layers(x)


def build(size=256, num_classes=1000, threshold=0.9, seed=0):
    """Return the network in eval mode, with seeded random weights.

    `size` is the side of the image, a multiple of 64.
    """
    torch.manual_seed(seed)
    return ShallowDeepResNet(size, num_classes, threshold).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 8, 8, generator=generator)
    return (F.interpolate(coarse, size=(size, size), mode="bilinear"),)


@torch.no_grad()
def fit_exits(model, images):
    """Fit the internal classifiers so that image k leaves at exit k.

    Each classifier is the least-squares one that gives image k its class k with
    certainty and leaves all others undecided. Images past the sixth reach the end.
    """
    x = model.init_conv(torch.cat(images))
    for index, layer in enumerate(model.layers):
        total = layer.layers(x) + layer.shortcut(x)
        x = F.relu(total)
        if index in CLASSIFIER_STAGES:
            exit_number = CLASSIFIER_STAGES.index(index)
            linear = layer.output.linear
            wanted = torch.zeros(len(images), linear.out_features)
            wanted[exit_number, exit_number] = 8.0
            features = layer.output.features(total)
            linear.weight.copy_(torch.linalg.lstsq(features, wanted).solution.T)
            linear.bias.zero_()


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A twin for 64x64 images and 10 classes, fitted so that its seven inputs leave at
    the six exits and at the end; and the published size, as its random weights are.
    """
    images = [example_inputs(64, seed) for seed in range(7)]
    twin = build(size=64, num_classes=10)
    fit_exits(twin, [image for (image,) in images])
    return [(twin, images), (build(), [example_inputs()])]
