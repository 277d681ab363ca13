"""SkipNet-38 with a recurrent gate: one small LSTM looks at every block's output.

Input 1x3x32x32 float32; result (logits 1x10, number of blocks kept, int64 [1]). 18
decisions depend on the input; they say whether a block's output or its input goes on.
SkipNet: Wang et al., ECCV 2018.
"""
# ruff: noqa: UP032 - the keys are made with str.format, as the published code does.

import math

import torch
from torch import nn
from torch.nn import functional as F

from examples.skipnet import BasicBlock, conv3x3

GATE_FEATURES = 10


class RecurrentGate(nn.Module):
    """The controller that all blocks share: an LSTM, and a probability to keep."""

    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.rnn = nn.LSTM(input_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, 1)
        self.prob = nn.Sigmoid()
        self.saved_actions = []

    def init_hidden(self, batch_size):
        return (
            torch.zeros([1, batch_size, self.hidden_dim]),
            torch.zeros([1, batch_size, self.hidden_dim]),
        )

    def forward(self, x, hidden):
        batch_size = x.size(0)
        self.rnn.flatten_parameters()
        hidden = tuple(t.to(x.device) for t in hidden)
        out, hidden = self.rnn(x.view(1, batch_size, -1), hidden)
        prob = self.prob(self.proj(out.squeeze())).reshape([len(out), -1])
        bi_prob = torch.cat([1 - prob, prob], dim=1)
        if self.training:
            action = bi_prob.multinomial(1)
        else:
            action = (prob > 0.5).float()
        self.saved_actions.append(action)
        action = action.view(action.size(0), 1, 1, 1).float()
        return action, bi_prob, hidden[0], hidden[1]


class RecurrentSkipNet(nn.Module):
    """Three groups of basic blocks; every block runs, and the gate picks what stays."""

    def __init__(self, num_layers=(6, 6, 6), num_classes=10):
        super().__init__()
        self.num_layers = list(num_layers)
        self.conv1 = conv3x3(3, 16)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu = nn.ReLU()
        self.attr_layers = {}
        in_channels = 16
        for g, channels in enumerate((16, 32, 64)):
            for i in range(self.num_layers[g]):
                downsample = None
                stride = 2 if g > 0 and i == 0 else 1
                if stride != 1:
                    downsample = nn.Sequential(
                        nn.Conv2d(in_channels, channels, 1, stride, bias=False),
                        nn.BatchNorm2d(channels),
                    )
                    self.attr_layers[f"group{g + 1}_ds{i}"] = downsample
                block = BasicBlock(in_channels, channels, stride, downsample)
                gate = nn.Sequential(
                    nn.AvgPool2d(32 >> g), nn.Conv2d(channels, GATE_FEATURES, 1)
                )
                for name, module in (("layer", block), ("gate", gate)):
                    self.add_module(f"group{g + 1}_{name}{i}", module)
                    self.attr_layers[f"group{g + 1}_{name}{i}"] = module
                in_channels = channels
        self.control = RecurrentGate(GATE_FEATURES, GATE_FEATURES)
        self.avgpool = nn.AvgPool2d(8)
        self.fc = nn.Linear(64, num_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                fan_out = module.kernel_size[0] ** 2 * module.out_channels
                nn.init.normal_(module.weight, 0, math.sqrt(2 / fan_out))
            elif isinstance(module, nn.Linear):
                fan = module.out_features * module.in_features
                nn.init.normal_(module.weight, 0, math.sqrt(2 / fan))
                nn.init.zeros_(module.bias)

    def forward(self, x):
        batch_size = x.size(0)
        x = self.relu(self.bn1(self.conv1(x)))
        hidden_0, hidden_1 = self.control.init_hidden(batch_size)
        x = self.attr_layers["group1_layer0"](x)
        feature = self.attr_layers["group1_gate0"](x)
        _, gprob, hidden_0, hidden_1 = self.control(feature, (hidden_0, hidden_1))
        gate_num = torch.tensor([0])
        if gprob[:, 1] > 0.5:
            mask = torch.ones([len(x), 1, 1, 1], device=x.device).float()
            gate_num = torch.tensor([1])
        else:
            mask = torch.zeros([len(x), 1, 1, 1], device=x.device).float()
        prev = x
        for g in range(3):
            for i in range(self.num_layers[g]):
                # Group 1 starts at block 1, and so comes to its last block twice.
                if g == 0 and i < self.num_layers[g] - 1:
                    i = i + 1
                ds = "group{}_ds{}".format(g + 1, i)
                if ds in self.attr_layers:
                    prev = self.attr_layers[ds](prev)
                x = self.attr_layers["group{}_layer{}".format(g + 1, i)](x)
                if mask == 0:
                    x = (1 - mask).expand_as(prev) * prev
                else:
                    x = mask.expand_as(x) * x
                    gate_num = gate_num + 1
                prev = x
                if not (g == 2 and i == self.num_layers[g] - 1):
                    group = "group{}_"
                    key = group + "gate{}"
                    feature = self.attr_layers[key.format(int(g + 1), int(i))](x)
                    _, gprob, hidden_0, hidden_1 = self.control(
                        feature, (hidden_0, hidden_1)
                    )
                    if gprob[:, 1] > 0.5:
                        mask = torch.ones([len(x), 1, 1, 1], device=x.device).float()
                    else:
                        mask = torch.zeros([len(x), 1, 1, 1], device=x.device).float()
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.fc(x), gate_num


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return RecurrentSkipNet().eval()


def example_inputs(seed=0):
    """Return one smooth random image, 1x3x32x32 float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 8, 8, generator=generator)
    return (F.interpolate(coarse, size=(32, 32), mode="bilinear"),)


@torch.no_grad()
def spread_gates(model, images, spread=8.0):
    """Scale and shift what each gate sees so that it differs from image to image.

    First, batch norms take the statistics of the images, so that maps do not grow.
    Then gate after gate, since what a gate sees depends on the decisions before it:
    over these images each feature gets mean 0 and standard deviation `spread`.
    """
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # a plain average over the images
        norm.train()
    for x in images:
        model(*x)
    for norm in norms:
        norm.eval()
    visits = [(g, i) for g in range(3) for i in range(model.num_layers[g])]
    for g, i in visits[:-1]:  # the last gate is never asked
        gate = model.attr_layers[f"group{g + 1}_gate{i}"]
        features = torch.stack([first_output(model, gate, x) for x in images])
        scale = spread / features.std(dim=0).clamp_min(1e-6)
        conv = gate[1]
        conv.weight.mul_(scale.view(-1, 1, 1, 1))
        conv.bias.copy_((conv.bias - features.mean(dim=0)) * scale)


def first_output(model, module, inputs):
    """Run the model and return what the first call of one of its modules gave, flat."""
    outputs = []
    hook = module.register_forward_hook(lambda _, __, out: outputs.append(out))
    model(*inputs)
    hook.remove()
    return outputs[0].flatten()


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    model = build(seed=3)
    images = [example_inputs(seed) for seed in range(10)]
    spread_gates(model, images)
    return [(model, images)]
