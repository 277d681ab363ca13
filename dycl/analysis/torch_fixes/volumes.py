"""Convolutions of volumes in groups, of which torch-mlir has none.

torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.batches import of_one


def convolution(
    op: Any,
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = (1,),
    padding: Any = (0,),
    dilation: Any = (1,),
    groups: int = 1,
) -> Any:
    """`conv3d` in groups: one `conv2d` for each plane of the filters, added up."""
    import torch

    given = (weight, bias, stride, padding, dilation, groups)
    if groups == 1 or x.dim() != 5 or isinstance(padding, str):
        return of_one(op, x, *given)
    strides, paddings, dilations = map(_three, (stride, padding, dilation))
    if paddings[0]:
        x = torch.nn.functional.pad(x, (0, 0, 0, 0, paddings[0], paddings[0]))
    taps = weight.shape[2]
    depth = (x.shape[2] - dilations[0] * (taps - 1) - 1) // strides[0] + 1
    result = None
    for tap in range(taps):
        first = tap * dilations[0]
        planes = x[:, :, first : first + (depth - 1) * strides[0] + 1 : strides[0]]
        part = torch.nn.functional.conv2d(
            planes.transpose(1, 2).flatten(0, 1),
            weight[:, :, tap],
            bias if tap == 0 else None,
            strides[1:],
            paddings[1:],
            dilations[1:],
            groups,
        )
        result = part if result is None else result + part
    assert result is not None  # a filter has a plane: torch refuses others
    return result.unflatten(0, (x.shape[0], depth)).transpose(1, 2)


def _three(numbers: Any) -> list[int]:
    """A number for each of three dims; torch takes one for all."""
    return [*numbers] * (3 // len(numbers))
