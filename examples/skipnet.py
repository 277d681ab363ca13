"""SkipNet-38 with feed-forward gates: a gate after each block decides on the next.

Input 1x3x32x32 float32; result (logits 1x10, number of blocks run [1], last mask
1x1x1x1). 18 decisions depend on the input; the untaken block is not computed.
SkipNet: Wang et al., ECCV 2018.
"""
# ruff: noqa: UP032 - the keys are made with str.format, as the published code does.

import math
from pathlib import Path

import torch
from torch import nn

WEIGHTS = Path(__file__).with_name("skipnet_digits.safetensors")


def conv3x3(in_channels, out_channels, stride=1):
    """Return a 3x3 convolution that keeps the map size at stride 1."""
    return nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions with their residual, which `downsample` may reshape."""

    def __init__(self, in_channels, channels, stride=1, downsample=None):
        super().__init__()
        self.conv1 = conv3x3(in_channels, channels, stride)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = conv3x3(channels, channels)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.downsample = downsample

    def forward(self, x):
        residual = x
        if self.downsample is not None:
            residual = self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + residual)


class FeedForwardGate(nn.Module):
    """Looks at a block's output and says whether the next block should run."""

    def __init__(self, channels, pool_size):
        super().__init__()
        self.maxpool = nn.MaxPool2d(2)
        self.conv1 = conv3x3(channels, channels)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = conv3x3(channels, channels, stride=2)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.avgpool = nn.AvgPool2d(pool_size)
        self.linear = nn.Conv2d(channels, 2, 1)
        self.softmax = nn.Softmax(dim=-1)
        self.logsoftmax = nn.LogSoftmax(dim=-1)

    def scores(self, x):
        x = self.maxpool(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.linear(self.avgpool(x)).squeeze()

    def forward(self, x):
        scores = self.scores(x)
        prob = self.softmax(scores).reshape([-1, 2])
        logprob = self.logsoftmax(scores)
        if prob[:, 1] > 0.5:
            mask = torch.ones([len(x), 1, 1, 1], device=x.device)
        else:
            mask = torch.zeros([len(x), 1, 1, 1], device=x.device)
        return mask, logprob


class SkipNet(nn.Module):
    """Three groups of basic blocks, each block behind the gate of the one before."""

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
                gate = FeedForwardGate(channels, 8 >> g)
                for name, module in (("layer", block), ("gate", gate)):
                    self.add_module(f"group{g + 1}_{name}{i}", module)
                    self.attr_layers[f"group{g + 1}_{name}{i}"] = module
                in_channels = channels
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
        cnt = torch.zeros([1], device=x.device)
        mask_list = torch.zeros([1], device=x.device)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.attr_layers["group1_layer0"](x)
        prev = x
        mask, _ = self.attr_layers["group1_gate0"](x)
        mask_list += mask.reshape([-1])
        mask = mask.reshape([-1, 1, 1, 1])
        for g in range(3):
            for i in range(self.num_layers[g]):
                # Group 1 starts at block 1, and so comes to its last block twice.
                if g == 0 and i < self.num_layers[g] - 1:
                    i = i + 1
                ds = "group{}_ds{}".format(g + 1, i)
                if ds in self.attr_layers:
                    prev = self.attr_layers[ds](prev)
                if mask == 0:
                    x = (1 - mask).expand_as(prev) * prev
                else:
                    x = mask * self.attr_layers["group{}_layer{}".format(g + 1, i)](x)
                    cnt += 1
                prev = x
                mask, _ = self.attr_layers["group{}_gate{}".format(g + 1, i)](x)
                mask_list += mask.reshape([-1])
                mask = mask.reshape([-1, 1, 1, 1])
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.fc(x), cnt, mask


def build(trained=True, seed=0):
    """Return the network in eval mode, with the weights trained on digits.

    `trained=False` gives seeded random weights (and so does a missing weight file).
    """
    torch.manual_seed(seed)
    model = SkipNet()
    if trained and WEIGHTS.exists():
        from safetensors.torch import load_file

        model.load_state_dict(load_file(WEIGHTS))
    return model.eval()


def example_inputs():
    """Return one random image, 1x3x32x32 float32."""
    return (torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(0)),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways.

    The trained model, and of each digit the third image that was held back.
    """
    from examples.digits import digits

    _, _, images, labels = digits()
    third = [(labels == digit).nonzero()[2] for digit in range(10)]
    return [(build(), [(images[index],) for index in third])]
