"""From torch's fx graphs to plain nodes: schemas filled in, mutation removed.

The graphs are those of `make_fx`, so each call is of an aten overload. torch is
imported in the functions.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from dycl.analysis.tensors.abstract import Scalar, Tensor
from dycl.analysis.tensors.fakes import abstracted
from dycl.analysis.torch_fixes import counting
from dycl.analysis.torch_fixes.apply import functional_form, why_not
from dycl.analysis.torch_fixes.dims import from_front
from dycl.analysis.torch_fixes.division import is_open
from dycl.analysis.tracing.custom_kernels import (
    OPERATOR,
    attributes_of_call,
    kernel_of_call,
)
from dycl.analysis.tracing.graph import Check, Node, Ref, Untraceable
from dycl.analysis.tracing.overloads import (
    ASSERT,
    NAMES,
    NOTHING,
    number_overload,
    op_name,
    refuse_random,
    returns_view,
    safe,
)
from dycl.ir.values import TensorConstant

LITERAL = "torch.vtensor.literal"
FIRST = "dycl.first"
"""As many elements of a tensor as the int in another one says: the host reads it."""
LITERAL_LIMIT = 1024
"""Constant tensors of more elements are computed where they are used."""

DTYPE_CODES = {
    "uint8": 0,
    "int8": 1,
    "int16": 2,
    "int32": 3,
    "int64": 4,
    "float16": 5,
    "float32": 6,
    "float64": 7,
    "bool": 11,
    "bfloat16": 15,
}
_MEMORY_FORMATS = {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2}


_SIZE_OPS = {
    "sym_size.int": "torch.aten.size.int",
    "sym_numel.default": "torch.aten.numel",
    "add": "torch.aten.add.int",
    "sub": "torch.aten.sub.int",
    "mul": "torch.aten.mul.int",
    "floordiv": "torch.aten.floordiv.int",
    "mod": "torch.aten.remainder.int",
    "neg": "torch.aten.neg.int",
    "sym_max": "torch.prim.max.int",
    "sym_min": "torch.prim.min.int",
}
"""What make_fx calls on sizes -> the op on ints in a kernel."""


def read_graph(
    graph: Any, placeholders: Sequence[object]
) -> tuple[tuple[Node, ...], list[object], tuple[Check, ...]]:
    """The nodes that are needed, the outputs (Input, Param or Ref), and the checks.

    Raises Untraceable.
    """
    reader = _Reader(graph, placeholders)
    for node in graph.graph.nodes:
        reader.read(node)
    flags = [check.flag for check in reader.checks]
    nodes, left = _prune(reader.nodes, [*reader.outputs, *flags])
    count = len(reader.outputs)
    checks = [
        Check(flag, check.error)
        for flag, check in zip(left[count:], reader.checks, strict=True)
    ]
    return nodes, left[:count], tuple(dict.fromkeys(checks))


class _Reader:
    def __init__(self, graph: Any, placeholders: Sequence[object]):
        self.graph = graph
        self.placeholders = iter(placeholders)
        self.nodes: list[Node] = []
        self.checks: list[Check] = []
        self.outputs: list[object] = []
        self.values: dict[Any, Any] = {}
        # For mutation: the tensor whose memory a node's result is in.
        self.memory: dict[Any, Any] = {}
        self.stale: set[Any] = set()
        # Real tensors of nodes that depend on nothing.
        self.constants: dict[Any, Any] = {}

    def read(self, node: Any) -> None:
        for used in node.all_input_nodes:
            if used in self.stale:
                raise Untraceable("a tensor is changed in place while a view is used")
        match node.op:
            case "placeholder":
                self.values[node] = next(self.placeholders)
            case "get_attr":
                self._constant(node, getattr(self.graph, node.target))
            case "output":
                arg = node.args[0]
                self.outputs = [self._value(v) for v in arg]
            case _ if getattr(node.target, "__name__", "") == "getitem":
                base, index = node.args
                self.values[node] = self.values[base][index]
                if base in self.memory:  # a part of a view, not of new tensors
                    self.memory[node] = self.memory[base]
            case _:
                self._call(node)

    def _call(self, node: Any) -> None:
        overload = node.target
        name = getattr(overload, "__name__", "")
        if (size_op := _SIZE_OPS.get(name)) is not None:
            self.values[node] = self._size(node, size_op)
            return
        if not hasattr(overload, "_schema"):
            raise Untraceable(f"`{overload}` has no lowering")
        if overload._schema.name in NOTHING:
            source = node.args[0]
            self.values[node] = self.values[source]
            if source in self.constants:
                self.constants[node] = self.constants[source]
            return
        if overload._schema.name == ASSERT:
            self._check(node)
            return
        if overload._schema.name == counting.NAME:
            results = abstracted_results(node.meta["val"])
            given = tuple(map(self._value, node.args))
            self.nodes.append(Node(FIRST, given, ("Tensor", "Tensor"), results))
            self.values[node] = Ref(len(self.nodes) - 1)
            return
        refuse_random(overload, node)
        if overload._schema.is_mutable:
            overload = self._mutate(node, overload)
        elif returns_view(overload) and node.args:
            source = node.args[0]
            self.memory[node] = self.memory.get(source, source)
        if self._fold(node, overload):
            return
        if overload._schema.name == "aten::copy" and _is_alike(node):
            self.values[node] = self._value(node.args[1])
            self._rename(node)
            return
        self.values[node] = self._add(node, overload)

    def _check(self, node: Any) -> None:
        """What must be true in a run; nothing if it is true of constants."""
        flag, error = node.args
        if flag not in self.constants or not bool(self.constants[flag]):
            self.checks.append(Check(self._value(flag), str(error)))

    def _size(self, node: Any, name: str) -> object:
        """An op on sizes, which is an int of the kernel."""
        operands = tuple(self._value(value) for value in node.args)
        of_tensor = name in ("torch.aten.size.int", "torch.aten.numel")
        kinds = ("Tensor" if of_tensor else "int", "int")
        kinds = kinds[: len(operands)]
        self.nodes.append(Node(name, operands, kinds, (Scalar("int"),)))
        return Ref(len(self.nodes) - 1)

    def _mutate(self, node: Any, overload: Any) -> Any:
        """The out-of-place op; the old tensor's name means the new one from here."""
        functional = functional_form(overload)
        if functional is None:
            raise Untraceable(f"torch op {op_name(overload)[6:]} has no lowering")
        target = node.args[0]
        before = target.meta["val"]
        try:
            args, kwargs = _fakes(node)
            after = functional(*args, **kwargs)
        except Exception as error:
            raise Untraceable(str(error)) from error
        if (after.dtype, after.shape) != (before.dtype, before.shape):
            raise Untraceable(
                f"torch op {op_name(overload)[6:]} changes the shape or dtype of a "
                "tensor in place, and has no lowering"
            )
        memory = self.memory.get(target, target)
        family = {n for n in self.values if self.memory.get(n, n) is memory}
        self.stale |= family - {target}
        self.memory[node] = memory
        return functional

    def _fold(self, node: Any, overload: Any) -> bool:
        """Compute what depends on nothing, if it is small, or has no elements."""
        import torch

        result = node.meta.get("val")
        if isinstance(result, torch.Tensor) and _is_empty(result):
            self._constant(node, torch.empty(tuple(result.shape), dtype=result.dtype))
            if node.target._schema.is_mutable:
                self._rename(node)
            return True
        if is_open() or any(n not in self.constants for n in node.all_input_nodes):
            return False  # what is made of a number of the run's is no constant
        if not isinstance(result, torch.Tensor) or result.numel() > LITERAL_LIMIT:
            return False
        args, kwargs = _map_nodes(node, self.constants.__getitem__)
        self._constant(node, overload(*args, **kwargs))
        if node.target._schema.is_mutable:
            self._rename(node)
        return True

    def _constant(self, node: Any, value: Any) -> None:
        if value.numel() > LITERAL_LIMIT:
            raise Untraceable(
                f"a constant tensor of more than {LITERAL_LIMIT} elements"
            )
        self.constants[node] = value
        meta = cast(Tensor, abstracted(value.contiguous()))
        data = tuple(value.flatten().tolist())
        literal = TensorConstant(meta.sizes, meta.dtype, data)
        self.nodes.append(Node(LITERAL, (literal,), ("Tensor",), (meta,)))
        self.values[node] = Ref(len(self.nodes) - 1)

    def _add(self, node: Any, overload: Any) -> object:
        overload = number_overload(safe(overload), node)
        name, attributes = op_name(overload), ()
        if (kernel := kernel_of_call(node, overload)) is not None:
            name, attributes = OPERATOR, attributes_of_call(overload, kernel)
        elif name not in NAMES:
            raise Untraceable(f"torch op {name[6:]} has no lowering")
        elif (why := why_not(node, name)) is not None:
            raise Untraceable(why)
        arguments = overload._schema.arguments
        given: list[object] = []
        for i, argument in enumerate(arguments):
            default = argument.default_value
            value = node.args[i] if i < len(node.args) else None
            if i >= len(node.args):
                value = node.kwargs.get(argument.name, default)
            given.append(self._operand(argument.name, value, node))
        kinds = tuple(str(a.real_type) for a in arguments)
        results = abstracted_results(node.meta["val"])
        is_list = isinstance(node.meta["val"], list)
        new = Node(name, tuple(given), kinds, results, is_list, attributes)
        self.nodes.append(new)
        number = len(self.nodes) - 1
        if node.target._schema.is_mutable:
            self._rename(node, Ref(number))
        if isinstance(node.meta["val"], (tuple, list)):
            return [Ref(number, i) for i in range(len(results))]
        return Ref(number)

    def _rename(self, node: Any, value: object = None) -> None:
        """After a mutation the changed tensor's node stands for its new value."""
        target = node.args[0]
        self.values[target] = self.values[node] if value is None else value
        if node in self.constants:
            self.constants[target] = self.constants[node]
        else:
            self.constants.pop(target, None)

    def _operand(self, name: str, value: Any, node: Any) -> object:
        """One operand as the IR has it: dtypes as codes, no pinning, no layout."""
        if name == "dtype" and value is None and not node.all_input_nodes:
            # Creation without a dtype: torch's default, which the result shows.
            value = node.meta["val"].dtype
        if name in ("layout", "device", "pin_memory", "generator"):
            return None
        return self._value(from_front(name, value, node))

    def _value(self, value: Any) -> object:
        if hasattr(value, "all_input_nodes"):
            return self.values[value]
        if isinstance(value, (list, tuple)):
            return tuple(self._value(v) for v in cast("list[Any]", value))
        kind = type(value).__name__
        text = str(value).removeprefix("torch.")
        if kind == "dtype":
            return DTYPE_CODES[text]
        if kind == "memory_format":
            return _MEMORY_FORMATS[text]
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise Untraceable(f"an operand of type {kind} has no lowering")


def abstracted_results(value: object) -> tuple[Tensor, ...]:
    """The tensors that an aten op gives."""
    several = isinstance(value, (tuple, list))
    results = [
        abstracted(v) for v in (cast(list[object], value) if several else [value])
    ]
    for result in results:
        if not isinstance(result, Tensor):
            raise Untraceable(f"an op gives {result}, which has no lowering")
    return tuple(cast(list[Tensor], results))


def _is_alike(node: Any) -> bool:
    """Whether the first two operands have one shape and dtype: a copy is the second."""
    one, other = (n.meta["val"] for n in node.args[:2])
    return (one.dtype, one.shape) == (other.dtype, other.shape)


def _is_empty(result: Any) -> bool:
    """Whether the sizes are known, and one is 0; open ones must not be compared."""
    return all(type(size) is int for size in result.shape) and 0 in result.shape


def _fakes(node: Any) -> tuple[Any, Any]:
    return _map_nodes(node, lambda n: n.meta["val"])


def _map_nodes(node: Any, f: Any) -> tuple[Any, Any]:
    from torch.fx.node import map_arg

    mapped = cast(Any, map_arg)((node.args, dict(node.kwargs)), f)
    return mapped[0], mapped[1]


def _prune(
    nodes: list[Node], outputs: list[object]
) -> tuple[tuple[Node, ...], list[object]]:
    """Leave out nodes that no output needs, and renumber."""
    needed: set[int] = set()

    def mark(value: object) -> None:
        if isinstance(value, Ref):
            needed.add(value.node)
        elif isinstance(value, tuple):
            for part in cast("tuple[object, ...]", value):
                mark(part)

    for value in outputs:
        mark(value)
    for i in reversed(range(len(nodes))):
        if i in needed:
            mark(nodes[i].operands)
    numbers = {old: new for new, old in enumerate(sorted(needed))}

    def renumber(value: object) -> object:
        if isinstance(value, Ref):
            return Ref(numbers[value.node], value.result)
        if isinstance(value, tuple):
            return tuple(renumber(part) for part in cast("tuple[object, ...]", value))
        return value

    kept = [
        replace(
            nodes[i], operands=cast("tuple[object, ...]", renumber(nodes[i].operands))
        )
        for i in sorted(needed)
    ]
    return tuple(kept), [renumber(value) for value in outputs]
