"""BlockDrop: each of the 54 blocks is a `torch.cond` on the policy's answer."""

import torch
from torch import nn
from torch.nn import functional as F


class Dropping(nn.Module):
    """The residual with or without its block."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        model = self.model
        probs, _ = model.policy(x)
        wanted = probs[0] > 0.5
        x = model.seed(x)
        number = 0
        for segment in range(len(model.layer_config)):
            for b in range(model.layer_config[segment]):
                residual = model.ds[segment](x) if b == 0 else x
                block = model.blocks[segment][b]
                x = torch.cond(
                    wanted[number],
                    lambda x, residual, block=block: F.relu(residual + block(x)),
                    lambda _x, residual: F.relu(residual),
                    (x, residual),
                )
                number += 1
        x = model.avgpool(x)
        return (model.fc(x.view(x.size(0), -1)),)

    def finish(self, logits):
        return logits, torch.tensor([sum(self.model.layer_config)])


def rewritten(model):
    """`examples.blockdrop.BlockDrop`."""
    return Dropping(model)
