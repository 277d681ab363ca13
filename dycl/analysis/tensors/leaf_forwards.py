"""`forward` of modules of torch that look at elements to choose a faster way.

Eager runs an encoder by nested tensors where the padding lets it, and compares masks
with a causal one to tell the attention so. Neither changes what is computed.

torch is imported in the functions.
"""

from collections.abc import Callable, Mapping
from typing import Any


def encoder(
    module: Any,
    src: Any,
    mask: Any = None,
    src_key_padding_mask: Any = None,
    is_causal: bool | None = None,
) -> Any:
    """`nn.TransformerEncoder`: eager makes rows of different lengths of the batch.

    That is where the padding is at the end of each row: what is computed is the same
    but for the padding itself, which is 0 afterwards.
    """
    import torch
    from torch import nn

    is_causal = bool(is_causal)
    is_enabled = torch.backends.mha.get_fastpath_enabled() and module.use_nested_tensor
    usual, norm = nn.TransformerEncoder.forward, module.norm
    module.__dict__["use_nested_tensor"] = False
    is_plain = src.dim() != 3 or mask is not None or not is_enabled
    if is_plain or src_key_padding_mask is None:
        return usual(module, src, mask, src_key_padding_mask, is_causal)
    module.norm = None
    result = usual(module, src, None, src_key_padding_mask, is_causal)
    is_padding = src_key_padding_mask.bool()
    is_at_end = (is_padding[:, :-1] <= is_padding[:, 1:]).all()
    zero = torch.zeros((), dtype=result.dtype)
    result = torch.where((is_at_end & is_padding).unsqueeze(-1), zero, result)
    return result if norm is None else norm(result)


def decoder(
    module: Any,
    tgt: Any,
    memory: Any,
    tgt_mask: Any = None,
    memory_mask: Any = None,
    tgt_key_padding_mask: Any = None,
    memory_key_padding_mask: Any = None,
    tgt_is_causal: bool | None = None,
    memory_is_causal: bool = False,
) -> Any:
    """`nn.TransformerDecoder`, with its mask as it is, be it causal or not."""
    from torch import nn

    return nn.TransformerDecoder.forward(
        module,
        tgt,
        memory,
        tgt_mask,
        memory_mask,
        tgt_key_padding_mask,
        memory_key_padding_mask,
        bool(tgt_is_causal),
        memory_is_causal,
    )


FORWARDS: Mapping[str, Callable[..., Any]] = {
    "torch.nn.modules.transformer.TransformerEncoder": encoder,
    "torch.nn.modules.transformer.TransformerDecoder": decoder,
}
"""The full name of a class of torch -> its `forward`, given the module first."""
