"""Abstract values and torch's fake tensors, each made of the other; ops run on them.

Fake tensors have shapes, dtypes and aliases, and no elements. Sizes that depend on the
input are torch's own symbols while one reckons with them
(`dycl.analysis.dynamic_sizes.sizes`). torch is imported where a tensor is made.
"""

import logging
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.sizes import DEPENDS_ON_VALUES, current
from dycl.analysis.tensors import leaf_modules, literals, padding, row_pools, spaced
from dycl.analysis.tensors.abstract import (
    Dim,
    Scalar,
    Tensor,
    Unknown,
    is_container,
    leaves,
    map_leaves,
    sizes_of,
)
from dycl.analysis.tensors.cells import cell
from dycl.analysis.tensors.counted_dims import from_the_front
from dycl.analysis.tensors.memo import note_failure
from dycl.ir import CallOp, GetattrOp, InvokeOp
from dycl.ir.arrays import array_constant, is_numpys
from dycl.ir.dtypes import element_type_of, torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.library import UNFOLLOWED_ITERATOR
from dycl.ir.semantics import evaluate
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import (
    DeviceRef,
    GlobalRef,
    ObjectRef,
    ParamRef,
    TensorConstant,
    is_class_of_sizes,
)
from dycl.support.reasons import EAGER_RAISES, FOREIGN, Reason


def run_on_tensors(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    tensor: Callable[[str, ParamRef], object],
) -> list[object]:
    """The results of an op on real or fake tensors; leaf modules are rebuilt.

    `tensor` gives a leaf module's parameters by local name. Raises what Python raises.
    """
    if isinstance(op, (CallOp, InvokeOp)) and isinstance(operands[0], ObjectRef):
        module = leaf_modules.build(environment, operands[0].path, tensor)
        # Not by a call: hooks of all modules are calls of the program's own.
        function = module.forward
        if current() is not None:
            function = cell(module) or function
        args, kwargs = split_arguments(op, operands[1:], environment)
        return [
            function(
                *(environment.resolve(a) for a in args),
                **{key: environment.resolve(a) for key, a in kwargs.items()},
            )
        ]
    own = _own_form(operands)
    if own is not None and isinstance(op, CallOp):
        args, kwargs = split_arguments(op, operands[1:], environment)
        named = {key: environment.resolve(value) for key, value in kwargs.items()}
        args = [environment.resolve(value) for value in args]
        if current() is not None or _cuts_edge(own, args, named):
            return [own(*args, **named)]
    if literals.is_of_tensors(op, operands):
        args, kwargs = split_arguments(op, operands[1:], environment)
        named = {key: environment.resolve(value) for key, value in kwargs.items()}
        args = [environment.resolve(value) for value in args]
        return [literals.tensor(*cast("Any", args), **cast("Any", named))]
    is_data = isinstance(op, GetattrOp) and op.attribute.data == "data"
    if is_data and hasattr(operands[0], "untyped_storage"):
        # Fake tensors have no `data`; without gradients it is the same as `detach()`.
        return [cast("Any", operands[0]).detach()]
    return evaluate(op, from_the_front(op, operands), environment)


def _own_form(operands: Sequence[object]) -> Callable[..., Any] | None:
    """What stands for a function of torch's that takes known sizes only."""
    callee = operands[0] if operands else None
    return _OWN_FORMS.get(callee.name) if isinstance(callee, GlobalRef) else None


def _cuts_edge(own: object, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
    return own is padding.pad and padding.cuts_edge(*args, **named)


_OWN_FORMS: dict[str, Callable[..., Any]] = {
    padding.NAME: padding.pad,
    spaced.NAME: spaced.linspace,
    **dict.fromkeys(row_pools.NAMES, row_pools.max_pool1d),
}


def needs_torch(op: Operation, operands: Sequence[object]) -> bool:
    """Whether an op on these operands is torch's work.

    An object that is not called is handed on, or compared.
    """
    if isinstance(op, (CallOp, InvokeOp)) and isinstance(operands[0], ObjectRef):
        return True
    return any(
        isinstance(leaf, (Tensor, TensorConstant, DeviceRef))
        or (isinstance(leaf, GlobalRef) and leaf.name.startswith("torch."))
        for tree in operands
        for leaf in leaves(tree)
    )


@cache
def fake_mode() -> Any:
    """The one mode in which all fake tensors are made."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode()


def evaluation_mode() -> Any:
    """The mode to run an op in: that of the sizes that are reckoned with, if any."""
    symbols = current()
    return fake_mode() if symbols is None else symbols.mode


@contextmanager
def quiet() -> Generator[None]:
    """Keep torch from printing the tracebacks of what we try and report ourselves."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def concrete(leaf: object, sample: dict[str, Any]) -> object:
    """A value to run an op on, made inside `fake_mode()`."""
    match leaf:
        case Tensor():
            import torch

            dtype = torch_dtype(leaf.dtype)
            if leaf.is_static:
                return torch.empty_strided(leaf.sizes, leaf.strides, dtype=dtype)
            shape = [_size_now(size) for size in leaf.shape]
            return torch.empty(cast(Any, shape), dtype=dtype)
        case Scalar(kind, size):
            if size is not None and current() is not None:
                return _size_now(size)
            return sample[kind]
        case _:
            return leaf


def _size_now(size: int | Dim) -> Any:
    symbols = current()
    if isinstance(size, int):
        return size
    assert symbols is not None
    return symbols.size(size)


def _abstract_size(size: Any) -> int | Dim:
    """An int, or the text of what torch reckons with."""
    symbols = current()
    if type(size).__name__ != "SymInt":
        return int(size)
    assert symbols is not None
    return symbols.text(size)


def abstracted(value: object) -> object:
    """The abstract value of what an op gave; containers leaf by leaf."""
    if is_container(value):
        return map_leaves(value, abstracted)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value).__module__.startswith("dycl."):
        return value
    if is_numpys(value) and (number := array_constant(value)) is not None:
        return number
    fake = cast(Any, value)
    match type(value).__name__:
        case "FakeTensor" | "Tensor" | "Parameter":
            try:
                dtype = element_type_of(fake.dtype)
            except KeyError:
                return Unknown(f"tensors of {fake.dtype} cannot be compiled")
            shape = tuple(_abstract_size(size) for size in fake.shape)
            strides = tuple(_abstract_size(step) for step in fake.stride())
            if any(isinstance(size, Dim) for size in (*shape, *strides)):
                return Tensor.contiguous(shape, dtype)
            return Tensor(shape, dtype, cast("tuple[int, ...]", strides))
        case "SymInt":
            size = _abstract_size(fake)
            return size if isinstance(size, int) else Scalar("int", size)
        case "type" if is_class_of_sizes(value):
            return GlobalRef("torch.Size")
        case "dtype" | "layout" | "memory_format":
            return GlobalRef(str(fake))
        case "device":
            return DeviceRef(str(fake))
        case "Size":
            sizes = tuple(map(_abstract_size, cast("tuple[object, ...]", value)))
            if not any(isinstance(size, Dim) for size in sizes):
                return value
            return sizes_of(
                Scalar("int", size) if isinstance(size, Dim) else size for size in sizes
            )
        case "type":
            return Unknown(f"the class `{fake.__name__}` is used as a value here")
        case _ if isinstance(value, Iterator):
            return Unknown(UNFOLLOWED_ITERATOR)
        case kind:
            return Unknown(f"a value of type {kind} cannot be compiled")


def explain(error: Exception) -> str:
    """What went wrong, in one line of the user's terms."""
    note_failure(error)
    match type(error).__name__:
        case "DataDependentOutputException":
            return "the value of a tensor is needed to know the type of the result"
        case "DynamicOutputShapeException":
            return DEPENDS_ON_VALUES
        case "GuardOnDataDependentSymNode":
            return _RELATED_BY_VALUES
        case "ModuleNotFoundError":
            name = cast(str, cast(Any, error).name)
            what = f"there is no `{name}`"
            # Other libraries may be there where the network is meant to run.
            is_torch = name.partition(".")[0] == "torch"
            return Reason(what, EAGER_RAISES) if is_torch else what
        case "KeyError" if type(error.args[0]).__name__ == "dtype":
            return f"there is no such operation of tensors of {error.args[0]}"
        case "UnsupportedOperatorException":
            return f"torch cannot tell the result's shape: {error}"
        case _:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            if "data is not allocated yet" in lines[0]:
                return _VALUES_OF_TENSORS
            if _EXPANDED_TO_OPEN.search(lines[0]):
                return _RELATED_BY_VALUES
            if ".numpy() is not supported" in lines[0]:
                return Reason(_NUMPY, FOREIGN)
            text = lines[0].replace("FakeTensor", "Tensor")
            text = _EXPECTED_ONE_OF.sub(r": \1", text)
            return said_by(error, text)


def said_by(error: Exception, text: str) -> str:
    """The reason that an exception of Python's is; a dict's says the key alone."""
    if isinstance(error, KeyError):
        return Reason(f"KeyError: {text}", EAGER_RAISES)
    return Reason(text, EAGER_RAISES) if isinstance(error, AttributeError) else text


_EXPECTED_ONE_OF = re.compile(r" - got (\(.*\)), but expected one of:$")
_EXPANDED_TO_OPEN = re.compile(r"expand a dimension of length .*s\d+.*!")
_NUMPY = (
    "`.numpy()` of a tensor is not compiled: its elements, also those of weights, are "
    "known when the network runs"
)
_RELATED_BY_VALUES = (
    "how a size relates to another one depends on the values of a tensor"
)
_VALUES_OF_TENSORS = (
    "the values of tensors are needed here; make one tensor of several by "
    "`torch.stack([...])`, or of numbers: `torch.tensor([x.item(), ...])`"
)


def version_of(value: object) -> int:
    """How often a tensor was written to; 0 for anything else."""
    return cast(Any, value)._version if hasattr(value, "_version") else 0


def storage_of(value: object) -> object:
    """What tensors that share memory have in common; None for anything else."""
    if not hasattr(value, "untyped_storage"):
        return None
    return cast(Any, value).untyped_storage()._cdata
