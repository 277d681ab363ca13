"""MSDNet: dense blocks at three scales, a classifier after each, exit when it is sure.

Input 1x3x32x32 float32; result: logits 1x10, and the index of the classifier that gave
them. Every layer works on all scales, so that even the first classifier sees a coarse
map. Huang et al., ICLR 2018.
"""

import torch
from torch import nn
from torch.nn import functional as F


def conv_bn(c_in, c_out, stride=1):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False),
        nn.BatchNorm2d(c_out, momentum=0.5),
        nn.ReLU(inplace=True),
    )


class MultiScaleLayer(nn.Module):
    """New features at each scale, from the same scale and from the next finer one."""

    def __init__(self, channels, growth):
        super().__init__()
        self.same = nn.ModuleList([conv_bn(c, growth) for c in channels])
        self.finer = nn.ModuleList([conv_bn(c, growth, 2) for c in channels[:-1]])

    def forward(self, maps):
        outs = []
        for scale, (x, same) in enumerate(zip(maps, self.same, strict=True)):
            new = [x, same(x)]
            if scale > 0:
                new.append(self.finer[scale - 1](maps[scale - 1]))
            outs.append(torch.cat(new, dim=1))
        return outs


class MSDNet(nn.Module):
    """Stem, `blocks` blocks of multi-scale layers, a classifier after each block."""

    def __init__(self, blocks=4, layers=2, width=8, growth=4, classes=10):
        super().__init__()
        channels = [width, 2 * width, 4 * width]
        strides = (1, 2, 2)
        inputs = [3, *channels[:-1]]
        self.stem = nn.ModuleList(
            [conv_bn(*p) for p in zip(inputs, channels, strides, strict=True)]
        )
        self.blocks = nn.ModuleList()
        self.classifiers = nn.ModuleList()
        for _ in range(blocks):
            block = nn.ModuleList()
            for _ in range(layers):
                block.append(MultiScaleLayer(channels, growth))
                channels = [c + growth * (1 + (s > 0)) for s, c in enumerate(channels)]
            self.blocks.append(block)
            self.classifiers.append(nn.Linear(channels[-1], classes))

    def forward(self, x):
        maps = []
        for conv in self.stem:
            x = conv(x)
            maps.append(x)
        for k, (block, classify) in enumerate(
            zip(self.blocks, self.classifiers, strict=True)
        ):
            for layer in block:
                maps = layer(maps)
            logits = classify(maps[-1].mean(dim=(2, 3)))
            last = k == len(self.blocks) - 1
            if last or F.softmax(logits, dim=1).max() > self.threshold:
                break
        return logits, k


def build(seed=0):
    """Return the network in eval mode: seeded weights, norms that know the images."""
    torch.manual_seed(seed)
    model = MSDNet()
    model.threshold = 2.0  # no exit
    with torch.no_grad():
        for _ in range(8):
            model(torch.cat([example_inputs(k)[0] for k in range(24)]))
    for k, classify in enumerate(model.classifiers):
        classify.weight.data *= (6, 12, 45, 10)[k]  # as sure as trained ones
    model.threshold = 0.6
    return model.eval()


def example_inputs(seed=0):
    """Return one smooth random image, 1x3x32x32 float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 4, 4, generator=generator)
    return (F.interpolate(coarse, size=(32, 32), mode="bilinear"),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(24)])]
