"""A backend of `torch.compile`: `torch.compile(model, backend="dycl")`.

    compiled = torch.compile(model, backend="dycl")
    with torch.no_grad():
        compiled(x)

TorchDynamo cuts a program into graphs where it decides on data; each goes through the
export door (`dycl.frontend.exported`), once for each list of shapes that it is called
with. A graph that changes an input, or gives a view of one, is made functional by
AOTAutograd first, which writes and views again behind it.

For inference: a graph that has to be differentiated is refused. Parameters are inputs
of a graph, so that a change of them is seen. Options of `dycl.compile` are given by
`torch.compile(model, backend="dycl", options={"threads": 4})`.
"""

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from dycl.analysis.tensors.fakes import storage_of, version_of
from dycl.diag import CompileError
from dycl.driver.models import compile as compile_program

_INFERENCE = "call it under `torch.no_grad()` or `torch.inference_mode()`"


def dycl(graph: Any, inputs: Sequence[Any], **given: Any) -> Callable[..., Any]:
    """Compile a graph of TorchDynamo's; `inputs` are fake or real example inputs.

    Raises CompileError (DY122) where gradients are asked for; what `dycl.compile`
    raises is raised by the first call with inputs of these shapes.
    """
    import torch
    from torch._dynamo.backends.common import aot_autograd

    if torch.is_grad_enabled() and any(_is_differentiated(v) for v in inputs):
        raise CompileError(
            "DY122",
            "this graph needs gradients, and compiled networks run without them",
            hint=_INFERENCE,
        )
    options = {**(given.pop("options", None) or {}), **given}
    result = _Graph(graph, options)
    if not _shares_memory(result, inputs):
        return result

    def compiled(functional: Any, _: Sequence[Any]) -> Callable[..., Any]:
        run = _Graph(functional, options)

        def boxed(arguments: list[Any]) -> Any:
            taken = tuple(arguments)
            arguments.clear()
            return run(*taken)

        boxed._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
        return boxed

    wrapped: Any = aot_autograd(
        fw_compiler=compiled,
        inference_compiler=compiled,
        decompositions=_decompositions(),
    )
    return wrapped(graph, inputs)


def _decompositions() -> Any:
    """How operators that only AOTAutograd makes are said by others."""
    import torch
    from torch._decomp import get_decompositions

    aten = torch.ops.aten
    return get_decompositions(
        [aten._native_batch_norm_legit_no_training, aten._native_batch_norm_legit]
    )


def _shares_memory(of: "_Graph", inputs: Sequence[Any]) -> bool:
    """Whether a graph writes to an input, or gives tensors that share memory.

    It is run on fake tensors; a number that a tensor holds does not matter.
    """
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
    from torch.utils._pytree import tree_leaves

    # Numbers and sizes that tensors decide, and loops, take an environment.
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)

    def fake(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return int(value) if type(value).__name__ == "SymInt" else value
        sizes, strides = map(int, value.shape), map(int, value.stride())
        return torch.empty_strided(tuple(sizes), tuple(strides), dtype=value.dtype)

    with mode, torch.no_grad():
        given = [
            1.0 if index in of.floats else fake(value)
            for index, value in enumerate(inputs)
        ]
        before = [version_of(value) for value in given]
        results = tree_leaves(of.graph(*given))
    if before != [version_of(value) for value in given]:
        return True
    tensors = [v for v in (*given, *results) if isinstance(v, torch.Tensor)]
    storages = {storage_of(value) for value in tensors}
    return len(storages) < len(tensors)


def _with_floats(graph: Any) -> tuple[Any, frozenset[int]]:
    """A graph that takes as floats those inputs of which it reads the number only.

    TorchDynamo wraps Python's floats as tensors where sizes are dynamic, and has the
    graph unwrap them. Also given: which inputs these are, by index.
    """
    import torch

    def holds_float(node: Any) -> bool:
        is_wrapped = getattr(node.meta.get("grapharg"), "pass_arg_as_tensor", False)
        value = node.meta.get("example_value")
        return is_wrapped and getattr(value, "dtype", None) is torch.float64

    floats: set[int] = set()
    copied = copy.deepcopy(graph.graph)
    nodes = [node for node in copied.nodes if node.op == "placeholder"]
    for index, node in enumerate(nodes):
        reads = [(user.op, user.target) for user in node.users]
        if holds_float(node) and set(reads) == {("call_method", "item")}:
            floats.add(index)
            for read in list(node.users):
                read.replace_all_uses_with(node)
                copied.erase_node(read)
    if not floats:
        return graph, frozenset()
    return torch.fx.GraphModule(graph, copied), frozenset(floats)


def _is_differentiated(value: Any) -> bool:
    return bool(getattr(value, "requires_grad", False))


class _Graph:
    """A graph without effects, as one network for each list of shapes."""

    def __init__(self, graph: Any, options: dict[str, Any]):
        self.graph, self.floats = _with_floats(graph)
        self.options = options
        self.networks: dict[object, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """The outputs, for inputs of whatever shape: tensors and numbers."""
        if self.floats:
            arguments = tuple(
                value.item() if index in self.floats else value
                for index, value in enumerate(arguments)
            )
        key = tuple(map(_signature, arguments))
        if key not in self.networks:
            self.networks[key] = self._network(arguments)
        return self.networks[key](*arguments)

    def _network(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        import torch

        with warnings.catch_warnings():  # torch's own, about its own code
            warnings.simplefilter("ignore")
            program = torch.export.export(self.graph, arguments, strict=False)
        return compile_program(program, arguments, **self.options)


def _signature(value: Any) -> object:
    """What a network is compiled for."""
    if hasattr(value, "dtype"):
        return (tuple(value.shape), value.dtype)
    return (type(value), value)
