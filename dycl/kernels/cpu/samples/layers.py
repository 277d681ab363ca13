"""The convolutions among ops that compute each sample alone, as schedules see them."""

import math
import re
from collections.abc import Iterable
from typing import Any

from dycl.kernels.cpu.nests.winograd import may_be_square
from dycl.kernels.cpu.samples.sizes import batch_dim
from dycl.kernels.cpu.weights.origins import WeightValues
from dycl.schedules.samples import Layer

_CONVOLUTION = re.compile(r"linalg\.(?:depthwise_)?conv_(\d)d_\w+")


def layers_of(inside: Iterable[Any], weights: WeightValues) -> list[Layer]:
    """What is known of each convolution with weights."""
    found: list[Layer] = []
    for op in inside:
        match = _CONVOLUTION.fullmatch(op.name)
        if match is None or op.operands[1] not in weights:
            continue
        image, window = (value.type for value in list(op.operands)[:2])
        result = op.results[0].type
        size = list(result.shape)[-int(match[1]) :]
        if not window.has_static_shape or min(size) < 0:
            continue
        filters, channels, *_ = window.shape
        square = (channels, filters, size[0], size[-1])
        found.append(
            Layer(
                math.prod(window.shape),
                math.prod(size),
                _bytes(image) + _bytes(result),
                square if may_be_square(op, weights) else None,
            )
        )
    return found


def _bytes(kind: Any) -> int:
    """Of one sample."""
    dim = batch_dim(kind)
    sizes = [size for place, size in enumerate(kind.shape) if place != dim]
    return math.prod(sizes) * -(-kind.element_type.width // 8)
