"""SkipNet with a recurrent gate: both sides are computed anyway, so it is a `where`.

Nothing is left to decide: peers get a straight line. The LSTM of one step is written
with its four matrix products in two, as exporters want no `nn.LSTM`.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Choosing(nn.Module):
    """Every block runs; the gate picks what goes on."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.visits = []
        for g in range(3):
            for i in range(model.num_layers[g]):
                if g == 0 and i < model.num_layers[g] - 1:
                    i = i + 1
                last = g == 2 and i == model.num_layers[g] - 1
                self.visits.append((f"group{g + 1}_", i, last))

    def forward(self, x):
        model = self.model
        layers = model.attr_layers
        x = model.relu(model.bn1(model.conv1(x)))
        x = layers["group1_layer0"](x)
        state = torch.zeros(1, 10), torch.zeros(1, 10)
        keep, state = self._asked(layers["group1_gate0"](x), state)
        count = keep.long().reshape([1])
        for group, i, last in self.visits:
            shape = layers.get(f"{group}ds{i}")
            before = x if shape is None else shape(x)
            x = torch.where(keep, layers[f"{group}layer{i}"](x), before)
            count = count + keep.long().reshape([1])
            if not last:
                keep, state = self._asked(layers[f"{group}gate{i}"](x), state)
        x = model.avgpool(x)
        return model.fc(x.view(x.size(0), -1)), count

    def _asked(self, feature, state):
        control, (h, c) = self.model.control, state
        rnn = control.rnn
        gates = F.linear(feature.view(1, -1), rnn.weight_ih_l0, rnn.bias_ih_l0)
        gates = gates + F.linear(h, rnn.weight_hh_l0, rnn.bias_hh_l0)
        i, f, g, o = gates.chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return torch.sigmoid(control.proj(h)).view(1, 1, 1, 1) > 0.5, (h, c)

    @staticmethod
    def finish(logits, count):
        return logits, count


def rewritten(model):
    """`examples.skipnet_rnn.RecurrentSkipNet`."""
    return Choosing(model)
