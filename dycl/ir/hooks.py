"""The hooks that a call of a module runs, as its `dycl.object` records them.

    __hooks__ = {"before": [[hook, is given the keywords], ...], "after": [...],
                 "forward": what is called in between}

In between stands the object's own `forward` if the record does not say otherwise.
"""

from dataclasses import dataclass
from typing import Any, cast

from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef


@dataclass(frozen=True)
class Hook:
    """A function of the user's that torch calls before or after `forward`."""

    function: object
    with_keywords: bool


@dataclass(frozen=True)
class HookedCall:
    """What a call of a module with hooks runs, in order."""

    before: tuple[Hook, ...]
    forward: object
    after: tuple[Hook, ...]

    @staticmethod
    def of(environment: Environment, ref: ObjectRef) -> "HookedCall | None":
        """What a call of an object runs; None: it has no hooks.

        Raises NotEvaluated when its `forward` is not known.
        """
        hooks = cast(Any, environment.members(ref.path).get("__hooks__"))
        if hooks is None:
            return None
        before, after = (
            tuple(Hook(hook, with_keywords) for hook, with_keywords in hooks[when])
            for when in ("before", "after")
        )
        forward = hooks.get("forward") or environment.getattr(ref, "forward")
        return HookedCall(before, forward, after)


def unhooked(environment: Environment, ref: ObjectRef) -> ObjectRef:
    """What stands for a module of torch in a call of its `forward` alone."""
    call = HookedCall.of(environment, ref)
    forward = None if call is None else call.forward
    return forward if isinstance(forward, ObjectRef) else ref


WRONG_RESULT = "forward pre-hook must return None or a tuple of (new_args, new_kwargs)"
"""What torch says of a pre-hook with keywords that returns anything else."""
