"""Each gated block is a `torch.cond`; the shape-changing ones stand as they are."""

import torch
from torch import nn

from bench.dynns.gated_resnet import Gated


class Conds(nn.Module):
    """The same layers."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        model = self.model
        x = model.stem(x)
        for block in model.blocks:
            if not isinstance(block, Gated):
                x = block(x)
                continue
            x = torch.cond(
                (block.gate(x) > 0.5).reshape([]),
                lambda x, block=block.block: block(x),
                lambda x: x.clone(),
                (x,),
            )
        return (model.head(model.pool(x).flatten(1)),)

    @staticmethod
    def finish(logits):
        return logits


def rewritten(model):
    """`bench.dynns.gated_resnet.GatedResNet`."""
    return Conds(model)
