"""BranchyNet: a LeNet with side branches that answer when their entropy is low.

Input: an image 1x1x28x28; result: logits 1x10. Each side branch is a small network of
its own; the thresholds differ, and a sample that no branch is sure of goes to the end.
Teerapittayanon et al., ICPR 2016.
"""

import torch
from torch import nn


def entropy(logits):
    """The entropy of the softmax, one number for each sample."""
    probabilities = logits.softmax(dim=1)
    return -(probabilities * probabilities.clamp_min(1e-12).log()).sum(dim=1)


class BranchyLeNet(nn.Module):
    """Three stages; in front of the last two a branch may leave."""

    def __init__(self, thresholds, classes=10):
        super().__init__()
        self.thresholds = thresholds
        self.stages = nn.ModuleList(
            [
                self._stage(1, 5, 5),
                self._stage(5, 10, 5),
                nn.Sequential(nn.Conv2d(10, 20, 3, padding=1), nn.ReLU(), nn.Flatten()),
            ]
        )
        self.branches = nn.ModuleDict(
            {
                "branch1": nn.Sequential(
                    nn.Conv2d(5, 10, 3, padding=1),
                    nn.MaxPool2d(2),
                    nn.ReLU(),
                    nn.Flatten(),
                    nn.Linear(10 * 7 * 7, classes),
                ),
                "branch2": nn.Sequential(nn.Flatten(), nn.Linear(10 * 7 * 7, classes)),
            }
        )
        self.final = nn.Sequential(
            nn.Linear(20 * 7 * 7, 84), nn.ReLU(), nn.Linear(84, classes)
        )

    @staticmethod
    def _stage(inputs, outputs, kernel):
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2),
            nn.MaxPool2d(2),
            nn.ReLU(),
        )

    def forward(self, x):
        for i, stage in enumerate(self.stages):
            x = stage(x)
            name = f"branch{i + 1}"
            if name in self.branches:
                logits = self.branches[name](x)
                if entropy(logits) < self.thresholds[name]:
                    return logits
        return self.final(x)


def build(seed=0):
    """Return the network with seeded random weights; the thresholds suit them."""
    torch.manual_seed(seed)
    return BranchyLeNet({"branch1": 2.27, "branch2": 2.28}).eval()


def example_inputs(seed=0):
    """Return one image of noise, some brighter than others."""
    generator = torch.Generator().manual_seed(seed)
    brightness = torch.rand(1, generator=generator) * 4
    return (torch.randn(1, 1, 28, 28, generator=generator) * brightness,)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(40)])]
