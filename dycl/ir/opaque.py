"""What modules are whose `forward` is not as the user wrote it, and what to do then."""

SCRIPTED = "TorchScript, which has no Python source"
COMPILED = "the result of torch.compile"
LAZY = "a lazy module that has seen no input"

WIDE = "an integer of more than 64 bits"

_ORIGINAL = "use the torch.nn.Module that it was made from"
_REMEDIES = {
    SCRIPTED: _ORIGINAL,
    COMPILED: _ORIGINAL,
    LAZY: "call the model once on an example, before it is compiled",
}


def remedy(reason: str, other: str) -> str:
    """What to do about such a module, or number; `other` for any other reason."""
    if reason.endswith(WIDE):
        return "use a float, or an integer of 64 bits"
    return _REMEDIES.get(reason, other)
