"""What one run computes: floating-point operations and weights read, as eager does it.

The time of a path at nominal peak: its operations at the measured multiply-add rate,
and where a matrix meets a single row, the weights at the measured bandwidth. Operations
are nominal: taps on the padding are counted, and a convolution by Winograd does fewer.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry


@dataclass(frozen=True)
class Work:
    """Of one run."""

    flops: int
    row_flops: int
    """Those of `flops` where a weight is used once for each time that it is read."""
    row_bytes: int
    """The bytes of those weights, counted each time that they are read."""
    weight_bytes: int
    """All weights that the run touches, counted once: what caches have to hold."""

    def at_peak(self, flops_per_second: float, bytes_per_second: float) -> float:
        """Seconds, were all that is counted done at these two rates: no bound."""
        dense = (self.flops - self.row_flops) / flops_per_second
        return dense + self.row_bytes / bytes_per_second


def work_of(model: Any, arguments: tuple[Any, ...]) -> Work:
    """Run once, without gradients, and count."""
    counter = Counter()
    with torch.no_grad(), counter:
        model(*arguments)
    weights = sum(counter.weights.values())
    return Work(counter.flops, counter.row_flops, counter.row_bytes, weights)


class Counter(TorchDispatchMode):
    """Counts what torch computes while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.flops = self.row_flops = self.row_bytes = 0
        self.weights: dict[int, int] = defaultdict(int)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        packet = func._overloadpacket
        if packet in flop_registry:
            flops = flop_registry[packet](*args, **(kwargs or {}), out_val=out)
            self.flops += flops
            read = self._weights(args)
            # Of a single row each weight is used for one multiply and one add.
            if read and 2 * flops <= 2 * read:
                self.row_flops += flops
                self.row_bytes += read
        return out

    def _weights(self, args) -> int:
        total = 0
        for leaf in tree_leaves(args):
            base = leaf._base if isinstance(leaf, torch.Tensor) else None
            tensor = leaf if base is None else base
            if isinstance(tensor, torch.nn.Parameter):
                nbytes = tensor.numel() * tensor.element_size()
                self.weights[tensor.data_ptr()] = nbytes
                total += nbytes if tensor.dim() > 1 else 0
        return total
