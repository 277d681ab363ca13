"""BlockDrop ResNet-110: a policy network says up front which of 54 blocks run.

Input 1x3x32x32 float32 in [0, 1]; result (logits 1x10, number of blocks passed [1]).
54 decisions depend on the input; the untaken block is not computed.
BlockDrop: Wu et al., CVPR 2018.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from examples.fitting import least_squares


class Block(nn.Module):
    """Two convolutions; the residual is the caller's."""

    def __init__(self, in_channels, channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))


class PoolAndPad(nn.Module):
    """Halves the map and doubles the channels, with zeros."""

    def __init__(self, expand_ratio=2):
        super().__init__()
        self.expand_ratio = expand_ratio
        self.avgpool = nn.AvgPool2d(2)

    def forward(self, x):
        x = self.avgpool(x)
        return torch.cat([x] + [x.mul(0)] * (self.expand_ratio - 1), 1)


class FlatResNet(nn.Module):
    """Stem, and three segments of blocks, 16, 32 and 64 channels wide."""

    def __init__(self, layer_config):
        super().__init__()
        self.layer_config = list(layer_config)
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu = nn.ReLU()
        self.blocks = nn.ModuleList()
        self.ds = nn.ModuleList()
        in_channels = 16
        for segment, channels in enumerate((16, 32, 64)):
            blocks = nn.ModuleList()
            for b in range(self.layer_config[segment]):
                stride = 2 if segment > 0 and b == 0 else 1
                blocks.append(Block(in_channels, channels, stride))
                in_channels = channels
            self.blocks.append(blocks)
            self.ds.append(PoolAndPad() if segment > 0 else nn.Sequential())
        self.avgpool = nn.AvgPool2d(8)

    def seed(self, x):
        return self.relu(self.bn1(self.conv1(x)))


class FeatureResNet(FlatResNet):
    """A flat ResNet in which every block runs; returns features, Nx64."""

    def forward(self, x):
        x = self.seed(x)
        for segment in range(len(self.layer_config)):
            for b in range(self.layer_config[segment]):
                residual = self.ds[segment](x) if b == 0 else x
                x = F.relu(residual + self.blocks[segment][b](x))
        x = self.avgpool(x)
        return x.view(x.size(0), -1)


class PolicyNet(nn.Module):
    """Looks at the image and returns the probability that each block runs."""

    def __init__(self, num_blocks):
        super().__init__()
        self.features = FeatureResNet([1, 1, 1])
        self.logit = nn.Linear(64, num_blocks)
        self.vnet = nn.Linear(64, 1)

    def forward(self, x):
        features = self.features(x)
        value = self.vnet(features)
        probs = torch.sigmoid(self.logit(features))
        return probs, value


class BlockDrop(FlatResNet):
    """The flat ResNet whose blocks run only where the policy says so."""

    def __init__(self, layer_config=(18, 18, 18), num_classes=10):
        super().__init__(layer_config)
        self.fc = nn.Linear(64, num_classes)
        self.policy = PolicyNet(sum(self.layer_config))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                fan_out = module.kernel_size[0] ** 2 * module.out_channels
                nn.init.normal_(module.weight, 0, math.sqrt(2 / fan_out))

    def forward(self, x):
        probs, _ = self.policy(x)
        t = torch.zeros([1], dtype=torch.int64, device=x.device)
        x = self.seed(x)
        for segment in range(len(self.layer_config)):
            for b in range(self.layer_config[segment]):
                if b == 0:
                    residual = self.ds[segment](x)
                else:
                    residual = x
                if (probs[:, t] > 0.5) == 1:
                    x = residual + self.blocks[segment][b](x)
                else:
                    x = residual
                x = F.relu(x)
                t = t + 1
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.fc(x), t


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return BlockDrop().eval()


def example_inputs(seed=0):
    """Return one smooth random image, 1x3x32x32 float32 in [0, 1]."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(1, 3, 8, 8, generator=generator)
    return (F.interpolate(coarse, size=(32, 32), mode="bilinear"),)


@torch.no_grad()
def fit_policy(model, images, policies):
    """Fit the policy's last layer so that image k gets policy k, by least squares."""
    features = model.policy.features(torch.cat(images))
    wanted = torch.where(policies, 2.0, -2.0)
    logit = model.policy.logit
    logit.weight.copy_(least_squares(features, wanted).T)
    logit.bias.zero_()


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways.

    The policy is fitted to four inputs: all blocks, none, a random half, the others.
    """
    images = [example_inputs(seed) for seed in range(4)]
    model = build()
    half = torch.rand(54, generator=torch.Generator().manual_seed(0)) > 0.5
    every = torch.ones(54, dtype=torch.bool)
    policies = torch.stack([every, ~every, half, ~half])
    fit_policy(model, [image for (image,) in images], policies)
    return [(model, images)]
