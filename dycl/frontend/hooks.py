"""What torch does around the `forward` of a module: hooks, and weights made anew.

`torch.nn.Module.__call__` runs forward pre-hooks, `forward`, forward hooks. Weight
normalisation, old style, is a pre-hook that sets the weight; as a parametrisation it
is a property of a class that torch makes. Both give the same weight each time, so it is
computed here. Backward hooks do nothing without gradients.
"""

from collections.abc import Iterator
from typing import Any, cast

from dycl.ir.values import UnsupportedRef

_REWEIGHTING = {
    "torch.nn.utils.weight_norm.WeightNorm": ("_g", "_v"),
    "torch.nn.utils.spectral_norm.SpectralNorm": ("_orig", "_u", "_v"),
}
"""Classes of pre-hooks that set a weight -> what they make it of."""
_PARAMETRISATIONS = "torch.nn.utils.parametrizations"


class Hooks:
    """The hooks of one module, those for all modules included, in torch's order."""

    def __init__(self, module: Any):
        from torch.nn.modules import module as torchs

        known = cast(Any, torchs)
        self._module = module
        self._global_before = known._global_forward_pre_hooks
        self._global_after = known._global_forward_hooks
        self._global_keywords = known._global_forward_hooks_with_kwargs
        self._global_always = known._global_forward_hooks_always_called

    def before(self) -> Iterator[tuple[Any, bool]]:
        """Pre-hooks, and whether each is given the keyword arguments too.

        A user's parametrisation, which would run before them, is an UnsupportedRef.
        """
        module = self._module
        for step in parametrisations(module):
            if type(step).__module__ != _PARAMETRISATIONS:
                name = type(step).__name__
                yield (
                    UnsupportedRef(f"a weight that `{name}` makes in each call"),
                    False,
                )
        with_keywords = module._forward_pre_hooks_with_kwargs
        hooks = {**self._global_before, **module._forward_pre_hooks}
        for key, hook in hooks.items():
            if _class_of(hook) not in _REWEIGHTING:
                yield hook, key in with_keywords

    def after(self) -> Iterator[tuple[Any, bool]]:
        """Hooks, and whether each is given the keyword arguments too.

        One that is called after an exception as well is an UnsupportedRef.
        """
        module = self._module
        with_keywords = {**self._global_keywords, **module._forward_hooks_with_kwargs}
        always = {**self._global_always, **module._forward_hooks_always_called}
        for key, hook in {**self._global_after, **module._forward_hooks}.items():
            why = "a forward hook with `always_call=True`, which exceptions run too"
            captured = UnsupportedRef(why) if key in always else hook
            yield captured, key in with_keywords


def made_weights(module: Any) -> dict[str, object]:
    """The weights that torch makes anew for each call, and what they are made of.

    The former as tensors, the latter as UnsupportedRef: a network that changes them
    would change the weight, which is computed now.
    """
    import torch

    result: dict[str, object] = {}
    with torch.no_grad():
        for hook in module._forward_pre_hooks.values():
            parts = _REWEIGHTING.get(_class_of(hook))
            if parts is None:
                continue
            name = hook.name
            options = (False,) if "_orig" in parts else ()
            result[name] = hook.compute_weight(module, *options).detach()
            for part in parts:
                why = f"what `{name}` is normalised from"
                result[name + part] = UnsupportedRef(why)
        if is_parametrised(module):
            for name in module.parametrizations:
                result[name] = getattr(module, name).detach()
            result["parametrizations"] = UnsupportedRef("a module of parametrisations")
    return result


def parametrisations(module: Any) -> list[Any]:
    """The modules that a parametrised module's weights go through."""
    if not is_parametrised(module):
        return []
    return [step for steps in module.parametrizations.values() for step in steps]


def is_parametrised(module: Any) -> bool:
    """Whether torch has made a class for this module alone."""
    own = type(module).__module__ == "torch.nn.utils.parametrize"
    return own and "parametrizations" in module._modules


def _class_of(hook: object) -> str:
    return f"{type(hook).__module__}.{type(hook).__qualname__}"
