"""The Shallow-Deep networks: each exit is a `torch.cond` whose other side goes on."""

import torch
from torch import nn
from torch.nn import functional as F

from examples.shallow_deep_resnet import BasicBlock


class EarlyExit(nn.Module):
    """Stages up to the next classifier, and a `torch.cond` on what it says."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        # MobileNet's is a literal in its code.
        threshold = torch.tensor(getattr(model, "threshold", 0.5))
        self.register_buffer("threshold", threshold)

    def forward(self, x):
        return (self._from(0, self.model.init_conv(x)),)

    def _from(self, start, x):
        for index in range(start, len(self.model.layers)):
            stage = self.model.layers[index]
            features = stage.features(x)
            # The residual blocks' classifiers look at the sum before its ReLU.
            x = F.relu(features) if isinstance(stage, BasicBlock) else features
            if hasattr(stage, "output"):
                logits = stage.output(features)
                sure = F.softmax(logits[0], dim=0).max() >= self.threshold
                return torch.cond(
                    sure,
                    lambda _x, logits: logits.clone(),
                    lambda x, _logits, after=index + 1: self._from(after, x),
                    (x, logits),
                )
        return self.model.end_layers(x)

    @staticmethod
    def finish(logits):
        return logits


def rewritten(model):
    """Any network of `examples.shallow_deep`."""
    return EarlyExit(model)
