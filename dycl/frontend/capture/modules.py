"""What torch keeps of a module: its tables, its hooks, the weights it makes."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

from dycl.frontend.capture.attributes import Attributes
from dycl.frontend.capture.classes import class_name, is_torchs
from dycl.frontend.hooks import Hooks, made_weights
from dycl.frontend.lookup import TABLES, find
from dycl.ir.environment import own_of_module
from dycl.ir.objects import full_name
from dycl.ir.values import ObjectRef, UnsupportedRef

_CONTAINERS = (
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterDict",
    "ParameterList",
)


class Modules(Attributes):
    """The members of modules that are not attributes of theirs."""

    def __init__(self, function_symbol: Callable[[Any], str]):
        super().__init__(function_symbol)
        self._made: dict[int, dict[str, object]] = {}

    def _module_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        cls = self._class_of(path, target)
        leaf = self._leaf_class(path, target)
        if leaf is not None:
            found["__leaf__"] = class_name(leaf)
        kind = next((k for k in _CONTAINERS if self._is(target, k)), None)
        if kind == "ModuleDict":
            found["__items__"] = {
                k: self.value(m, f"{path}.{k}") for k, m in target._modules.items()
            }
        elif kind == "ParameterDict":
            found["__items__"] = {
                k: self.value(target[k], f"{path}.{k}") for k in target
            }
        elif kind == "ParameterList":
            found["__items__"] = [
                self.value(v, f"{path}.{i}") for i, v in enumerate(target)
            ]
        elif kind is not None:
            found["__items__"] = [
                self.value(m, f"{path}.{i}") for i, m in enumerate(target)
            ]

        hidden = {
            name: self.value(value, full_name(path, name))
            for table in TABLES
            for name, value in vars(target)[table].items()
            if (seen := find(target, name, cls)) is None or seen.place != "table"
        }
        if hidden:
            found["__hidden__"] = hidden
        if "__getattr__" in found:  # the user's may ask torch's
            found |= {own_of_module(name): value for name, value in hidden.items()}

    def _made_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        """The weights that torch computes anew in each call."""
        if id(target) not in self._made:
            self._made[id(target)] = made_weights(target)
        for name, weight in self._made[id(target)].items():
            found[name] = self.value(weight, full_name(path, name))

    def _hook_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        """The hooks, and what stands for a torch module that is called without them."""

        def hook(value: object, name: str) -> object:
            found = self.value(value, full_name(path, name))
            if isinstance(found, UnsupportedRef) and found is not value:
                return UnsupportedRef(f"a forward hook that is {found.reason}")
            return found

        hooks = Hooks(target)
        recorded = {
            when: [
                [hook(one, f"hook {when} {i}"), with_keywords]
                for i, (one, with_keywords) in enumerate(each)
            ]
            for when, each in (("before", hooks.before()), ("after", hooks.after()))
        }
        if not any(recorded.values()):
            return
        found["__hooks__"] = recorded
        if "forward" not in found:
            cls = next(c for c in self._class_of(path, target).__mro__ if is_torchs(c))
            view = f"{path}<{cls.__name__}>"
            self.objects.setdefault(view, target)
            self.views[view] = cls
            self._unhooked.add(view)
            recorded["forward"] = cast(Any, ObjectRef(view))

    def _super_call(self, target: Any, cls: type, found: dict[str, object]) -> None:
        """`super().__call__(x)` in a `__call__` of the user's: torch's calls `forward`.

        Nothing where hooks would run.
        """
        owners = [c for c in cls.__mro__ if "__call__" in vars(c)]
        if "forward" not in found or len(owners) < 2:
            return
        hooks = Hooks(target)
        if any((*hooks.before(), *hooks.after())):
            return
        for owner, following in pairwise(owners):
            if following is self._torch.nn.Module:
                found[f"super({class_name(owner)}).__call__"] = found["forward"]

    def _is(self, target: Any, kind: str) -> bool:
        return isinstance(target, getattr(self._torch.nn, kind))

    def _leaf_class(self, path: str, target: Any) -> type | None:
        """The torch class that a call of this module runs, or None for the user's."""
        cls = self._class_of(path, target)
        if self._opened(path, target, cls):
            return None
        forward = cast(Any, cls).forward
        if path not in self.views and (found := find(target, "forward", cls)):
            forward = found.value
        module = getattr(forward, "__module__", "")
        if module.partition(".")[0] != "torch" or any(
            self._is(target, k) for k in _CONTAINERS
        ):
            return None
        return next(c for c in cls.__mro__ if is_torchs(c))
