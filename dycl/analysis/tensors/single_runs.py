"""What one op does to abstract values where every number is known, by running it.

It runs on small tensors where these say all there is to say, else on fake ones. torch
is imported for ops on tensors.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.sizes import current
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.analysis.tensors.failures import raised_by_eager
from dycl.analysis.tensors.fakes import (
    abstracted,
    concrete,
    evaluation_mode,
    needs_torch,
    quiet,
    run_on_tensors,
    storage_of,
    version_of,
)
from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tensors.running_statistics import written_statistics
from dycl.analysis.tensors.small_tensors import (
    SmallTensors,
    tells_no_elements,
)
from dycl.ir import CallOp
from dycl.ir.dtypes import torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global
from dycl.ir.semantics import evaluate
from dycl.ir.values import GlobalRef, ParamRef

SAMPLES: tuple[dict[str, Any], ...] = (
    {"int": 2, "float": 0.7310585786300049, "bool": True, "str": "a"},
    {"int": 3, "float": 1.6180339887498949, "bool": False, "str": "bc"},
)
"""Numbers and texts to stand for one that depends on the input."""


def run(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    sample: dict[str, Any],
) -> Outcome:
    """Run the op, with the numbers of `sample` for open ones.

    Raises what the op does on fake tensors, or on all real ones of these types.
    """
    if not needs_torch(op, operands):
        plain = map_leaves(tuple(operands), lambda leaf: concrete(leaf, sample))
        results = evaluate(op, cast("tuple[object, ...]", plain), environment)
        return Outcome(tuple(map_leaves(tree, abstracted) for tree in results))
    import torch

    if (known := _of_class(op, operands)) is not None:
        return Outcome((known,))
    result = None if current() else run_small(op, operands, environment, sample)
    if result is not None:
        return result

    def parameter(_: str, ref: ParamRef) -> object:
        return concrete(Tensor.contiguous(ref.shape, ref.dtype), SAMPLES[0])

    with evaluation_mode(), torch.no_grad(), quiet():
        numbers = _different(sample)
        given = map_leaves(tuple(operands), lambda leaf: concrete(leaf, numbers(leaf)))
        result = _run_on(op, given, environment, parameter)
    error = raised_by_eager(op, operands, environment, result.results)
    if error is not None:
        raise error
    return result


def run_small(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    sample: dict[str, Any],
) -> Outcome | None:
    """What the op does to small tensors; None: that does not say it."""
    import torch

    small = SmallTensors.of(op, operands, environment)
    if small is None:
        return None
    numbers = _different(sample)
    given = small.given(lambda leaf: concrete(leaf, numbers(leaf)))
    try:
        with small.only_plain(), torch.no_grad(), quiet():
            result = _run_on(op, given, environment, small.parameter)
    except Exception:
        return None  # If anything is wrong, fake tensors say what it is.
    results = [leaf for tree in result.results for leaf in leaves(tree)]
    views = {i for i, _ in result.aliases}
    new = [x for i, x in enumerate(results) if isinstance(x, Tensor) and i not in views]
    is_complete = tells_no_elements(op, results) and small.says_strides(new)
    return result if is_complete else None


def run_on_nothing(
    op: Operation, operands: Sequence[object], environment: Environment
) -> tuple[object, ...] | None:
    """What an op gives of its one tensor, if it is empty; None: it is not.

    Fake tensors do not refuse the largest element of nothing, raise where eager does
    not (`upsample_nearest2d`), or have another shape (`pixel_unshuffle`). Raises what
    torch raises.
    """
    tensors = [x for tree in operands for x in leaves(tree) if isinstance(x, Tensor)]
    if len(tensors) != 1 or 0 not in tensors[0].shape or not needs_torch(op, operands):
        return None
    import torch

    def real(leaf: object) -> object:
        if isinstance(leaf, Tensor):
            return torch.empty(leaf.sizes, dtype=torch_dtype(leaf.dtype))
        return concrete(leaf, SAMPLES[0])

    def parameter(_: str, ref: ParamRef) -> object:
        return torch.zeros(ref.shape, dtype=torch_dtype(ref.dtype))

    with torch.no_grad():
        given = map_leaves(tuple(operands), real)
        results = run_on_tensors(
            op, cast("tuple[object, ...]", given), environment, parameter
        )
        return tuple(map_leaves(tree, abstracted) for tree in results)


def _run_on(
    op: Operation,
    given: object,
    environment: Environment,
    parameter: Callable[[str, ParamRef], object],
) -> Outcome:
    """Run the op on real or fake tensors."""
    params: list[tuple[object, int]] = []

    def noted(name: str, ref: ParamRef) -> object:
        value = parameter(name, ref)
        params.append((value, version_of(value)))
        return value

    inputs = list(leaves(given))
    versions = [version_of(value) for value in inputs]
    results = run_on_tensors(op, cast("tuple[object, ...]", given), environment, noted)
    written = {i for i, v in enumerate(versions) if version_of(inputs[i]) != v}
    statistics = written_statistics(op, cast("tuple[object, ...]", given), environment)
    written |= {i for i, x in enumerate(inputs) if any(x is one for one in statistics)}
    written |= {-1 for value, before in params if version_of(value) != before}
    outputs = [leaf for tree in results for leaf in leaves(tree)]
    aliases = frozenset(
        (i, j)
        for i, out in enumerate(outputs)
        for j, given in enumerate(inputs)
        if storage_of(out) is not None and storage_of(out) == storage_of(given)
    )
    found = tuple(map_leaves(tree, abstracted) for tree in results)
    return Outcome(found, aliases, frozenset(written))


def _of_class(op: Operation, operands: Sequence[object]) -> bool | None:
    """What `isinstance` and `hasattr` say of a tensor; None: the op is another.

    They are asked of a tensor without elements, not of a fake one, which is of a class
    of its own: `torch.FloatTensor` and `Variable` look at more than the class.
    """
    match op, operands:
        case CallOp(), [GlobalRef("builtins.isinstance"), Tensor() as given, classes]:
            wanted = classes if isinstance(classes, tuple) else (classes,)
            names = [c.name for c in wanted if isinstance(c, GlobalRef)]
            types = [v for v in map(resolve_global, names) if isinstance(v, type)]
            if len(types) == len(wanted):
                return isinstance(_empty(given), tuple(types))
        case CallOp(), [GlobalRef("builtins.hasattr"), Tensor() as given, str(name)]:
            return hasattr(_empty(given), name)
        case _:
            pass
    return None


def _empty(tensor: Tensor) -> object:
    import torch

    return torch.empty(0, dtype=torch_dtype(tensor.dtype))


def _different(
    sample: dict[str, Any],
) -> Callable[[object], dict[str, Any]]:
    """The sample, with another int for each leaf that asks for one."""
    count = -1

    def one(leaf: object) -> dict[str, Any]:
        nonlocal count
        if not isinstance(leaf, Scalar) or leaf.kind != "int" or leaf.size is not None:
            return sample
        count += 1
        step = sample["int"] if sample["int"] > 1 else 0
        return {**sample, "int": sample["int"] + count * step}

    return one
