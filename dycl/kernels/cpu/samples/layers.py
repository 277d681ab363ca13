"""The layers among ops that compute each sample alone, as schedules see them."""

import math
import re
from collections.abc import Iterable
from typing import Any

from dycl.kernels.cpu.nests.winograd import may_be_square
from dycl.kernels.cpu.samples.sizes import Sizes
from dycl.kernels.cpu.weights.origins import WeightValues
from dycl.schedules.samples import Layer

_CONVOLUTION = re.compile(r"linalg\.(?:depthwise_)?conv_(\d)d_\w+")


def layers_of(
    inside: Iterable[Any], weights: WeightValues, sizes: Sizes
) -> list[Layer]:
    """What is known of each convolution with weights, and of each pool."""
    found: list[Layer] = []
    for op in inside:
        if op.name.startswith("linalg.pooling_"):
            found.append(Layer(0, 0, _memory(op, sizes)))
        match = _CONVOLUTION.fullmatch(op.name)
        if match is None or op.operands[1] not in weights:
            continue
        window = op.operands[1].type
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
                _memory(op, sizes),
                square if may_be_square(op, weights) else None,
            )
        )
    return found


def _memory(op: Any, sizes: Sizes) -> int:
    """Bytes of image and result, of one sample."""
    kinds = [sizes.with_samples(v, 1) for v in (op.operands[0], op.results[0])]
    shapes = [(math.prod(kind.shape), kind.element_type.width) for kind in kinds]
    return sum(elements * -(-width // 8) for elements, width in shapes)
