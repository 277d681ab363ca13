"""Batch norms of a model folded into the convolutions before them, as users do it.

A batch norm is folded where its input is, in every run, all that one convolution
gives, and nothing else reads that. Which those are is seen by running the model.
"""

import copy
from collections import defaultdict
from typing import Any

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def folded(model: nn.Module, inputs: list[tuple[Any, ...]]) -> nn.Module:
    """A copy without the batch norms that can be folded.

    `inputs`: of runs that take every path which will be run.
    """
    model = copy.deepcopy(model).eval()
    for norm, conv in pairs(model, inputs).items():
        fused = fuse_conv_bn_eval(conv, norm)
        conv.weight, conv.bias = fused.weight, fused.bias
        _replace(model, norm, nn.Identity())
    return model.eval()


def pairs(
    model: nn.Module, inputs: list[tuple[Any, ...]]
) -> dict[nn.Module, nn.Module]:
    """Batch norm -> the convolution that it can be folded into."""
    before, after, other = defaultdict(set), defaultdict(set), set()
    for arguments in inputs:
        watch = _Watch()
        hooks = [
            module.register_forward_hook(watch.convolved)
            for module in model.modules()
            if isinstance(module, CONVOLUTIONS)
        ]
        hooks += [
            module.register_forward_pre_hook(watch.normalises)
            for module in model.modules()
            if isinstance(module, NORMS)
        ]
        try:
            with torch.no_grad(), watch:
                model(*arguments)
        finally:
            for hook in hooks:
                hook.remove()
        for norm, conv in watch.met:
            before[norm].add(conv)
            if conv is not None:
                after[conv].add(norm)
        other |= watch.read_elsewhere()
    return {
        norm: conv
        for norm, convs in before.items()
        for conv in convs
        if len(convs) == 1 and conv is not None
        if len(after[conv]) == 1 and conv not in other
    }


class _Watch(TorchDispatchMode):
    """What convolutions gave in one run, and how often each of it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[tuple[nn.Module, nn.Module | None]] = []
        self._given: dict[int, tuple[nn.Module, torch.Tensor]] = {}
        self._reads: dict[int, int] = defaultdict(int)
        self._by_norm: dict[int, int] = defaultdict(int)

    def convolved(self, conv, _arguments, out):
        """A convolution is done; the tensor is kept, so that its id stays its own."""
        self._given[id(out)] = conv, out

    def normalises(self, norm, arguments):
        """A batch norm begins."""
        conv, _ = self._given.get(id(arguments[0]), (None, None))
        self.met.append((norm, conv))
        self._by_norm[id(arguments[0])] += 1

    def read_elsewhere(self):
        """The convolutions of which something else than one batch norm read."""
        return {
            conv
            for key, (conv, _) in self._given.items()
            if not self._reads[key] == self._by_norm[key] == 1
        }

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        for leaf in tree_leaves((args, kwargs)):
            if id(leaf) in self._given:
                self._reads[id(leaf)] += 1
        return func(*args, **(kwargs or {}))


def _replace(model, old, new):
    for parent in model.modules():
        for name, child in parent._modules.items():
            if child is old:
                setattr(parent, name, new)
