"""`F.max_pool1d` of rows of a length that the data decides: a pool of flat images.

torch's own asks for the number behind a symbolic length. torch is imported in the
functions.
"""

from typing import Any

NAMES = ("torch.max_pool1d", "torch.nn.functional.max_pool1d")
MODULE = "MaxPool1d"


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`F.max_pool1d`: [.., length] -> [.., windows]."""
    from torch.nn import functional

    size, step, border, apart = map(_one, (kernel_size, stride, padding, dilation))
    step = size if step is None else step
    found: Any = functional.max_pool2d(
        input.unsqueeze(-2),
        (1, size),
        (1, step),
        (0, border),
        (1, apart),
        ceil_mode,
        return_indices,
    )
    if return_indices:
        return tuple(one.squeeze(-2) for one in found)
    return found.squeeze(-2)


def of_module(module: Any, x: Any) -> Any:
    """A call of `nn.MaxPool1d`."""
    return max_pool1d(
        x,
        module.kernel_size,
        module.stride,
        module.padding,
        module.dilation,
        module.ceil_mode,
        module.return_indices,
    )


def _one(given: Any) -> Any:
    """A number that may stand in a tuple or list; [] is None."""
    if isinstance(given, (tuple, list)):
        return given[0] if given else None
    return given
