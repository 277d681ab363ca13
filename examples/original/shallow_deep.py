"""Shallow-Deep networks as published: classifiers inside the blocks, lists, an exit.

The MobileNet, VGG, ResNet and Wide ResNet of Kaya et al., ICML 2019. A block returns a
Python 1 and logits, or 0 and None, and chooses its `forward` as it is made. `forward`
returns the logits of all classifiers; `early_exit` returns (logits, number of the
classifier, whether it was an early exit). Without a sure exit the answer is that of the
most confident classifier, so which of seven results is returned depends on the data.
"""

import itertools

import numpy as np
import torch
from torch import nn

from examples import (
    shallow_deep_mobilenet,
    shallow_deep_resnet,
    shallow_deep_vgg,
    shallow_deep_wideresnet,
)

THRESHOLDS = {shallow_deep_mobilenet: 0.5}
"""Of a network that does not say at what confidence it stops."""


class BlockWOutput(nn.Module):
    """A block of MobileNet or VGG: layers, and a classifier on what they give."""

    def __init__(self, stage):
        super().__init__()
        self.layers = stage.layers
        if hasattr(stage, "output"):
            self.output = stage.output
            self.no_output = False
        else:
            self.forward = self.only_forward
            self.output = nn.Sequential()
            self.no_output = True

    def forward(self, x):
        fwd = self.layers(x)
        return fwd, 1, self.output(fwd)

    def only_output(self, x):
        fwd = self.layers(x)
        return self.output(fwd)

    def only_forward(self, x):
        return self.layers(x), 0, None


class ResidualBlockWOutput(nn.Module):
    """A residual block: convolutions, a shortcut and, where there is one, a ReLU."""

    def __init__(self, stage):
        super().__init__()
        self.layers = nn.ModuleList([stage.layers, stage.shortcut])
        if hasattr(stage, "output"):
            self.output = stage.output
            self.no_output = False
        else:
            self.output = None
            self.forward = self.only_forward
            self.no_output = True


class BasicBlockWOutput(ResidualBlockWOutput):
    """A block of ResNet; its classifier sees the sum before the ReLU."""

    def __init__(self, stage):
        super().__init__(stage)
        self.layers.append(nn.ReLU())

    def forward(self, x):
        fwd = self.layers[0](x)  # conv layers
        fwd = fwd + self.layers[1](x)  # shortcut
        return self.layers[2](fwd), 1, self.output(fwd)

    def only_output(self, x):
        fwd = self.layers[0](x)
        fwd = fwd + self.layers[1](x)
        fwd = self.layers[2](fwd)
        return self.output(fwd)

    def only_forward(self, x):
        fwd = self.layers[0](x)
        fwd = fwd + self.layers[1](x)
        return self.layers[2](fwd), 0, None


class WideBasic(ResidualBlockWOutput):
    """A pre-activation block of Wide ResNet."""

    def only_output(self, x):
        fwd = self.layers[0](x)
        fwd = fwd + self.layers[1](x)
        return self.output(fwd)

    def only_forward(self, x):
        fwd = self.layers[0](x)
        fwd = fwd + self.layers[1](x)
        return fwd, 0, None

    def forward(self, x):
        fwd = self.layers[0](x)
        fwd = fwd + self.layers[1](x)
        return fwd, 1, self.output(fwd)


class ShallowDeep(nn.Module):
    """The published network: blocks in a list, of which some give logits."""

    def __init__(self, network, block, confidence_threshold):
        super().__init__()
        self.init_conv = network.init_conv
        self.layers = nn.ModuleList(block(stage) for stage in network.layers)
        self.end_layers = network.end_layers
        self.confidence_threshold = confidence_threshold
        self.num_output = sum(not layer.no_output for layer in self.layers) + 1

    def forward(self, x):
        outputs = []
        fwd = self.init_conv(x)
        for layer in self.layers:
            fwd, is_output, output = layer(fwd)
            if is_output:
                outputs.append(output)
        fwd = self.end_layers(fwd)
        outputs.append(fwd)

        return outputs

    # takes a single input
    def early_exit(self, x):
        confidences = []
        outputs = []

        fwd = self.init_conv(x)
        output_id = 0
        for layer in self.layers:
            fwd, is_output, output = layer(fwd)

            if is_output:
                outputs.append(output)
                softmax = nn.functional.softmax(output[0], dim=0)

                confidence = torch.max(softmax)
                confidences.append(confidence)

                if confidence >= self.confidence_threshold:
                    is_early = True
                    return output, output_id, is_early

                output_id += is_output

        output = self.end_layers(fwd)
        outputs.append(output)

        softmax = nn.functional.softmax(output[0], dim=0)
        confidence = torch.max(softmax)
        confidences.append(confidence)
        max_confidence_output = np.argmax(confidences)
        is_early = False
        return outputs[max_confidence_output], max_confidence_output, is_early


BLOCKS = {
    shallow_deep_mobilenet: BlockWOutput,
    shallow_deep_vgg: BlockWOutput,
    shallow_deep_resnet: BasicBlockWOutput,
    shallow_deep_wideresnet: WideBasic,
}
"""Network -> its block."""


def early_exit(network, module):
    """Return the published form of a network of `module`, which leaves early."""
    threshold = THRESHOLDS.get(module) or network.threshold
    model = ShallowDeep(network, BLOCKS[module], threshold)
    model.forward = model.early_exit
    return model.eval()


@torch.no_grad()
def blends(model, images):
    """Return mixtures of two images each, of which no classifier is sure enough: one
    for each classifier that is the most confident one of some mixture."""
    found = {}
    shares = [k / 10 for k in range(1, 10)]
    for one, other, share in itertools.product(images, images, shares):
        mixture = one * share + other * (1 - share)
        _, number, is_early = model(mixture)
        if not is_early:
            found.setdefault(int(number), mixture)
        if len(found) == model.num_output:
            break
    return [found[number] for number in sorted(found)]


def cases(module=shallow_deep_resnet):
    """Return [(model, list of inputs)] as the module of that network does.

    The inputs of a fitted twin are joined by blends of them: together they leave at
    each exit, and end with each classifier as the most confident one.
    """
    found = []
    for network, inputs in module.cases():
        model = early_exit(network, module)
        if len(inputs) > 1:
            images = [image for (image,) in inputs]
            inputs = [*inputs, *((image,) for image in blends(model, images))]
        found.append((model, inputs))
    return found
