"""What a model and its example inputs must be before they are compiled."""

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute

from dycl.diag import CompileError, CompileErrors
from dycl.frontend.opaque import why_opaque
from dycl.ir.dtypes import element_type
from dycl.ir.opaque import remedy
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType


def check_model(model: Any) -> None:
    """CompileErrors: in training mode, or no Python source. TypeError: no model."""
    if isinstance(model, type):
        raise TypeError(
            f"{model.__name__} is a class, not a model: compile an instance of it, "
            f"{model.__name__}(...).eval()"
        )
    if not callable(model):
        raise TypeError(f"{type(model).__name__} is not a model: it cannot be called")
    named_modules: Any = getattr(model, "named_modules", None)
    if named_modules is None:
        return
    if (why := why_opaque(model)) is not None:
        what = f"the model is {why}"
        raise CompileErrors([CompileError("DY110", what, hint=remedy(why, ""))])
    training = [path for path, m in named_modules() if m.training]
    if training:
        which = "the model" if training[0] == "" else f"`{training[0]}`"
        raise CompileErrors(
            [
                CompileError(
                    "DY120",
                    f"{which} is in training mode; DyCL compiles inference",
                    hint="call model.eval() first",
                )
            ]
        )


def example_types(inputs: Sequence[Any]) -> list[Attribute]:
    """The types of example inputs, in order.

    TypeError: `inputs` is no sequence, or one is neither tensor, array nor number.
    """
    if not isinstance(inputs, (tuple, list)):
        raise TypeError(
            "the inputs are given as a tuple: dycl.compile(model, (x,)), not "
            f"dycl.compile(model, x) with a {type(inputs).__name__}"
        )
    return [_type_of(value, index) for index, value in enumerate(inputs)]


def _type_of(value: Any, index: int) -> Attribute:
    if isinstance(value, bool):
        return BoolT
    if isinstance(value, int):
        return IntT
    if isinstance(value, float):
        return FloatT
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        name = str(value.dtype).removeprefix("torch.")
        try:
            return VTensorType.of([int(s) for s in value.shape], element_type(name))
        except KeyError:
            raise TypeError(f"input {index} has the dtype {name}") from None
    raise TypeError(
        f"input {index} is a {type(value).__name__}; a network takes tensors, arrays, "
        "int, float and bool"
    )
