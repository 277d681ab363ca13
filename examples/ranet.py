"""RANet: easy images are settled at low resolution, hard ones go on to higher ones.

Input 1x3x32x32 float32; result: the list of logits (each 1xC) of the classifiers before
the first sure one; all eight if none is sure. Eight decisions depend on the input, and
each exit returns a list of another length.
Resolution Adaptive Networks: Yang et al., CVPR 2020.
"""
# ruff: noqa: SIM113 - the counters are kept by hand, as in the published code.

import math

import torch
from torch import nn
from torch.nn import functional as F

from examples.fitting import least_squares

FACTORS = (4, 2, 1, 1)
"""Of each scale, coarse to fine: how much wider it is than the finest."""

SCALES = (1, 2, 3, 3)
REDUCTION = 0.5
COMPRESS = 0.25


def conv(in_channels, channels, kernel=3, stride=1):
    """Return convolution, norm and ReLU."""
    return nn.Sequential(
        nn.Conv2d(
            in_channels, channels, kernel, stride, padding=kernel // 2, bias=False
        ),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
    )


def bottleneck(in_channels, channels, stride, factor):
    """Return a 1x1 convolution to at most `factor` times `channels`, and a 3x3 one."""
    inner = min(in_channels, factor * channels)
    return nn.Sequential(
        *conv(in_channels, inner, kernel=1), *conv(inner, channels, stride=stride)
    )


def resize(x, like):
    """Bilinear, to the height and width of `like`."""
    _, _, h, w = like.size()
    return F.interpolate(x, size=(h, w), mode="bilinear", align_corners=True)


class FirstLayer(nn.Module):
    """The image at every scale, coarse to fine."""

    def __init__(self, channels):
        super().__init__()
        self.layers = nn.ModuleList()
        in_channels, scale = 3, SCALES[-1]
        for factor, next_scale in zip(FACTORS[::-1], SCALES[::-1], strict=True):
            stride = 1 if next_scale == scale else 2
            self.layers.append(conv(in_channels, channels * factor, stride=stride))
            in_channels, scale = channels * factor, next_scale

    def forward(self, x):
        res = []
        for i in range(len(self.layers)):
            x = self.layers[i](x)
            res.append(x)
        return res[::-1]


class NormalLayer(nn.Module):
    """Adds channels to what it is given."""

    def __init__(self, in_channels, growth, factor):
        super().__init__()
        self.conv_normal = bottleneck(in_channels, growth, 1, factor)

    def forward(self, x):
        if not isinstance(x, list):
            x = [x]
        res = [x[0], self.conv_normal(x[0])]
        return torch.cat(res, dim=1)


class FusionLayer(nn.Module):
    """Adds channels, some of them made from the next coarser scale."""

    def __init__(self, in_channels, low_channels, growth, stride, factor, low_factor):
        super().__init__()
        from_low = math.floor(growth * COMPRESS)
        self.conv_up = bottleneck(low_channels, from_low, 1, low_factor)
        self.conv_normal = bottleneck(in_channels, growth - from_low, stride, factor)

    def forward(self, x):
        res = self.conv_normal(x[1])
        res = [resize(x[1], res), resize(self.conv_up(x[0]), res), res]
        return torch.cat(res, dim=1)


class NormalBlock(nn.Module):
    """Layers on one scale. Returns the result and what each layer gave."""

    def __init__(self, in_channels, step, growth, factor, transition):
        super().__init__()
        self.channels = [in_channels + i * growth for i in range(step + 1)]
        self.layers = nn.ModuleList(
            NormalLayer(channels, growth, factor) for channels in self.channels[:-1]
        )
        self.out_channels = self.channels[-1]
        self.trans_flag = transition
        if transition:
            self.out_channels = math.floor(REDUCTION * self.channels[-1])
            self.trans = conv(self.channels[-1], self.out_channels, kernel=1)

    def forward(self, x):
        output = [x]
        for i in range(len(self.layers)):
            x = self.layers[i](x)
            output.append(x)
        x = output[-1]
        if self.trans_flag:
            x = self.trans(x)
        return x, output

    def block_type(self):
        return "norm"


class FusionBlock(nn.Module):
    """Layers that also look at the same block of the next coarser scale.

    `low_channels` are the channels of what the layers of that block gave.
    """

    def __init__(
        self, in_channels, step, low_channels, growth, factors, transition, down
    ):
        super().__init__()
        factor, low_factor = factors
        self.channels = [in_channels + i * growth for i in range(step + 1)]
        self.layers = nn.ModuleList()
        for i in range(step):
            stride = 2 if down and i == step - 1 else 1
            self.layers.append(
                FusionLayer(
                    self.channels[i],
                    low_channels[i],
                    growth,
                    stride,
                    factor,
                    low_factor,
                )
            )
        last = math.floor(COMPRESS * self.channels[-1])
        self.conv_last = conv(low_channels[-1], last, kernel=1)
        self.out_channels = self.channels[-1] + last
        self.trans_flag = transition
        if transition:
            in_channels = self.out_channels
            self.out_channels = math.floor(REDUCTION * in_channels)
            self.trans = conv(in_channels, self.out_channels, kernel=1)

    def forward(self, x, low_feat):
        output = [x]
        for i in range(len(self.layers)):
            inp = [low_feat[i]]
            inp.append(x)
            x = self.layers[i](inp)
            output.append(x)
        x = output[-1]
        x = [x, resize(self.conv_last(low_feat[-1]), x)]
        x = torch.cat(x, dim=1)
        if self.trans_flag:
            x = self.trans(x)
        return x, output

    def block_type(self):
        return "up"


class Classifier(nn.Module):
    """Two convolutions to a quarter of the map, a pool over what is left, a linear."""

    def __init__(self, in_channels, width, num_classes):
        super().__init__()
        self.conv = nn.Sequential(
            conv(in_channels, width, stride=2),
            conv(width, width, stride=2),
            nn.AvgPool2d(2),
        )
        self.linear = nn.Linear(width, num_classes)

    def forward(self, x):
        x = self.conv(x)
        x = x.view(x.size(0), -1)
        return self.linear(x)


class RANet(nn.Module):
    """Four sub-networks, from 8x8 maps to 32x32 ones, and eight classifiers.

    `channels` are those of the finest scale, `step` is how many layers a block has,
    `growth` what each adds to the finest scale, `width` the classifiers' channels.
    """

    def __init__(self, channels=16, step=4, growth=6, width=128, num_classes=10):
        super().__init__()
        self.threshold = 0.5
        self.n_blocks = [0, 2, 4, 6, 8]
        self.first_layer = FirstLayer(channels)
        self.scale_flows = nn.ModuleList()
        self.classifier = nn.ModuleList()
        low_channels = []
        for s, scale in enumerate(SCALES):
            last = self.n_blocks[s + 1]
            transitions = [math.floor(k * last / scale) for k in range(1, scale)]
            downs = self.n_blocks[: s + 1][-(scale - 1) :]
            in_channels, block_growth = channels * FACTORS[s], growth * FACTORS[s]
            flow = nn.ModuleList()
            for number in range(1, last + 1):
                transition = number in transitions
                if number > self.n_blocks[s]:
                    block = NormalBlock(
                        in_channels, step, block_growth, FACTORS[s], transition
                    )
                    self.classifier.append(
                        Classifier(block.out_channels, width, num_classes)
                    )
                else:
                    block = FusionBlock(
                        in_channels,
                        step,
                        low_channels[number - 1],
                        block_growth,
                        (FACTORS[s], FACTORS[s - 1]),
                        transition,
                        down=number in downs,
                    )
                flow.append(block)
                in_channels = block.out_channels
            low_channels = [block.channels for block in flow]
            self.scale_flows.append(flow)
        for module in [*self.scale_flows.modules(), *self.classifier.modules()]:
            if isinstance(module, nn.Conv2d):
                fan_out = module.kernel_size[0] ** 2 * module.out_channels
                nn.init.normal_(module.weight, 0, math.sqrt(2 / fan_out))
            elif isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)

    def forward(self, x):
        inp = self.first_layer(x)
        res, low_ftrs = [], []
        classifier_idx = 0
        for ii in range(len(self.scale_flows)):
            x = inp[ii]
            scale_ftrs = []
            n_block_curr = 0
            for i in range(self.n_blocks[ii + 1]):
                if self.scale_flows[ii][i].block_type() == "norm":
                    x, low_ftr = self.scale_flows[ii][i](x)
                    scale_ftrs.append(low_ftr)
                else:
                    x, low_ftr = self.scale_flows[ii][i](x, low_ftrs[i])
                    scale_ftrs.append(low_ftr)
                n_block_curr += 1
                if n_block_curr > self.n_blocks[ii]:
                    logits = self.classifier[classifier_idx](x)
                    probs = F.softmax(logits, dim=-1)
                    if probs.max() > self.threshold:
                        return res
                    res.append(logits)
                    classifier_idx += 1
            low_ftrs = scale_ftrs
        return res


def build(channels=16, step=4, growth=6, width=128, seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return RANet(channels, step, growth, width).eval()


def example_inputs(seed=0):
    """Return one smooth random image, 1x3x32x32 float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 8, 8, generator=generator)
    return (F.interpolate(coarse, size=(32, 32), mode="bilinear"),)


@torch.no_grad()
def fit_exits(model, images):
    """Fit the classifiers so that image k leaves at exit k, and the last one never.

    Batch norms take the statistics of these images, so that deep maps still differ.
    Then each classifier is the least-squares one that gives image k its class with
    certainty and leaves all others undecided.
    """
    batch = torch.cat(images)
    model.threshold = 1.0
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # a plain average over all batches, here of one
        norm.train()
    model(batch)
    for norm in norms:
        norm.eval()
    for number, classifier in enumerate(model.classifier):
        linear, seen = classifier.linear, []
        hook = linear.register_forward_pre_hook(
            lambda _, inputs, seen=seen: seen.append(inputs[0])
        )
        model(batch)
        hook.remove()
        undecided = torch.linspace(-0.5, 0.5, linear.out_features)
        wanted = undecided.repeat(len(images), 1)
        wanted[number, number] = 8.0
        linear.weight.copy_(least_squares(seen[0], wanted).T)
    model.threshold = 0.5


def cases():
    """Return [(model, list of inputs)]; together they take each exit both ways.

    A small twin, fitted so that its nine inputs leave at the eight exits and at the
    end.
    """
    twin = build(channels=4, step=1, growth=4, width=16)
    images = [example_inputs(seed) for seed in range(9)]
    fit_exits(twin, [image for (image,) in images])
    return [(twin, images)]
