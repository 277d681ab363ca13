"""The aten ops that a function calls on fake tensors, as an fx graph.

It is the graph of `make_fx(pre_dispatch=True)`, made with its modes and its tracer. The
rest of `make_fx` is for modules: it replaces methods of all classes of modules while it
traces, and writes the graph as Python. For one op that takes longer than the op.
torch's compilers are imported in the function.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast


def traced(
    function: Callable[..., list[object]],
    arguments: Sequence[object],
    table: dict[Any, Callable[..., Any]],
    is_pure: bool = False,
) -> Any:
    """What `function` calls on fake tensors and symbolic ints: `graph` of the result is
    the graph, and constants are attributes of the result, by the names that it has.

    An op of `table` is what the function there calls for it. `is_pure`: the graph is of
    the level below, `make_fx(pre_dispatch=False)`, for what `functionalize` has made of
    a function. Raises what `function` does.
    """
    import torch
    from torch._dispatch.python import enable_python_dispatcher
    from torch._inductor.fx_passes.dedupe_symint_uses import dedupe_symints
    from torch.fx import Graph
    from torch.fx.experimental import proxy_tensor

    proxies: Any = proxy_tensor
    tracer = proxies.PythonKeyTracer()
    tracer.root = torch.nn.Module()
    tracer.graph = cast(Any, Graph)(tracer_cls=type(tracer))
    tracer.tensor_attrs = {}
    mode = proxies.ProxyTorchDispatchMode(
        tracer,
        "real",
        decomposition_table=_with_numel(table),
        pre_dispatch=not is_pure,
    )
    with ExitStack() as stack:
        if not is_pure:
            stack.enter_context(cast(Any, enable_python_dispatcher)())
            stack.enter_context(proxies.PreDispatchTorchFunctionMode(tracer))
        stack.enter_context(proxies.TorchFunctionMetadataMode(tracer))
        stack.enter_context(mode)
        stack.enter_context(proxies.disable_autocast_cache())
        given = [
            tracer.create_proxy("placeholder", f"arg{i}", (), {})
            for i in range(len(arguments))
        ]
        run = proxies.wrap_key(function, tuple(arguments), tracer, not is_pure)
        results = tracer.create_arg(run(*given))
    tracer.create_node("output", "output", (results,), {})
    graph = tracer.graph
    graph.eliminate_dead_code(_is_no_size)
    cast(Any, dedupe_symints)(graph)
    constants = {
        node.target: getattr(tracer.root, node.target)
        for node in graph.nodes
        if node.op == "get_attr"
    }
    return SimpleNamespace(graph=graph, **constants)


def node_of(tensor: Any) -> Any | None:
    """The fx node that made a tensor, while that is traced or recorded; else None."""
    from torch.fx.experimental import proxy_tensor

    proxies: Any = proxy_tensor
    mode = proxies.get_proxy_mode()
    if mode is None:
        return None
    if (nodes := getattr(mode, "nodes", None)) is not None:
        return nodes.get(tensor)
    slot = proxies.get_proxy_slot(tensor, mode.tracer, None)
    return None if slot is None else slot.proxy.node


def _with_numel(table: dict[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """The table in which the count of elements is a product of sizes."""
    import torch
    from torch._decomp.decompositions import sym_numel

    return {cast(Any, torch).ops.aten.sym_numel.default: sym_numel, **table}


def _is_no_size(node: Any) -> bool:
    """Whether a node stays when nobody uses it: reading may refuse it."""
    value = node.meta.get("val")
    return node.is_impure() or type(value).__name__ not in _SIZES


_SIZES = ("SymInt", "SymFloat", "SymBool")
