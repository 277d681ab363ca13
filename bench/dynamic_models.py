"""Networks of images, texts and steps of any size, for `bench.dynamic_networks`."""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from bench.transformers import Encoder


class Case(NamedTuple):
    """A network, its inputs of some size, and which dimensions are of any size."""

    make: Callable
    inputs: Callable
    """Of one entry of `sizes`: the tuple of inputs."""
    dynamic: tuple
    """For each input: dimension -> the name of its size."""
    sizes: list


class Residual(nn.Module):
    """Two 3x3 convolutions beside what they are added to."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first = _norm(nn.Conv2d(channels, filters, 3, stride, 1, bias=False))
        self.second = _norm(nn.Conv2d(filters, filters, 3, 1, 1, bias=False))
        self.aside = nn.Identity()
        if stride > 1 or channels != filters:
            self.aside = _norm(nn.Conv2d(channels, filters, 1, stride, bias=False))

    def forward(self, x):
        """Of [b, channels, h, w]: [b, filters, h / stride, w / stride]."""
        return F.relu(self.second(F.relu(self.first(x))) + self.aside(x))


class Inverted(nn.Module):
    """A depthwise convolution between two of single pixels."""

    def __init__(self, channels, filters, stride, wider):
        super().__init__()
        wide = channels * wider
        parts = [_norm(nn.Conv2d(channels, wide, 1, bias=False)), nn.ReLU6()]
        self.parts = nn.Sequential(
            *(parts if wider > 1 else []),
            _norm(nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False)),
            nn.ReLU6(),
            _norm(nn.Conv2d(wide, filters, 1, bias=False)),
        )
        self.is_added = stride == 1 and channels == filters

    def forward(self, x):
        """As `Residual` does."""
        return x + self.parts(x) if self.is_added else self.parts(x)


class Classifier(nn.Module):
    """Blocks, and a linear layer of the means of their maps."""

    def __init__(self, blocks, channels):
        super().__init__()
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(channels, 1000)

    def forward(self, x):
        """[b, 3, h, w] to [b, 1000]."""
        return self.head(self.blocks(x).mean((2, 3)))


class Routed(nn.Module):
    """Super-resolution: of patches those with detail go through convolutions."""

    def __init__(self):
        super().__init__()
        self.first, self.next = (
            nn.Conv2d(1, 64, 5, padding=2),
            nn.Conv2d(64, 32, 3, 1, 1),
        )
        self.last = nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x):
        """[b, 1, h, w] to [b, 1, 2 h, 2 w]."""
        (k,) = torch.where(x.std((1, 2, 3)) > 0.5)
        y = F.pixel_shuffle(x.expand(-1, 4, -1, -1), 2)
        rich = self.last(F.relu(self.next(F.relu(self.first(x[k])))))
        return y.index_add(0, k, F.pixel_shuffle(rich, 2))


class Steps(nn.Module):
    """An LSTM over steps, and a linear layer of the last one."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(128, 256, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        """[1, n, 128] to [1, 10]."""
        return self.head(self.lstm(x)[0][:, -1])


class DecoderStep(nn.Module):
    """One token through a decoder's layer, and the cache with it."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(512) for _ in range(2))
        self.qkv, self.out = nn.Linear(512, 1536), nn.Linear(512, 512)
        self.wide, self.back = nn.Linear(512, 2048), nn.Linear(2048, 512)

    def forward(self, x, keys, values):
        """[1, 1, 512], twice [1, 8, n, 64] to the same, of n + 1."""
        heads = self.qkv(self.norms[0](x)).unflatten(2, (3, 8, 64))
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind(0)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        y = F.scaled_dot_product_attention(q, keys, values)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.back(F.gelu(self.wide(self.norms[1](x)))), keys, values


def _norm(convolution):
    return nn.Sequential(convolution, nn.BatchNorm2d(convolution.out_channels))


def resnet():
    """Of ResNet-18's size."""
    blocks = [_norm(nn.Conv2d(3, 64, 7, 2, 3, bias=False)), nn.ReLU()]
    blocks.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for filters in (64, 128, 256, 512):
        for stride in (1 if filters == 64 else 2, 1):
            blocks.append(Residual(channels, filters, stride))
            channels = filters
    return fitted(Classifier(blocks, channels))


def mobilenet():
    """Of MobileNetV2's size."""
    blocks = [_norm(nn.Conv2d(3, 32, 3, 2, 1, bias=False)), nn.ReLU6()]
    channels = 32
    for wider, filters, count, stride in (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    ):
        for number in range(count):
            step = 1 if number else stride
            blocks.append(Inverted(channels, filters, step, wider))
            channels = filters
    blocks += [_norm(nn.Conv2d(channels, 1280, 1, bias=False)), nn.ReLU6()]
    return fitted(Classifier(blocks, 1280))


def fitted(model):
    """Its norms have seen some images, so that its values stay of use."""
    for _ in range(3):
        model(torch.randn(4, 3, 64, 64))
    return model


def images(shape):
    """Images of which the first is nearly even, and the last has most contrast."""
    contrast = torch.linspace(0.1, 2, shape[0])[:, None, None, None]
    return (torch.randn(shape) * contrast,)


def cached(n):
    """A token, and the keys and values of n tokens before it."""
    return torch.randn(1, 1, 512), torch.randn(1, 8, n, 64), torch.randn(1, 8, n, 64)


def cases():
    """Name -> case."""
    sides = [(1, 3, 96, 96), (1, 3, 161, 243), (1, 3, 320, 320)]
    batches = [(1, 3, 96, 96), (8, 3, 96, 96), (32, 3, 96, 96)]
    patches = [(16, 1, 32, 32), (64, 1, 32, 32)]
    size, batch = ({2: "h", 3: "w"},), ({0: "b"},)
    lengths = [1, 5, 17, 64, 128, 300, 512]
    return {
        "ResNet-18, any image": Case(resnet, images, size, sides),
        "MobileNetV2, any image": Case(mobilenet, images, size, sides),
        "ResNet-18, any batch": Case(resnet, images, batch, batches),
        "MobileNetV2, any batch": Case(mobilenet, images, batch, batches),
        "routed super-resolution": Case(Routed, images, batch, patches),
        "text encoder of BERT-base's width, 4 layers": Case(
            lambda: Encoder(4),
            lambda n: (torch.randn(1, n, 768),),
            ({1: "n"},),
            lengths,
        ),
        "LSTM, 128 to 256": Case(
            Steps, lambda n: (torch.randn(1, n, 128),), ({1: "n"},), [1, 10, 33, 100]
        ),
        "decoder's step, 512 wide, with a cache": Case(
            DecoderStep, cached, ({}, {2: "n"}, {2: "n"}), [1, 16, 128, 500]
        ),
    }
