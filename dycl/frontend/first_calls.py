"""What a library does to a model in its first call, so that later ones find it done.

transformers puts hooks on the layers of a model when it is first asked for hidden
states or attentions (`output_hidden_states=True`). The hooks do nothing in calls that
do not ask for any, and are never put there twice. So the model is read as it is behind
that first call, once a program has asked for the function that puts them there; then it
is given back as it was.
"""

from collections.abc import Callable, Collection
from typing import Any, cast

from dycl.ir.library import resolve_global

_STEPS: dict[str, str] = {
    "transformers.utils.output_capturing.maybe_install_capturing_hooks": (
        "transformers.modeling_utils.PreTrainedModel"
    ),
}
"""Functions that are called with a module and give nothing, and do nothing if they have
been; the class of the modules that they are for."""


class FirstCall:
    """What the first call of one model does, as far as a program is known to ask it."""

    def __init__(self, model: Any):
        self._model = model
        self._done: set[str] = set()
        self._before: list[tuple[Any, dict[str, Any]]] = []

    @property
    def is_done(self) -> bool:
        """Whether the model is not as it was given."""
        return bool(self._done)

    def settle(self, asked: Collection[str]) -> bool:
        """Do what these functions do; whether that was something.

        Raises what they raise.
        """
        due = [name for name in _STEPS if name in asked and name not in self._done]
        modules = self._modules() if due else []
        if due and not self._before:
            self._before = [(m, _members(m)) for m in modules]
        for name in due:
            self._done.add(name)
            step = cast(Callable[[Any], object], resolve_global(name))
            for module in modules:
                if isinstance(module, cast(type, resolve_global(_STEPS[name]))):
                    step(module)
        return bool(due)

    def undo(self) -> None:
        """Give the model back as it was."""
        for module, before in self._before:
            now = vars(module)
            for name in [name for name in now if name not in before]:
                del now[name]
            for name, value in before.items():
                if name.endswith("_hooks"):
                    now[name].clear()
                    now[name].update(value)
        self._before.clear()
        self._done.clear()

    def _modules(self) -> list[Any]:
        """From the model down: who is above goes first, and does it for all below."""
        from torch import nn

        model = self._model
        return list(model.modules()) if isinstance(model, nn.Module) else []


def _members(module: Any) -> dict[str, Any]:
    """The attributes of a module, and which hooks it has."""
    return {
        name: dict(value) if name.endswith("_hooks") else value
        for name, value in vars(module).items()
    }
