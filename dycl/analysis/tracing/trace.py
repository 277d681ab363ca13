"""The aten ops that one op of a program is made of, as plain data.

`trace` runs an op on small or fake tensors, and notes what it calls at the level of
`make_fx(pre_dispatch=True)`: `conv2d`, `batch_norm`, `softmax`. In-place ops are made
out-of-place, small constant tensors are computed, and what torch-mlir has no op for is
decomposed where torch knows how. Traces are remembered like outcomes; torch is imported
when one is made.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.dynamic_sizes.settled import FIXED_ONLY, is_settled
from dycl.analysis.dynamic_sizes.single_sizes import refined
from dycl.analysis.dynamic_sizes.sizes import Attempt, reckoning, without_onednn
from dycl.analysis.dynamic_sizes.whole_sizes import WholeSizes
from dycl.analysis.tensors import leaf_modules
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.analysis.tensors.element_numbers import (
    numbers_apart,
    takes_any_number,
    without_sizes,
)
from dycl.analysis.tensors.fakes import (
    abstracted,
    concrete,
    evaluation_mode,
    explain,
    quiet,
    run_on_tensors,
)
from dycl.analysis.tensors.memo import Memo
from dycl.analysis.tensors.op_signatures import of_this_model, op_signature
from dycl.analysis.tensors.other_numbers import raised_for_some
from dycl.analysis.tensors.single_runs import SAMPLES
from dycl.analysis.tensors.small_tensors import SmallTensors
from dycl.analysis.tensors.stored_forms import FORMS
from dycl.analysis.tensors.transfer import outcome
from dycl.analysis.torch_fixes.division import with_open_numbers
from dycl.analysis.tracing.custom_kernels import trace_of_call, trace_of_op
from dycl.analysis.tracing.decomposing import decompositions, repairs
from dycl.analysis.tracing.fx_graph import read_graph
from dycl.analysis.tracing.graph import (
    Check,
    Converted,
    Input,
    Node,
    Param,
    Ref,
    Trace,
    Untraceable,
    with_known_sizes,
)
from dycl.analysis.tracing.open_numbers import (
    OPEN_NUMBER,
    SOME_RAISE,
    are_indices,
    conversions,
    merged,
    silenced,
    silent,
    unread_numbers,
)
from dycl.analysis.tracing.proxies import traced
from dycl.analysis.tracing.recording import recorded
from dycl.ir import (
    CallOp,
    InvokeOp,
    TensorOp,
    UpdateSubscriptOp,
)
from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef, ParamRef
from dycl.lowerings import what_is_known
from dycl.support.plain_data import Format

TRACES = Memo[Trace | str](
    "trace", 4096, Format(*FORMS, Input, Param, Ref, Node, Check, Converted, Trace)
)


def trace(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Trace | str:
    """The aten ops of `op` on these abstract operands, or why there are none."""
    operands = numbers_apart(op, operands)
    if of_this_model(operands, environment):
        return _trace_or_why(op, operands, environment)
    names = NeutralNames(operands)
    given = names.neutral(operands)
    key = op_signature(op, given, environment)
    result = TRACES.get(key, partial(_trace_or_why, op, given, environment))
    if isinstance(result, str):
        return names.own_text(result)
    return result.with_own(names) if names else result


def _trace_or_why(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Trace | str:
    try:
        return _trace(op, operands, environment)
    except Untraceable as error:
        return error.reason
    except Exception as error:
        return explain(error)


def _trace(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Trace:
    result = outcome(op, operands, environment)
    if isinstance(op, TensorOp):
        own = trace_of_op(op, operands, result.results)
    elif isinstance(op, CallOp):
        own = trace_of_call(op, operands, result.results, environment)
    else:
        own = None
    if own is not None:
        return own
    attempt = result.attempt
    operands = refined(operands, result.single)
    if attempt is None:
        operands = without_sizes(operands)
        return _trace_plain(op, operands, environment, None)
    if result.is_whole:
        sizes = WholeSizes(operands)
        given = sizes.whole(operands)
        return _trace_plain(op, given, environment, attempt).with_own(sizes)
    required = [one.relation for one in result.requires]
    found = _trace_plain(op, operands, environment, attempt, required)
    return with_known_sizes(found, result.results, operands)


def _trace_plain(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    attempt: Attempt | None,
    required: Sequence[str] | None = None,
) -> Trace:
    inputs = list(leaves(tuple(operands)))
    numbers = _numbers(inputs, 0)
    first = _run(op, operands, environment, numbers, attempt, required)
    if not numbers:
        return first
    # Where the numbers come to stand is where two traces differ.
    others = _numbers(inputs, 1)
    second = _run(op, operands, environment, others, attempt)
    found = merged(first, second, {i: (numbers[i], others[i]) for i in numbers})
    if not takes_any_number(op):

        def run(given: dict[int, Any]) -> Trace:
            return _run(op, operands, environment, given, attempt)

        _demand_unread(run, (numbers, others), found)
        with nullcontext() if attempt is None else reckoning(attempt):
            error = raised_for_some(op, operands, environment)
        if error is not None and not are_indices(found, numbers):
            raise Untraceable(f"{SOME_RAISE}: {error}")
    given = _as_given(op, operands, environment, numbers, attempt)
    return replace(found, converted=conversions(given, numbers))


def _demand_unread(
    run: Callable[[dict[int, Any]], Trace],
    samples: tuple[dict[int, Any], dict[int, Any]],
    found: Trace,
) -> None:
    """Untraceable: what takes the op apart reads an open number.

    Numbers that refuse to answer are tried, of any of the kinds of `unread_numbers`.
    """
    numbers, _ = samples
    first = run(numbers)
    reason = OPEN_NUMBER
    for unread in unread_numbers(samples, found):
        try:
            again = run({i: silent(number) for i, number in unread.items()})
            if (
                merged(first, again, {i: (n, unread[i]) for i, n in numbers.items()})
                == found
            ):
                return
        except Untraceable as error:
            reason = error.reason
        except Exception:
            continue  # What asks a number for its class raises anything.
    raise Untraceable(reason)


def _as_given(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    numbers: dict[int, Any],
    attempt: Attempt | None,
) -> Any:
    """The fx graph of what an op calls, before anything is written as others."""
    import torch

    symbols = nullcontext() if attempt is None else reckoning(attempt)
    with symbols, torch.no_grad(), quiet(), without_onednn():
        tracer = _Tracer(op, operands, environment, numbers)
        graph = tracer.small_graph({}) if attempt is None else None
        if graph is None:
            with evaluation_mode():
                graph = tracer.graph({})
    return graph


def _numbers(inputs: list[object], which: int) -> dict[int, Any]:
    """A number for each open one, different for all."""
    result: dict[int, Any] = {}
    for count, (i, leaf) in enumerate(
        (i, leaf)
        for i, leaf in enumerate(inputs)
        if isinstance(leaf, Scalar) and leaf.size is None
    ):
        sample = SAMPLES[which][leaf.kind]
        result[i] = sample if leaf.kind == "bool" else sample + count * (which + 1)
    return result


def _run(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    numbers: dict[int, Any],
    attempt: Attempt | None,
    required: Sequence[str] | None = None,
) -> Trace:
    """Trace, and again with the decompositions that turn out to be needed.

    Untraceable: the trace is for other sizes than those that are `required`.
    """
    import torch

    table: dict[Any, Any] = {**repairs(what_is_known())}
    while True:
        with (
            nullcontext() if attempt is None else reckoning(attempt) as symbols,
            with_open_numbers() if numbers else nullcontext(),
        ):
            with torch.no_grad(), quiet(), without_onednn():
                tracer = _Tracer(op, operands, environment, numbers)
                written = silenced(table, numbers)
                graph = tracer.small_graph(written) if attempt is None else None
                if graph is None:
                    with evaluation_mode():
                        graph = tracer.graph(written)
            if symbols is not None and required is not None:
                for relation in symbols.equalities():
                    if is_settled(relation, symbols.hints, required):
                        raise Untraceable(FIXED_ONLY)
            needed = decompositions(graph, table)
            if not needed:
                nodes, outputs, checks = read_graph(graph, tracer.placeholders)
                return Trace(nodes, tracer.results(outputs), checks)
            table |= needed


class _Tracer:
    """One run of an op; its placeholders are parameters and tensor operands."""

    def __init__(
        self,
        op: Operation,
        operands: Sequence[object],
        environment: Environment,
        numbers: dict[int, Any],
    ):
        self.op = op
        self.operands = tuple(operands)
        self.environment = environment
        self.numbers = numbers
        self.params: dict[str, ParamRef] = {}
        if isinstance(op, (CallOp, InvokeOp)) and isinstance(operands[0], ObjectRef):
            self.params = leaf_modules.parameters(environment, operands[0].path)
        self.inputs = list(leaves(self.operands))
        tensors = [i for i, leaf in enumerate(self.inputs) if _is_placeholder(leaf)]
        self.placeholders: list[object] = [
            *(Param(name) for name in self.params),
            *(Input(i) for i in tensors),
        ]
        self.structure: tuple[object, ...] = ()

    def small_graph(self, table: dict[Any, Any]) -> Any | None:
        """The fx graph, made with small tensors; None: they do not suffice."""
        small = SmallTensors.of(self.op, self.operands, self.environment)
        if small is None or isinstance(self.op, UpdateSubscriptOp):
            return None
        given = leaves(small.given(lambda leaf: leaf))
        tensors = [
            *small.made.values(),
            *(leaf for leaf in given if _is_tensor(leaf)),
        ]
        try:
            with small.only_plain():
                graph = recorded(self.run, tensors, table)
        except Exception:
            return None  # If anything is wrong, fake tensors say what it is.
        return graph if all(map(_is_tensor, leaves(self.structure))) else None

    def graph(self, table: dict[Any, Any]) -> Any:
        """The fx graph, made with fake tensors."""
        import torch

        abstract = [
            *(Tensor.contiguous(p.shape, p.dtype) for p in self.params.values()),
            *(leaf for leaf in self.inputs if _is_placeholder(leaf)),
        ]
        fakes = [concrete(tensor, {}) for tensor in abstract]
        if isinstance(self.op, UpdateSubscriptOp):
            # It writes through views: torch knows how to scatter them back.
            pure = cast(Any, torch.func).functionalize(self.run)
            return traced(pure, fakes, table, is_pure=True)
        return traced(self.run, fakes, table)

    def run(self, *flat: object) -> list[object]:
        """The op's tensors, for fx; the rest of its results is kept here."""
        params = dict(zip(self.params, flat, strict=False))
        tensors = iter(flat[len(params) :])
        numbers = iter(enumerate(self.inputs))

        def fill(leaf: object) -> object:
            position, _ = next(numbers)
            if _is_placeholder(leaf):
                return next(tensors)
            return self.numbers.get(position, leaf)

        given = cast("tuple[object, ...]", map_leaves(self.operands, fill))
        self.structure = tuple(
            run_on_tensors(
                self.op, given, self.environment, lambda name, _: params[name]
            )
        )
        return [leaf for leaf in leaves(self.structure) if _is_tensor(leaf)]

    def results(self, outputs: list[object]) -> tuple[object, ...]:
        """The op's results with `outputs` for its tensors."""
        rest = iter(outputs)

        def one(leaf: object) -> object:
            return next(rest) if _is_tensor(leaf) else abstracted(leaf)

        return cast("tuple[object, ...]", map_leaves(self.structure, one))


def _is_placeholder(leaf: object) -> bool:
    """Whether a leaf is an argument of the graph: a tensor, or an int as a size."""
    return isinstance(leaf, Tensor) or (
        isinstance(leaf, Scalar) and leaf.size is not None
    )


def _is_tensor(value: object) -> bool:
    return hasattr(value, "untyped_storage")
