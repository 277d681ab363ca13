"""What the Shallow-Deep networks share: stages, internal classifiers, the early exit.

Shallow-Deep Networks: Kaya et al., ICML 2019. A network is `init_conv`, `layers` (the
stages) and `end_layers`; the first internal classifier that is sure enough gives the
answer, and what lies behind it is not computed.
"""

import torch
from torch import nn
from torch.nn import functional as F

from examples.fitting import least_squares


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

    def _forward_pooled(self, x):
        mixed = self.alpha * self.max_pool(x) + (1 - self.alpha) * self.avg_pool(x)
        return self.linear(mixed.view(mixed.size(0), -1))

    def _forward_flat(self, x):
        return self.linear(x.view(x.size(0), -1))


class Stage(nn.Module):
    """Layers, with or without an internal classifier on what they give.

    Returns features, a flag that says whether there are logits, and the logits.
    """

    def __init__(self, layers, num_classes, output=None):
        super().__init__()
        self.layers = layers
        self.num_classes = num_classes
        if output is not None:
            self.output = output
        else:
            self.forward = self._forward_without_output

    def features(self, x):
        return self.layers(x)

    def forward(self, x):
        x = self.features(x)
        return x, torch.tensor(1), self.output(x)

    def _forward_without_output(self, x):
        x = self.features(x)
        return x, torch.tensor(0), torch.zeros(len(x), self.num_classes)


class ShallowDeepNet(nn.Module):
    """Runs stage after stage until an internal classifier is sure enough."""

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


def init_by_fan_out(model):
    """Draw every convolution from N(0, sqrt(2 / (k * k * out channels)))."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.kernel_size[0] ** 2 * module.out_channels
            nn.init.normal_(module.weight, 0, (2 / fan_out) ** 0.5)


def smooth_image(size, seed):
    """Return one smooth random image, 1x3xSxS float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 8, 8, generator=generator)
    return F.interpolate(coarse, size=(size, size), mode="bilinear")


@torch.no_grad()
def fit_exits(model, images):
    """Fit the internal classifiers so that image k leaves at exit k.

    Batch norms take the statistics of these images, so that deep maps still differ.
    Then each classifier is the least-squares one that gives image k its class k with
    certainty and leaves all others undecided. Images past the last exit reach the end.
    """
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # a plain average over all batches, here of one
        norm.train()
    x = model.init_conv(torch.cat(images))
    for stage in model.layers:
        x, _, _ = stage(x)
    model.end_layers(x)
    for norm in norms:
        norm.eval()
    x = model.init_conv(torch.cat(images))
    exit_number = 0
    for stage in model.layers:
        seen = []
        if hasattr(stage, "output"):
            linear = stage.output.linear
            hook = linear.register_forward_pre_hook(
                lambda _, inputs, seen=seen: seen.append(inputs[0])
            )
        x, is_output, _ = stage(x)
        if is_output:
            hook.remove()
            wanted = torch.zeros(len(images), linear.out_features)
            wanted[exit_number, exit_number] = 8.0
            linear.weight.copy_(least_squares(seen[0], wanted).T)
            linear.bias.zero_()
            exit_number += 1


def fitted_cases(twin, size, exits):
    """Return [(twin, images)]: fitted so that an image leaves at each exit, and one
    reaches the end."""
    images = [smooth_image(size, seed) for seed in range(exits + 1)]
    fit_exits(twin, images)
    return [(twin, [(image,) for image in images])]
