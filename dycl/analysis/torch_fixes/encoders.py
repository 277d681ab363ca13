"""Attention over no keys; a layer of an encoder, by one op in torch's inference.

torch is imported in the functions.
"""

from typing import Any

_PAIRS, _KEYS, _ALL = range(3)
"""What a mask says by its type: [l, l], [b, l], or [b, h, l, l]."""


def encoder_layer(
    op: Any,
    x: Any,
    width: int,
    heads: int,
    weight_in: Any,
    bias_in: Any,
    weight_out: Any,
    bias_out: Any,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    *rest: Any,
    mask: Any = None,
    mask_type: int | None = None,
) -> Any:
    """Attention and two linear layers, [b, l, d] -> [b, l, d], as torch documents
    `nn.TransformerEncoderLayer`; `rest`: scales, shifts, weights, biases, the mask."""
    from torch.nn.functional import gelu, layer_norm, linear, relu

    scale_1, shift_1, scale_2, shift_2, weight_1, bias_1, weight_2, bias_2, *of = rest
    mask, mask_type = (*of, mask_type)[:2] if of else (mask, mask_type)
    if x.dim() != 3 or (mask is not None and mask_type not in (_PAIRS, _KEYS, _ALL)):
        return NotImplemented

    def attended(y: Any) -> Any:
        projected = linear(y, weight_in, bias_in)
        result = _attention(projected, heads, _wide(mask, mask_type))
        return linear(result, weight_out, bias_out)

    def fed(y: Any) -> Any:
        hidden = linear(y, weight_1, bias_1)
        return linear(gelu(hidden) if use_gelu else relu(hidden), weight_2, bias_2)

    def first(y: Any) -> Any:
        return layer_norm(y, [width], scale_1, shift_1, eps)

    def second(y: Any) -> Any:
        return layer_norm(y, [width], scale_2, shift_2, eps)

    if norm_first:
        x = x + attended(first(x))
        return x + fed(second(x))
    x = first(x + attended(x))
    return second(x + fed(x))


def _attention(projected: Any, heads: int, mask: Any) -> Any:
    """Of queries, keys and values beside each other, [b, l, 3d] -> [b, l, d]; a query
    of which all keys are masked gives NaN, unlike `scaled_dot_product_attention`."""
    from torch.nn.functional import scaled_dot_product_attention

    batch, length, width = projected.shape
    split = (heads, width // 3 // heads)  # With -1, no elements would be ambiguous.
    parts = projected.chunk(3, -1)
    query, key, value = (p.unflatten(-1, split).transpose(1, 2) for p in parts)
    if mask is None:
        result = scaled_dot_product_attention(query, key, value)
    else:
        scores = (query / query.shape[-1] ** 0.5) @ key.transpose(-1, -2)
        scores = scores.masked_fill(mask, float("-inf"))
        result = scores.softmax(-1) @ value
    return result.transpose(1, 2).reshape(batch, length, width // 3)


def attention(
    op: Any,
    query: Any,
    key: Any,
    value: Any,
    *rest: Any,
    enable_gqa: bool = False,
    **named: Any,
) -> Any:
    """`scaled_dot_product_attention` over no keys gives zeros; torch-mlir divides by
    their number."""
    import torch

    if type(key.shape[-2]) is not int or key.shape[-2] != 0:
        return NotImplemented
    outer = query.shape[:-2]
    if not enable_gqa:
        outer = torch.broadcast_shapes(outer, key.shape[:-2])
    return query.new_zeros((*outer, query.shape[-2], value.shape[-1]))


def _wide(mask: Any, mask_type: int | None) -> Any:
    """A mask that goes with scores of [b, h, l, l]."""
    if mask is None or mask_type == _ALL:
        return mask
    return mask if mask_type == _PAIRS else mask[:, None, None, :]


REWRITES = {
    "_transformer_encoder_layer_fwd": encoder_layer,
    "scaled_dot_product_attention": attention,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
