"""Whether a program reads numbers, truths or sizes out of its tensors."""

from torch.utils._python_dispatch import TorchDispatchMode

_READS = (
    "_local_scalar_dense",
    "equal",
    "is_nonzero",
    "masked_select",
    "nonzero",
    "unique",
    "_unique",
    "_unique2",
    "unique_dim",
    "unique_consecutive",
)


class Reading(TorchDispatchMode):
    """Notes whether any op run under it makes a number or a size of a tensor's values.

    An index that is a mask counts: the size of the result is its number of truths.
    """

    def __init__(self):
        super().__init__()
        self.found = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run the op."""
        name = func.overloadpacket.__name__
        self.found |= name in _READS or (name == "index" and _has_mask(args[1]))
        return func(*args, **(kwargs or {}))


def _has_mask(indices):
    return any(str(getattr(i, "dtype", "")) == "torch.bool" for i in indices)
