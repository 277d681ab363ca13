"""A graph that is traced without `make_fx` is the graph that `make_fx` makes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
from torch._decomp import core_aten_decompositions
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv, StatelessSymbolicContext
from torch.fx.node import map_arg

from dycl.analysis.tensors.fakes import quiet
from dycl.analysis.tracing.proxies import traced

Function = Callable[..., list[torch.Tensor]]


def plain(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    y = y.clone()
    y += torch.nn.functional.conv1d(x[None], x[:, None, :2].expand(4, 4, 2))[0, :, :1]
    return [*x.sort(1), y, torch.nn.functional.gelu(y)]


def constants(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [x + torch.tensor([1.0, 2.0, 4.0, 8.0]), y[torch.tensor([1, 0])]]


def sizes(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    rows = x.shape[0] * 2
    return [x.new_zeros(rows, y.numel()), x.repeat(2, 1).narrow(0, 1, rows - 1)]


def sub_modules(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    inner = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Softmax(-1))
    return [inner(x), inner(y)]


def writes(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    y = y.clone()
    y[0] = x[0]
    y[1:].mul_(2)
    return [y]


def text(graph: Any) -> list[tuple[str, ...]]:
    """The graph, its forms, and the constants in it."""
    numbers = {node: f"%{i}" for i, node in enumerate(graph.graph.nodes)}
    numbered: Any = partial(map_arg, fn=lambda node: numbers[node])
    return [
        (
            node.op,
            "" if node.op == "placeholder" else str(node.target),
            str(numbered(node.args)),
            str(numbered(node.kwargs)),
            str(getattr(graph, node.target) if node.op == "get_attr" else ""),
            str(getattr(node.meta.get("val"), "shape", node.meta.get("val"))),
        )
        for node in graph.graph.nodes
    ]


def arguments(is_dynamic: bool) -> tuple[FakeTensorMode, Sequence[torch.Tensor]]:
    """Fake tensors of 4x4; `is_dynamic`: of sizes that torch reckons with."""
    mode = FakeTensorMode(shape_env=ShapeEnv())
    kinds: Any = torch.fx.experimental.symbolic_shapes.DimDynamic
    kind = kinds.DYNAMIC if is_dynamic else kinds.STATIC
    how = StatelessSymbolicContext(dynamic_sizes=[kind, kinds.STATIC])
    made = [mode.from_tensor(torch.ones(4, 4), symbolic_context=how) for _ in range(2)]
    return mode, made


@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    ("function", "table"),
    [
        (plain, {}),
        (plain, core_aten_decompositions()),
        (constants, {}),
        (sizes, {}),
        (sub_modules, {}),
        (writes, {}),
        (writes, None),
    ],
)
def test_the_graph_is_that_of_make_fx(
    function: Function, table: dict[Any, Any] | None, is_dynamic: bool
) -> None:
    is_pure = table is None
    if is_pure:
        function, table = torch.func.functionalize(function), {}
    make = make_fx(function, decomposition_table=table, pre_dispatch=not is_pure)
    mode, given = arguments(is_dynamic)
    with mode, torch.no_grad():
        ours = text(traced(function, given, table, is_pure))
    mode, given = arguments(is_dynamic)
    with mode, torch.no_grad():
        assert text(make(*given)) == ours
    assert len(ours) > 3


def test_what_the_function_raises_is_raised() -> None:
    mode, given = arguments(False)
    with mode, quiet(), pytest.raises(RuntimeError, match="broadcast"):
        traced(lambda x, y: [x + y[:3]], given, {})
