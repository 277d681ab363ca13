"""The nodes of an exported program's graphs, as ops of the source level.

    linear = torch.ops.aten.linear.default(x, w)   %f = dycl.constant #dycl.global<...>
                                                   %linear = dycl.call %f(%x, %w)
    cond = torch.ops.higher_order.cond(p, t, f, (x,))
                                                   %t = dycl.to_bool %p
                                                   %cond = dycl.if %t -> (...) {..}

Needs a graph that writes to no tensor. The graphs of `cond` and `while_loop` become
regions, which read what they are given from around them. What is not known becomes a
`dycl.unsupported` at its place.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.frontend import refusals
from dycl.frontend.exported_locations import location_of, predicate
from dycl.frontend.refusals import Refusal
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConditionOp,
    ConstantOp,
    IfOp,
    InvokeOp,
    ListOp,
    RaiseOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnsupportedOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.value_names import value_name
from dycl.ir.values import DeviceRef, GlobalRef, NotAConstant, to_attr

_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "truediv",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "and_": "and",
    "or_": "or",
    "xor": "xor",
}
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = {"neg": "neg", "pos": "pos", "not_": "not", "sym_not": "not"}
_FUNCTIONS = {
    "sym_float": "builtins.float",
    "sym_int": "builtins.int",
    "sym_max": "builtins.max",
    "sym_min": "builtins.min",
    "trunc": "math.trunc",
    "ceil": "math.ceil",
    "floor": "math.floor",
}
_SAME = ("aten::detach_", "aten::detach", "aten::alias", "aten::lift_fresh_copy")
"""Their result is their operand, where nothing is written to."""
_ITEMS = ("aten::item", "aten::_local_scalar_dense")
_ASSERTS = (
    "aten::_assert_scalar",
    "aten::_assert_async",
    "aten::_assert_tensor_metadata",
)
_RANGES = ("aten::sym_constrain_range", "aten::sym_constrain_range_for_size")
_BATCH_NORMS = {
    "aten::batch_norm": 5,
    "aten::native_batch_norm": 5,
    "aten::cudnn_batch_norm": 5,
    "aten::instance_norm": 5,
}
"""Ops that write to their running statistics, and where they are told to."""

_BAGS = (
    "aten::embedding_bag",
    "aten::_embedding_bag",
    "aten::_embedding_bag_forward_only",
)
"""Ops of four results, of which the first can be computed."""
_BAG_MODES = ("sum", "mean", "max")


class GraphImporter:
    """Imports graphs into blocks. `block` is where ops are added."""

    def __init__(self, block: Block, location: FileLineColLoc):
        self.block = block
        self.location = location
        self.values: dict[Any, Any] = {}
        """What nodes have become: values, sequences of values, graphs."""

    def run(self, graph: Any, given: Sequence[SSAValue]) -> list[SSAValue]:
        """Import the nodes of a graph, called with these values; its outputs."""
        outer, outputs = self.location, list[SSAValue]()
        waiting = iter(given)
        for node in graph.graph.nodes:
            match node.op:
                case "placeholder":
                    self.values[node] = next(waiting)
                case "get_attr":
                    self._attribute(node, graph)
                case "output":
                    outputs = self._outputs(node.args[0])
                case _:
                    self.location = location_of(node, self.location)
                    self.values[node] = self._call(node)
        self.location = outer
        return outputs

    def add(self, op: Operation, name: str | None = None) -> SSAValue:
        """Add an op, at the present location; its first result."""
        self._end(op)
        for result in op.results:
            result.name_hint = None if name is None else value_name(name)
        return op.results[0]

    def constant(self, value: object) -> SSAValue:
        """A Python value."""
        return self.add(ConstantOp(to_attr(value)))

    def refuse(self, refusal: Refusal) -> SSAValue:
        """Say at this location what is not taken, and go on with a value."""
        return self.add(UnsupportedOp(refusal.code, refusal.what, refusal.help))

    def value(self, operand: Any) -> SSAValue:
        """An operand: a node, a constant, or a list with nodes in it."""
        if hasattr(operand, "all_input_nodes"):
            result = self.values[operand]
            return (
                result if isinstance(result, SSAValue) else self._not_a_value(operand)
            )
        if isinstance(operand, (list, tuple)):
            items = cast("Sequence[Any]", operand)
            if any(hasattr(item, "all_input_nodes") for item in items):
                return self.add(ListOp([self.value(item) for item in items]))
            return self._constant(list(items))
        return self._constant(operand)

    def _constant(self, value: Any) -> SSAValue:
        kind = type(value).__name__
        if kind in ("dtype", "layout", "memory_format"):
            value = GlobalRef(str(value))
        elif kind == "device":
            value = DeviceRef(str(value))
        try:
            return self.constant(value)
        except NotAConstant:
            return self.refuse(refusals.exported(f"an operand of type {kind}"))

    def _not_a_value(self, node: Any) -> SSAValue:
        return self.refuse(refusals.exported(f"`{node.name}` as a value"))

    def _attribute(self, node: Any, graph: Any) -> None:
        value = getattr(graph, node.target)
        if hasattr(value, "graph"):
            self.values[node] = value
        else:
            self.values[node] = self.refuse(refusals.exported(f"`{node.target}`"))

    def _outputs(self, given: Any) -> list[SSAValue]:
        several = isinstance(given, (tuple, list))
        return [self.value(v) for v in (given if several else [given])]

    def _call(self, node: Any) -> Any:
        target = node.target
        if hasattr(target, "_schema"):
            return self._operator(node, target)
        name = getattr(target, "__name__", str(target))
        if any(c.__name__ == "HigherOrderOperator" for c in type(target).__mro__):
            return self._higher(node, name)
        if name == "getitem":
            base, index = node.args
            known = self.values.get(base)
            if isinstance(known, list):
                return cast("list[Any]", known)[index]
            return self._add(SubscriptOp(self.value(base), self.value(index)), node)
        operands = [self.value(a) for a in node.args]
        if name in _BINARY:
            return self._add(BinaryOp(_BINARY[name], operands[0], operands[1]), node)
        if name in _COMPARE:
            return self._add(CompareOp(name, operands[0], operands[1]), node)
        if name in _UNARY:
            return self._add(UnaryOp(_UNARY[name], operands[0]), node)
        if name in _FUNCTIONS:
            callee = self.constant(GlobalRef(_FUNCTIONS[name]))
            return self._add(CallOp(callee, operands), node)
        return self.refuse(refusals.exported(f"a call of `{name}`"))

    def _operator(self, node: Any, overload: Any) -> Any:
        """A call of an overload such as `torch.ops.aten.add.Tensor`."""
        schema = cast(str, overload._schema.name)
        if schema in _ASSERTS or schema in _RANGES:
            return self._assert(node, schema)
        if schema in _SAME:
            return self.value(node.args[0])
        if schema == "aten::sym_size":
            source, dimension = (self.value(a) for a in node.args)
            return self._add(InvokeOp(source, "size", [dimension]), node)
        if schema in _ITEMS:
            return self._add(InvokeOp(self.value(node.args[0]), "item", []), node)
        if schema in _BAGS and not any(u.args[1] for u in node.users if u.users):
            return self._bags(node, schema)
        where = _BATCH_NORMS.get(schema)
        if where is not None and node.args[where] is True and node.args[3] is not None:
            return self.refuse(refusals.exported_update("running statistics"))
        path = f"torch.ops.{schema.replace('::', '.')}.{overload._overloadname}"
        callee = self.constant(GlobalRef(path))
        arguments = [self.value(a) for a in node.args]
        named = {name: self.value(v) for name, v in node.kwargs.items()}
        call = CallOp(callee, [*arguments, *named.values()], list(named))
        return self._add(call, node)

    def _bags(self, node: Any, schema: str) -> list[SSAValue]:
        """The function that gives the first result only; nobody reads the others."""
        arguments = node.target._schema.arguments
        given = dict(zip([one.name for one in arguments], node.args, strict=False))
        given |= node.kwargs
        mode, padding = given.get("mode", 0), given.get("padding_idx")
        if schema != _BAGS[0] and padding == -1:
            padding = None
        named = {
            "mode": self.constant(_BAG_MODES[mode]),
            "per_sample_weights": self.value(given.get("per_sample_weights")),
            "include_last_offset": self.value(given.get("include_last_offset", False)),
            "padding_idx": self.value(padding),
        }
        places = [self.value(given[n]) for n in ("indices", "weight", "offsets")]
        callee = self.constant(GlobalRef("torch.nn.functional.embedding_bag"))
        call = CallOp(callee, [*places, *named.values()], list(named))
        return [self._add(call, node), *[self.constant(None)] * 3]

    def _assert(self, node: Any, schema: str) -> SSAValue:
        """What torch checks when the program runs; the metadata cannot be otherwise."""
        given = [*node.args, *node.kwargs.values()]
        if schema in _RANGES:
            number = self.value(node.args[0])
            bounds = dict(zip(("min", "max"), node.args[1:], strict=False))
            bounds |= node.kwargs
            for name, kind in (("min", "ge"), ("max", "le")):
                if (bound := bounds.get(name)) is not None:
                    test = self.add(CompareOp(kind, number, self.constant(bound)))
                    words = f"Invalid value range: {node.args[0]} {kind} {bound}"
                    self.require(test, words, f"{node.args[0]} {kind} {bound}")
        elif schema != "aten::_assert_tensor_metadata":
            words = given[1] if len(given) > 1 else "Expected Tensor to be true"
            self.require(self.value(given[0]), words, str(given[0]))
        return self.constant(None)

    def require(
        self, test: SSAValue, words: str, text: str, error: str = "RuntimeError"
    ) -> None:
        """Raise an error of Python's with these words where `test` is false.

        `text` is the test in the user's words.
        """
        true = self.add(ToBoolOp(test))
        outer, self.block = self.block, Block()
        message = self.constant(words)
        self._end(RaiseOp(f"builtins.{error}", [message]))
        failing, self.block = self.block, outer
        self._end(IfOp(true, [], self._region(YieldOp()), Region(failing)), text)

    def _higher(self, node: Any, name: str) -> Any:
        if name == "cond":
            return self._cond(node)
        if name == "while_loop":
            return self._while(node)
        if name == "wrap_with_set_grad_enabled":
            _, graph, *given = node.args
            return self.run(self.values[graph], [self.value(v) for v in given])
        return self.refuse(refusals.higher_order(name))

    def _cond(self, node: Any) -> list[SSAValue]:
        asked, *sides, operands = node.args
        given = [self.value(v) for v in operands]
        true = self.add(ToBoolOp(self.value(asked)))
        text = predicate(self.location, "cond", is_function=False) or str(asked)
        then, els = (self._side(self.values[side], given) for side in sides)
        types = [VALUE] * len(cast(YieldOp, then.block.last_op).values)
        return self._end(IfOp(true, types, then, els), text, node)

    def _side(self, graph: Any, given: Sequence[SSAValue]) -> Region:
        outer, self.block = self.block, Block()
        self._end(YieldOp(self.run(graph, given)))
        inner, self.block = self.block, outer
        return Region(inner)

    def _while(self, node: Any) -> list[SSAValue]:
        test, body, carried, *more = node.args
        initial = [self.value(v) for v in carried]
        around = [self.value(v) for v in (more[0] if more else ())]
        text = predicate(self.location, "while_loop", is_function=True) or str(node)
        outer, kinds = self.block, [VALUE] * len(initial)
        before = self.block = Block(arg_types=kinds)
        results = self.run(self.values[test], [*before.args, *around])
        true = self.add(ToBoolOp(results[0]))
        self._end(ConditionOp(true, before.args))
        inner = self.block = Block(arg_types=kinds)
        self._end(YieldOp(self.run(self.values[body], [*inner.args, *around])))
        self.block = outer
        return self._end(WhileOp(initial, Region(before), Region(inner)), text, node)

    def _region(self, end: Operation) -> Region:
        end.location = self.location
        return Region(Block([end]))

    def _add(self, op: Operation, node: Any) -> SSAValue:
        return self.add(op, node.name)

    def _end(self, op: Operation, test: str = "", node: Any = None) -> list[SSAValue]:
        """Add an op with any number of results, at the present location."""
        op.location = self.location
        if test:
            op.attributes["test"] = StringAttr(test)
        for result in op.results:
            result.name_hint = None if node is None else value_name(node.name)
        self.block.add_op(op)
        return list(op.results)
