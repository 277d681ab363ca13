"""The aten ops that a function calls on real tensors, as an fx graph.

It is what `make_fx(pre_dispatch=True)` gives, for functions that only compute tensors
from tensors: each op is run, and noted with what it gives. `proxies` does more, and
imports torch's compilers for that. torch is imported in the functions.
"""

import operator
from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from dycl.analysis.tensors.abstract import Tensor
from dycl.analysis.tensors.fakes import abstracted
from dycl.analysis.tensors.small_tensors import NotPlain, has_usual_strides
from dycl.analysis.tracing.overloads import returns_view


def recorded(
    function: Callable[..., list[object]],
    tensors: Sequence[Any],
    table: dict[Any, Callable[..., Any]],
) -> Any:
    """What `function` calls on its arguments; `graph` of the result is the graph.

    An op of `table` is what the function there calls for it, unless that gives
    NotImplemented. Raises what `function` does; NotPlain for a result with strides that
    fake tensors have others for; KeyError for a tensor from elsewhere.
    """
    from torch._dispatch.python import enable_python_dispatcher
    from torch.fx import Graph

    mode = _recorder()(cast(Any, Graph)(), table)
    for index, tensor in enumerate(tensors):
        node = mode.graph.placeholder(f"arg{index}")
        mode.bind(tensor, node)
    with cast(Any, enable_python_dispatcher)(), mode:
        results = function(*tensors)
    mode.graph.output([mode.nodes[result] for result in results])
    return SimpleNamespace(graph=mode.graph)


@cache
def _recorder() -> Callable[..., Any]:
    """`Recorder`, the mode that notes ops. torch takes no others at this level."""
    import torch
    from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.weak import WeakIdKeyDictionary

    base: Any = ProxyTorchDispatchMode
    keys: Any = cast(Any, torch)._C

    class Recorder(base):
        def __init__(self, graph: Any, table: dict[Any, Callable[..., Any]]):
            # Not that of the base, which imports a compiler for its options.
            cast(Any, TorchDispatchMode).__init__(self, keys.DispatchKey.PreDispatch)
            self._mode_key = keys._TorchDispatchModeKey.PROXY
            self.enter_stack: list[object] = []
            self.graph = graph
            self.table = table
            # Not kept alive: of tensors that somebody else has, torch makes copies.
            self.nodes = cast(Any, WeakIdKeyDictionary)()

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # torch would import it, to say that it skips this

        def bind(self, tensor: Any, node: Any) -> None:
            self.nodes[tensor] = node
            node.meta["val"] = _alike(tensor)

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return _called(self, func, args, dict(kwargs or {}))

    return Recorder


def _called(mode: Any, func: Any, args: Any, named: dict[str, Any]) -> Any:
    """What an op gives; it is noted, or what is called in its place."""
    from torch._dispatch.python import no_python_dispatcher

    if func in mode.table:
        with mode:
            result = mode.table[func](*args, **named)
        if result is not NotImplemented:
            return result
    with cast(Any, no_python_dispatcher)():
        result = func(*args, **named)
    is_one = not isinstance(result, (tuple, list))
    if is_one and not _is_tensor(result):
        return result  # a fact about its operands, such as their common dtype
    results = [result] if is_one else cast("list[Any]", result)
    if not returns_view(func) and not all(_has_agreed(func, one) for one in results):
        raise NotPlain("strides on which two parts of torch disagree")
    node = _node(mode, func, args, named)
    if is_one:
        mode.bind(result, node)
        return result
    parts: list[Any] = []
    for index, one in enumerate(results):
        part = mode.graph.call_function(operator.getitem, (node, index))
        mode.bind(one, part)
        parts.append(part.meta["val"])
    node.meta["val"] = parts if isinstance(result, list) else tuple(parts)
    return result


def _has_agreed(func: Any, one: Any) -> bool:
    """Whether a new tensor has the strides of a fake one."""
    if func._schema.name == "aten::scaled_dot_product_attention":
        # By heads of tokens in memory, whatever the strides of its operands are.
        return one.is_contiguous() or one.transpose(1, 2).is_contiguous()
    return has_usual_strides(cast(Tensor, abstracted(one)))


def _node(mode: Any, func: Any, args: Any, named: dict[str, Any]) -> Any:
    """The call in the graph."""
    from torch.fx.node import map_aggregate

    def one(value: Any) -> Any:
        return mode.nodes[value] if _is_tensor(value) else value

    operands = [cast(Any, map_aggregate)(given, one) for given in (args, named)]
    return mode.graph.call_function(func, *operands)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage")


def _alike(tensor: Any) -> Any:
    """Another tensor of the same form."""
    import torch
    from torch.utils import _python_dispatch

    with cast(Any, _python_dispatch)._disable_current_modes():
        shape, strides = tuple(tensor.shape), tensor.stride()
        return torch.empty_strided(shape, strides, dtype=tensor.dtype)
