"""The model that a network is checked against: is it the one that was compiled?"""

import copy
import re
from collections.abc import Mapping
from typing import Any

from dycl.checking.program import CheckError, Net
from dycl.checking.values import compare

_MISSING = object()


class Model:
    """A module, a function or an exported program, to be run in eager."""

    def __init__(self, model: Any):
        """CheckError: it is in training mode, or cannot be called."""
        self.is_exported = hasattr(model, "graph_module") and hasattr(model, "module")
        self._tensors: dict[str, Any] = {}
        """Parameters, buffers and constants, by name."""
        if self.is_exported:
            self._tensors = {**model.state_dict, **model.constants}
        self.run: Any = model.module() if self.is_exported else model
        """What is called."""
        if not callable(self.run):
            raise CheckError(f"a {type(model).__name__} is not a model to compare with")
        if hasattr(model, "named_modules"):
            training = next((p for p, m in model.named_modules() if m.training), None)
            if training is not None:
                which = f"`{training}`" if training else "the model"
                raise CheckError(
                    f"{which} is in training mode, and the network is compiled for "
                    "inference: call model.eval() first"
                )
            self._tensors = {
                **dict(model.named_parameters(remove_duplicate=False)),
                **dict(model.named_buffers(remove_duplicate=False)),
            }

    def check_weights(self, net: Net) -> None:
        """CheckError: the weights of the network are others."""
        missing: list[str] = []
        for name, weight in net.weights.items():
            mine = self._tensor(name)
            if mine is None:
                missing.append(name)
                continue
            leaf = compare(weight, mine.detach(), name)[0]
            if leaf.wrong:
                raise CheckError(
                    f"the weight `{name}` of the network is {leaf.wrong} as in the "
                    "model: it was compiled from another model"
                )
            if leaf.error is not None and leaf.error.absolute:
                raise CheckError(
                    f"the weight `{name}` of the network is not that of the model: "
                    "give the model the same weights (load_state_dict), or the network "
                    "the model's (load_weights)"
                )
        if missing and self._tensors and len(missing) == len(net.weights):
            raise CheckError(
                f"the model has no weight `{missing[0]}`, as the network has: it was "
                "compiled from another model"
            )

    def weights_for(self, net: Net) -> Mapping[str, Any]:
        """The weights of the network; of the model those that it was saved without.

        CheckError: the model lacks one of these.
        """
        result = dict(net.weights)
        for name in net.weight_set.left_out:
            if (tensor := self._tensor(name)) is None:
                raise CheckError(
                    f"the network was saved without the weight `{name}`, and the model "
                    "has none of that name"
                )
            result[name] = tensor.detach()
        return result

    def check_state(self, state: Mapping[str, Any]) -> None:
        """CheckError: the attributes are not as they were when it was compiled.

        From here on calls change a copy of the model.
        """
        self.run = copy.deepcopy(self.run)
        for name, value in state.items():
            mine = self._as_kept(self.attribute(name), value)
            if mine is _MISSING:
                continue
            if not all(leaf.within(0.0) for leaf in compare(value, mine, name)):
                raise CheckError(
                    f"the attribute `{name}` of the model is not as it was when the "
                    "network was compiled: give a model that has not been called since"
                )

    def left(self, state: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
        """Name, value in the network, value in the model, of all state after a call."""
        found = (
            (name, value, self._as_kept(self.attribute(name), value))
            for name, value in state.items()
        )
        return [one for one in found if one[2] is not _MISSING]

    def attribute(self, path: str) -> Any:
        """What is at `a.b.0.c` of the model; a value of its own where there is none."""
        value = self.run
        for part in path.split("."):
            try:
                value = getattr(value, part)
            except AttributeError:
                try:
                    value = value[int(part)]
                except (TypeError, ValueError, LookupError):
                    return _MISSING
        return value

    def _as_kept(self, mine: Any, value: object) -> Any:
        """A module or object of the model as a network's state has it: by its path.

        Of objects that are made while it runs, the number behind the class is ours.
        """
        if not isinstance(value, str) or not value.startswith("@"):
            return mine
        if mine is None or mine is _MISSING or isinstance(mine, str):
            return mine
        modules = self.run.named_modules() if hasattr(self.run, "named_modules") else ()
        if any(one is mine and value == f"@{name}" for name, one in modules):
            return value
        made = f"@made {type(mine).__name__}"
        return value if re.sub(r"_\d+$", "", value) == made else repr(mine)

    def _tensor(self, name: str) -> Any:
        """A weight by its name; None: it has none of this name."""
        if (tensor := self._tensors.get(name)) is not None:
            return tensor
        found = self.attribute(name)
        return found if hasattr(found, "detach") else None
