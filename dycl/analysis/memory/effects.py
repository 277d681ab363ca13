"""What an op does besides giving its results: may it be run early, or be removed?"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from dycl.analysis.folding.iterators import ITERATORS
from dycl.ir import (
    BreakOp,
    CallOp,
    ContinueOp,
    InvokeOp,
    LeaveOp,
    RaiseOp,
    ReturnOp,
    TryOp,
    UnreachableOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.contexts import MANAGERS
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.library import UNFOLLOWED_ITERATOR, draws_numbers
from dycl.ir.number_functions import NUMPY
from dycl.ir.torch import VTensorType
from dycl.ir.values import GlobalRef, LoggerRef, ObjectRef
from dycl.ir.walking import walk
from dycl.support.reasons import FOREIGN, RANDOM, Reason

EXITS = (ReturnOp, BreakOp, ContinueOp, LeaveOp, RaiseOp)
"""Ends of a region that leave more than the op around it."""

_PURE_BUILTINS = frozenset(
    (
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "frozenset",
        "getattr",
        "hasattr",
        "hash",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "pow",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "type",
        "zip",
    )
)
# Functions of torch that change its state or the environment.
_TORCH_EFFECTS = (
    "manual_seed",
    "seed",
    "set_",
    "save",
    "load",
    "compile",
    "use_deterministic",
    "export",
    "jit",
    "autograd",
    "cuda",
    "hub",
    "distributed",
    "multiprocessing",
    "random",
)

_LOG_METHODS = ("debug", "info", "warning", "warn", "error", "critical", "fatal", "log")
HOST_FUNCTIONS = frozenset(
    ("builtins.print", "warnings.warn", *(f"logging.{name}" for name in _LOG_METHODS))
)
"""Functions that are called for what they do on the host; all of them give None."""


def host_effect(op: Operation, operands: Sequence[object]) -> str | None:
    """The full name of the host function that a call with these operands runs.

    For a logger's method it is `logging.Logger.<method>`. None: it is another call.
    """
    match op, operands:
        case CallOp(), [GlobalRef(name), *_]:
            pass
        case InvokeOp(), [GlobalRef(root), *_]:
            name = f"{root}.{op.method.data}"
        case InvokeOp(), [LoggerRef(), *_]:
            method = op.method.data
            return f"logging.Logger.{method}" if method in _LOG_METHODS else None
        case _:
            return None
    return name if name in HOST_FUNCTIONS else None


TEXT_OF = frozenset(f"builtins.{name}" for name in ("ascii", "format", "repr", "str"))
"""Functions that give an object's text."""


def is_pure_function(name: str) -> bool:
    """Whether calling an importable function, by full name, changes no state.

    True as well for torch's functions that write to an argument (`torch.relu_`).
    """
    root, _, rest = name.partition(".")
    if root == "builtins":
        return rest in _PURE_BUILTINS
    if name in MANAGERS or name in NUMPY or name in ("numpy.finfo", "numpy.iinfo"):
        return True
    if name in ITERATORS:
        return True
    if root == "torch":
        return not rest.startswith(_TORCH_EFFECTS)
    pure = ("functools.partial", "inspect.signature")
    return root in ("math", "operator", "cmath") or name in pure


def why_not_called(name: str) -> str | None:
    """Why a call of an importable function is not compiled; None: it may be."""
    if draws_numbers(name):
        return Reason(f"`{name}` draws random numbers", RANDOM)
    if name == "builtins.next":
        return UNFOLLOWED_ITERATOR
    if is_pure_function(name):
        return None
    return Reason(f"a call of `{name}` cannot be compiled", FOREIGN)


def writes_to_argument(name: str) -> bool:
    """By torch's convention: `relu_` and `add_` do; `out=` is another matter.

    `torch.ops.aten.add_.Tensor` has the name of the overload last.
    """
    parts = name.split(".")
    last = parts[-2] if name.startswith("torch.ops.") else parts[-1]
    return last.endswith("_") and not last.endswith("__")


def is_removable(op: Operation, environment: Environment) -> bool:
    """Whether an op may go if none of its results is used. Regions do not count.

    A call may go if it is known to be of a torch function, or of a leaf module,
    that writes to none of its arguments.
    """
    match op:
        case CallOp():
            return _is_removable_call(op, environment)
        case InvokeOp():
            method = op.method.data
            if _is_known_view(op, environment) or _is_text(op.receiver):
                return True
            on_tensor = isinstance(op.receiver.type, VTensorType)
            return on_tensor and not writes_to_argument(method) and _no_out(op)
        case _:
            return bool(op.results) and not op.regions and is_side_effect_free(op)


def is_effect_free(op: Operation) -> bool:
    """Whether nothing inside an op's regions does more than end them, or may fail.

    What leaves more than the op does more.
    """
    return all(
        _ends_inside(inner, op)
        or (bool(inner.regions) and not isinstance(inner, TryOp))
        or is_side_effect_free(inner)
        for inner in walk(op)
    )


def _ends_inside(end: Operation, op: Operation) -> bool:
    """Whether an op hands over to `op`, or to one inside, or is never reached."""
    if not isinstance(end, RegionTerminator) or isinstance(end, UnreachableOp):
        return isinstance(end, UnreachableOp)
    return end.target is not None and op.is_ancestor(end.target)


def _is_removable_call(op: CallOp, environment: Environment) -> bool:
    if not _no_out(op):
        return False
    match constant_value(op.callee):
        case GlobalRef(name):
            if any(map(_is_shared_iterator, op.arguments)):
                return False
            if draws_numbers(name):
                return True  # a network does not seed, or ask, what it draws from
            in_place = _may_be_in_place(op, name)
            pure = is_pure_function(name) and not writes_to_argument(name)
            return pure and not in_place
        case ObjectRef(path):
            if not environment.is_leaf(path):
                return False
            members = environment.members(path)
            # In training, batch norm counts its batches and dropout draws numbers.
            return not members.get("inplace") and not members.get("training")
        case _:
            return False


def _is_shared_iterator(value: SSAValue) -> bool:
    """Whether a reader of an iterator leaves less of it for another reader."""
    call = value.owner
    iterates = isinstance(call, CallOp) and constant_name(call.callee) in ITERATORS
    return iterates and not value.has_one_use()


def _may_be_in_place(op: CallOp, function: str) -> bool:
    """Whether an argument is `inplace=True`, by name or by position."""
    by_name = dict(op.keyword_arguments)
    argument = by_name.get("inplace")
    place = IN_PLACE_POSITIONS.get(function.removeprefix("torch.nn.functional."))
    if op.is_starred:
        return place is not None
    if argument is None and place is not None and place < len(op.positional):
        argument = op.positional[place]
    return argument is not None and constant_value(argument) is not False


IN_PLACE_POSITIONS = {
    **dict.fromkeys(
        ("hardsigmoid", "hardswish", "mish", "relu", "relu6", "selu", "silu"), 1
    ),
    **dict.fromkeys(("celu", "elu", "leaky_relu"), 2),
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d"), 3),
    **dict.fromkeys(("alpha_dropout", "feature_alpha_dropout"), 3),
    **dict.fromkeys(("_threshold", "threshold", "hardtanh"), 3),
    "rrelu": 4,
}
"""A function of `torch.nn.functional` -> which of its arguments is `inplace`."""


def _is_known_view(op: InvokeOp, environment: Environment) -> bool:
    """Whether this is what a loop over a ModuleDict, or a dict, has left behind."""
    if op.method.data not in _VIEWS or op.arguments:
        return False
    receiver = constant_value(op.receiver)
    if isinstance(receiver, dict):
        return op.method.data in _VIEWS_OF_DICTS
    return isinstance(receiver, ObjectRef) and isinstance(
        environment.items(receiver.path), (dict, list)
    )


_VIEWS_OF_DICTS = ("items", "keys", "values")
_VIEWS = (*_VIEWS_OF_DICTS, "children", "named_children")


def _is_text(value: SSAValue) -> bool:
    return isinstance(constant_value(value), str)


def _no_out(op: CallOp | InvokeOp) -> bool:
    return "out" not in op.keyword_names


def exits(op: Operation) -> bool:
    """Whether an op ends its region by leaving more than the op around it."""
    return isinstance(op, EXITS)
