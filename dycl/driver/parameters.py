"""The parameters and buffers of a model, as what a compiled network is given."""

from collections.abc import Mapping
from typing import Any

from dycl.runtime.dtypes import array_of_tensor
from dycl.runtime.weights import parts_of


def arrays_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """The weights as NumPy arrays of their own: later training changes no artifact."""
    result: dict[str, Any] = {}
    for name, tensor in params.items():
        try:
            result[name] = array_of_tensor(tensor.detach().cpu().contiguous()).copy()
        except TypeError:
            continue  # a dtype that no host holds: a network that uses it is refused
    return result


def aliases_of(model: Any, params: Mapping[str, Any]) -> dict[str, str]:
    """Second names of weights that a model has under two -> the one in `params`."""
    if not hasattr(model, "named_modules"):
        return {}
    paths = {id(tensor): path for path, tensor in params.items()}
    named = [
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False),
    ]
    pairs = [(name, paths.get(id(tensor))) for name, tensor in named]
    first: dict[int, str] = {}
    for name, tensor in named:
        if tensor.is_complex():
            own = parts_of(first.setdefault(id(tensor), name))
            pairs += [
                (key, path)
                for (_, key), (_, path) in zip(parts_of(name), own, strict=True)
                if path in params
            ]
    return {name: path for name, path in pairs if path and path != name}
