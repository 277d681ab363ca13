"""BlockDrop ResNet-110 as published: `forward_single(x, policy)`.

The policy is an input, one number for each block: a block runs where it is 1. Wu et
al., CVPR 2018. 54 decisions depend on the input.
"""

# ruff: noqa: RET504 - as in the published code.

import torch
from torch import nn
from torch.nn import functional as F

from examples import blockdrop


class BlockDrop(nn.Module):
    """The flat ResNet without its policy network. Returns logits."""

    def __init__(self, network):
        super().__init__()
        self.layer_config = network.layer_config
        self.conv1, self.bn1, self.relu = network.conv1, network.bn1, network.relu
        self.blocks, self.ds = network.blocks, network.ds
        self.avgpool, self.fc = network.avgpool, network.fc

    def seed(self, x):
        return self.relu(self.bn1(self.conv1(x)))

    def forward(self, x, policy):
        x = self.seed(x)
        t = 0
        for segment, num_blocks in enumerate(self.layer_config):
            for b in range(num_blocks):
                residual = self.ds[segment](x) if b == 0 else x
                if policy[t] == 1:
                    x = residual + self.blocks[segment][b](x)
                    x = F.relu(x)
                else:
                    x = residual
                t += 1
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        x = self.fc(x)
        return x


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    ((network, images),) = blockdrop.cases()
    inputs = []
    for (image,) in images:
        with torch.no_grad():
            probs, _ = network.policy(image)
        inputs.append((image, (probs[0] > 0.5).float()))
    return [(BlockDrop(network).eval(), inputs)]
