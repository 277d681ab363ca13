"""The sizes of a tensor as a tensor."""

from typing import Any

import torch


def shape_as_tensor(x: Any) -> Any:
    """`torch.onnx.operators.shape_as_tensor`: i64[number of dimensions]."""
    return torch.tensor([x.size(i) for i in range(x.dim())], dtype=torch.int64)
