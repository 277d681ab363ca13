"""Programs of our own, written as those of the other corpora are: the sample of CI."""

import torch
from torch import nn

from tools.corpus.libraries import own_losses, own_networks
from tools.corpus.programs import Program


def programs(folder):
    """All of them; `folder` is not used."""
    del folder
    for module in (own_losses, own_networks):
        for make, inputs in module.PROGRAMS:
            yield Program("own", make.__name__, _Made(make, inputs))


class _Made:
    """A module and inputs of the given shapes; a dtype other than f32 is after them."""

    def __init__(self, make, inputs):
        self.make = make
        self.inputs = inputs

    def __call__(self):
        model = self.make()
        assert isinstance(model, nn.Module)
        return model, tuple(map(_tensor, self.inputs)), {}


def _tensor(wanted):
    *shape, last = wanted
    if isinstance(last, torch.dtype):
        if last == torch.bool:
            return torch.rand(shape) < 0.5
        return torch.randint(0, 3, shape, dtype=last)
    return torch.rand(wanted)
