"""Products as a GPU computes them of tf32, on the processor: factors are cut.

To see what that changes takes no GPU: launches of the reference backend run in this
mode of torch's. Sums are f32, as they are there.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

_KEPT = ~0x1FFF


def cut_products() -> AbstractContextManager[object]:
    """A context in which both factors of torch's products and convolutions of f32 are
    cut to tf32, but of those that a GPU folds one by one, of f32: products of one row
    or column, and convolutions of each channel alone."""
    import torch
    from torch.utils import _python_dispatch

    aten: Any = torch.ops.aten
    factors: dict[Any, tuple[int, int]] = {
        **dict.fromkeys((aten.mm, aten.bmm, aten.convolution), (0, 1)),
        **dict.fromkeys((aten.addmm, aten.baddbmm), (1, 2)),
    }
    base: Any = _python_dispatch.TorchDispatchMode

    def is_folded(packet: Any, args: Sequence[Any]) -> bool:
        left, right = (args[place] for place in factors[packet])
        if packet is aten.convolution:
            groups = args[-1]
            return groups == right.shape[0] and right.shape[1] == 1 < groups
        return 1 in (left.shape[-2], right.shape[-1])

    class Cut(base):
        def __torch_dispatch__(
            self,
            func: Any,
            types: Sequence[type],
            args: Sequence[Any] = (),
            kwargs: Mapping[str, Any] | None = None,
        ) -> Any:
            given, packet = list(args), func.overloadpacket
            if packet in factors and not is_folded(packet, args):
                for place in factors[packet]:
                    given[place] = to_tf32(args[place])
            return func(*given, **(kwargs or {}))

    return Cut()


def to_tf32(value: Any) -> Any:
    """A tensor of f32 with eleven bits of mantissa: units that multiply tf32 do not
    look at the others. Infinities, NaN, and tensors of others stay as they are."""
    import torch

    if value.dtype != torch.float32:
        return value
    cut = (value.contiguous().view(torch.int32) & _KEPT).view(torch.float32)
    return torch.where(value.isfinite(), cut, value)
