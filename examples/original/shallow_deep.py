"""Shallow-Deep networks as published: stages return Python numbers, lists are kept.

`early_exit` of Kaya et al., ICML 2019. Without a sure exit the answer is that of the
most confident classifier, so which of seven results is returned depends on the data.
Result (logits, number of the classifier, whether it was an early exit).
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from examples import (
    shallow_deep_mobilenet,
    shallow_deep_resnet,
    shallow_deep_vgg,
    shallow_deep_wideresnet,
)

NETWORKS = (
    shallow_deep_mobilenet,
    shallow_deep_vgg,
    shallow_deep_resnet,
    shallow_deep_wideresnet,
)


class StageWithOutput(nn.Module):
    """Features, the number 1, and the logits of the internal classifier."""

    def __init__(self, stage):
        super().__init__()
        self.stage = stage
        if hasattr(stage, "output"):
            self.forward = self.with_output
        else:
            self.forward = self.without_output

    def with_output(self, x):
        fwd, _, output = self.stage(x)
        return fwd, 1, output

    def without_output(self, x):
        fwd, _, _ = self.stage(x)
        return fwd, 0, None


class EarlyExit(nn.Module):
    """The published loop over the stages."""

    def __init__(self, network):
        super().__init__()
        self.init_conv = network.init_conv
        self.layers = nn.ModuleList(StageWithOutput(s) for s in network.layers)
        self.end_layers = network.end_layers
        self.confidence_threshold = network.threshold

    def forward(self, x):
        confidences = []
        outputs = []
        fwd = self.init_conv(x)
        output_id = 0
        for layer in self.layers:
            fwd, is_output, output = layer(fwd)
            if is_output:
                outputs.append(output)
                softmax = F.softmax(output[0], dim=0)
                confidence = torch.max(softmax)
                confidences.append(confidence)
                if confidence >= self.confidence_threshold:
                    is_early = True
                    return output, output_id, is_early
                output_id += is_output
        output = self.end_layers(fwd)
        outputs.append(output)
        softmax = F.softmax(output[0], dim=0)
        confidence = torch.max(softmax)
        confidences.append(confidence)
        max_confidence_output = np.argmax(confidences)
        is_early = False
        return outputs[max_confidence_output], max_confidence_output, is_early


def cases(module=shallow_deep_resnet):
    """Return [(model, list of inputs)] as the module of that network does."""
    return [(EarlyExit(model).eval(), inputs) for model, inputs in module.cases()]
