"""Networks without a decision, which every engine takes as they are."""

from itertools import pairwise
from typing import Any

import torch
from torch import nn

from bench.dynns.gated_resnet import Block

WIDTH, HEADS, LAYERS = 768, 12, 4


class ResNet20(nn.Module):
    """The CIFAR network of three stages of 16, 32 and 64 channels."""

    def __init__(self, classes: int = 10):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
        )
        widths = [16, 16, 16, 16, 32, 32, 32, 64, 64, 64]
        self.blocks = nn.Sequential(
            *(
                Block(narrow, wide, 1 if narrow == wide else 2)
                for narrow, wide in pairwise(widths)
            )
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        """Shape 1x3xHxW in, 1x10 out, float32."""
        return self.head(self.pool(self.blocks(self.stem(x))).flatten(1))


class Layer(nn.Module):
    """Self-attention and two products, each behind a layer norm."""

    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.given, self.mixed = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = (
            nn.Linear(WIDTH, 4 * WIDTH),
            nn.Linear(4 * WIDTH, WIDTH),
        )

    def forward(self, x):
        """Shape 1xNx768 in and out, float32."""
        batch, length, _ = x.shape
        qkv = self.given(self.before(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.mixed(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.narrow(nn.functional.gelu(self.wide(self.between(x))))


class Encoder(nn.Module):
    """A text encoder of four layers, or of so many, over embedded words."""

    def __init__(self, layers: int = LAYERS):
        super().__init__()
        self.layers = nn.Sequential(*(Layer() for _ in range(layers)))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):
        """Shape 1xNx768 in and out, float32."""
        return self.norm(self.layers(x))


class ViT(nn.Module):
    """ViT-B/16: patches of 16x16 as words, and a class token before them.

    Written here: a wheel of torchvision runs with one build of torch only.
    """

    def __init__(self, size: int = 224, classes: int = 1000):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 16, 16)
        self.token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        places = torch.randn(1, (size // 16) ** 2 + 1, WIDTH) * 0.02
        self.places = nn.Parameter(places)
        self.encoder = Encoder(12)
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, x):
        """Shape 1x3x224x224 in, 1x1000 out, float32."""
        words = self.patches(x).flatten(2).transpose(1, 2)
        words = torch.cat([self.token, words], 1) + self.places
        return self.head(self.encoder(words)[:, 0])


def resnet20(size: int) -> tuple[Any, list[tuple[Any, ...]]]:
    """The network with seeded weights and one image."""
    torch.manual_seed(0)
    return ResNet20().eval(), [(torch.randn(1, 3, size, size),)]


def encoder(length: int) -> tuple[Any, list[tuple[Any, ...]]]:
    """The encoder with seeded weights and one text."""
    torch.manual_seed(0)
    return Encoder().eval(), [(torch.randn(1, length, WIDTH),)]


def vit() -> tuple[Any, list[tuple[Any, ...]]]:
    """ViT-B/16 with seeded weights and one image."""
    torch.manual_seed(0)
    return ViT().eval(), [(torch.randn(1, 3, 224, 224),)]
