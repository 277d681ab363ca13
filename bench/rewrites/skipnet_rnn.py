"""SkipNet with a recurrent gate: both sides are computed anyway, so it is a `where`.

Nothing is left to decide: peers get a straight line.
"""

import torch
from torch import nn

from bench.rewrites.recurrent import step
from bench.rewrites.skipnet import visits


class Choosing(nn.Module):
    """Every block runs; the gate picks what goes on."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.visits = visits(model)

    def forward(self, x):
        model = self.model
        layers = model.attr_layers
        x = model.relu(model.bn1(model.conv1(x)))
        x = layers["group1_layer0"](x)
        state = torch.zeros(1, 10), torch.zeros(1, 10)
        keep, state = self._asked(layers["group1_gate0"](x), state)
        count = keep.long().reshape([1])
        for group, i in self.visits:
            shape = layers.get(f"{group}ds{i}")
            before = x if shape is None else shape(x)
            x = torch.where(keep, layers[f"{group}layer{i}"](x), before)
            count = count + keep.long().reshape([1])
            if (group, i) != self.visits[-1]:
                keep, state = self._asked(layers[f"{group}gate{i}"](x), state)
        x = model.avgpool(x)
        return model.fc(x.view(x.size(0), -1)), count

    def _asked(self, feature, state):
        control = self.model.control
        rnn = control.rnn
        weights = rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0, rnn.bias_hh_l0
        h, c = step(feature.view(1, -1), state, *weights)
        return torch.sigmoid(control.proj(h)).view(1, 1, 1, 1) > 0.5, (h, c)

    @staticmethod
    def finish(logits, count):
        return logits, count


def rewritten(model):
    """`examples.skipnet_rnn.RecurrentSkipNet`."""
    return Choosing(model)
