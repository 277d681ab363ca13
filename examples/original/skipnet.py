"""SkipNet-38 as published: both forms of the gate, masks instead of branches.

Every block runs, and a mask of zeros or ones says what stays of it; modules are found
with `getattr`, and the recurrent gate keeps its hidden state on itself. Wang et al.,
ECCV 2018. No decision depends on the input: its masks do.
"""
# ruff: noqa: UP032 - the names are made with str.format, as the published code does.

import torch
from torch import nn

from examples import skipnet, skipnet_rnn


class FeedForwardGate(nn.Module):
    """The published gate: a mask by arithmetic."""

    def __init__(self, gate):
        super().__init__()
        self.gate = gate

    def forward(self, x):
        scores = self.gate.scores(x).view(x.size(0), 2)
        softmax = self.gate.softmax(scores)
        logprob = self.gate.logsoftmax(scores)
        x = (softmax[:, 1] > 0.5).float()
        x = x.view(x.size(0), 1, 1, 1)
        return x, logprob


class RecurrentGate(nn.Module):
    """The published controller: an LSTM that keeps its state on itself."""

    def __init__(self, control):
        super().__init__()
        self.rnn = control.rnn
        self.proj = control.proj
        self.prob = control.prob
        self.hidden_dim = control.hidden_dim
        self.hidden = None
        self.saved_actions = []
        self.rewards = []

    def init_hidden(self, batch_size):
        return (
            torch.zeros(1, batch_size, self.hidden_dim),
            torch.zeros(1, batch_size, self.hidden_dim),
        )

    def forward(self, x):
        batch_size = x.size(0)
        self.rnn.flatten_parameters()
        out, self.hidden = self.rnn(x.view(1, batch_size, -1), self.hidden)
        out = out.view(batch_size, -1)
        proj = self.proj(out)
        prob = self.prob(proj)
        bi_prob = torch.cat([1 - prob, prob], dim=1)
        if self.training:
            action = bi_prob.multinomial(1)
        else:
            action = (prob > 0.5).float()
        self.saved_actions.append(action)
        return action.view(action.size(0), 1, 1, 1), bi_prob


def _adopt(model, network):
    """Give a model the layers of a network under the published names."""
    model.num_layers = network.num_layers
    model.conv1, model.bn1, model.relu = network.conv1, network.bn1, network.relu
    model.avgpool, model.fc = network.avgpool, network.fc
    for g in range(3):
        for i in range(network.num_layers[g]):
            for kind in ("ds", "layer", "gate"):
                name = "group{}_{}{}".format(g + 1, kind, i)
                module = network.attr_layers.get(name)
                if kind == "gate" and isinstance(module, skipnet.FeedForwardGate):
                    module = FeedForwardGate(module)
                setattr(model, name, module)


class SkipNet(nn.Module):
    """`ResNetFeedForwardSP`: returns logits, masks, the gates' log-probabilities."""

    def __init__(self, network):
        super().__init__()
        _adopt(self, network)

    def forward(self, x):
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        masks = []
        gprobs = []
        # must pass through the first layer in first group
        x = getattr(self, "group1_layer0")(x)  # noqa: B009
        # gate takes the output of the current layer
        mask, gprob = getattr(self, "group1_gate0")(x)  # noqa: B009
        gprobs.append(gprob)
        masks.append(mask.squeeze())
        prev = x  # input of next layer
        for g in range(3):
            for i in range(0 + int(g == 0), self.num_layers[g]):
                if getattr(self, "group{}_ds{}".format(g + 1, i)) is not None:
                    prev = getattr(self, "group{}_ds{}".format(g + 1, i))(prev)
                x = getattr(self, "group{}_layer{}".format(g + 1, i))(x)
                # new mask is taken from the current output
                prev = x = mask.expand_as(x) * x + (1 - mask).expand_as(prev) * prev
                mask, gprob = getattr(self, "group{}_gate{}".format(g + 1, i))(x)
                gprobs.append(gprob)
                masks.append(mask.squeeze())
        del masks[-1]
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        x = self.fc(x)
        return x, masks, gprobs


class RecurrentSkipNet(nn.Module):
    """`ResNetRecurrentGateSP`: returns logits, masks, probabilities, hidden state."""

    def __init__(self, network):
        super().__init__()
        _adopt(self, network)
        self.control = RecurrentGate(network.control)

    def forward(self, x):
        batch_size = x.size(0)
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        # reinitialize hidden units
        self.control.hidden = self.control.init_hidden(batch_size)
        masks = []
        gprobs = []
        x = getattr(self, "group1_layer0")(x)  # noqa: B009
        gate_feature = getattr(self, "group1_gate0")(x)  # noqa: B009
        mask, gprob = self.control(gate_feature)
        gprobs.append(gprob)
        masks.append(mask.squeeze())
        prev = x
        for g in range(3):
            for i in range(0 + int(g == 0), self.num_layers[g]):
                if getattr(self, "group{}_ds{}".format(g + 1, i)) is not None:
                    prev = getattr(self, "group{}_ds{}".format(g + 1, i))(prev)
                x = getattr(self, "group{}_layer{}".format(g + 1, i))(x)
                prev = x = mask.expand_as(x) * x + (1 - mask).expand_as(prev) * prev
                gate_feature = getattr(self, "group{}_gate{}".format(g + 1, i))(x)
                mask, gprob = self.control(gate_feature)
                if not (g == 2 and i == self.num_layers[g] - 1):
                    gprobs.append(gprob)
                    masks.append(mask.squeeze())
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        x = self.fc(x)
        return x, masks, gprobs, self.control.hidden


def cases(recurrent=False):
    """Return [(model, list of inputs)] with the layers and inputs of the example."""
    source, make = (skipnet, SkipNet)
    if recurrent:
        source, make = (skipnet_rnn, RecurrentSkipNet)
    return [(make(model).eval(), inputs) for model, inputs in source.cases()]
