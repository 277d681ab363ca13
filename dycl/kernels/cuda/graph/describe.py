"""A graph tree as JSON: memory, nodes, and what runs return.

Memory is numbered: arguments first, then what the function makes. Conditions are
numbered, and threads: nodes that compute the same share their PTX.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    MemRefType,
    ModuleOp,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

import dycl.ir as d
from dycl.diag import InternalError
from dycl.ir import graph, host
from dycl.ir.graph.function import BEHIND
from dycl.ir.host.layouts import memory_shape
from dycl.ir.host.segments import SEGMENT, number_in
from dycl.ir.host.size_numbers import step_of
from dycl.ir.host.types import dtype_of
from dycl.ir.torch import VTensorType
from dycl.ir.values import from_attr
from dycl.ir.walking import walk
from dycl.kernels.cuda.graph.thread import thread_of
from dycl.runtime.cuda.sizes import Step

Data = dict[str, Any]


def describe(module: ModuleOp) -> list[Data]:
    """The trees of a module, without what their returns give, in order."""
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    trees = [op for op in module.ops if isinstance(op, graph.FuncOp)]
    return [_Describer(op, kernels).describe() for op in trees]


class _Describer:
    def __init__(self, func: graph.FuncOp, kernels: Mapping[str, FuncOp]):
        self.func = func
        self.kernels = kernels
        self.records = 0
        self.loops = False
        self.places: dict[SSAValue, int] = {}
        self.memory: list[Data] = []
        self.conditions: dict[SSAValue, int] = {}
        self.threads: dict[str, int] = {}
        self.known: dict[SSAValue, int] = {}
        self.sizes: list[Step] = []

    def describe(self) -> Data:
        for argument in self.func.body.block.args:
            self._place(argument, {"kind": "argument"})
        nodes = self._nodes(self.func.body.block)
        end = self.func.returned
        given = cast(Any, end.attributes.get("numbers", ArrayAttr([])))
        numbers = {cast(IntAttr, i).data for i in given.data}
        return {
            "memory": self.memory,
            "nodes": nodes,
            "threads": list(self.threads),
            "sizes": self.sizes,
            "decisions": None if self.loops else self.records,
            "segment": number_in(self.func, SEGMENT),
            "behind": number_in(self.func, BEHIND),
            "is_plain": self._is_plain(),
            "returned": [
                [self.places[value], place in numbers]
                for place, value in enumerate(end.values)
            ],
        }

    def _is_plain(self) -> bool:
        """Whether all runs do the same, cannot stop, and give no numbers."""
        end = self.func.returned
        return (
            "numbers" not in end.attributes
            and len(end.structures) == 1
            and all(
                isinstance(op, graph.ExitOp | graph.EndOp | d.ConstantOp)
                for node in walk(self.func.body)
                if isinstance(node, graph.ScalarsOp)
                for op in node.body.block.ops
            )
        )

    def _place(self, value: SSAValue, data: Data) -> None:
        kind = value.type
        assert isinstance(kind, MemRefType)
        self.places[value] = len(self.memory)
        shape = [*memory_shape(kind)]
        self.memory.append({**data, "dtype": dtype_of(kind), "shape": shape})

    def _nodes(self, body: Region | Block) -> list[Any]:
        block = body.block if isinstance(body, Region) else body
        nodes = [self._node(op) for op in block.ops]
        return [node for node in nodes if node is not None]

    def _node(self, op: Operation) -> list[Any] | None:
        match op:
            case graph.LaunchOp():
                inputs = self._inputs(op)
                outputs = [self.places[value] for value in op.outputs]
                return ["launch", op.kernel_name, inputs, outputs, self._guard(op)]
            case graph.CopyOp():
                ends = [self.places[op.source], self.places[op.target]]
                return ["copy", *ends, self._guard(op)]
            case graph.ScalarsOp():
                return self._thread(op)
            case graph.IfOp():
                bodies = [self._nodes(op.then_body), self._nodes(op.else_body)]
                return ["if", self.conditions[op.condition], *bodies]
            case graph.SwitchOp():
                bodies = [self._nodes(body) for body in op.bodies]
                return ["switch", self.conditions[op.condition], *bodies]
            case graph.WhileOp():
                self.loops = True
                return ["while", self.conditions[op.condition], self._nodes(op.body)]
            case graph.ConditionOp():
                self.conditions[op.result] = len(self.conditions)
            case graph.EndOp() | graph.ReturnOp():
                pass
            case _:
                self._make(op)
        return None

    def _thread(self, op: graph.ScalarsOp) -> list[Any]:
        thread = thread_of(op)
        self.records += sum(isinstance(o, graph.RecordOp) for o in op.body.block.ops)
        number = self.threads.setdefault(thread.ptx, len(self.threads))
        memory = [self.places[value] for value in thread.memory]
        conditions = [self.conditions[value] for value in thread.conditions]
        return ["thread", number, memory, conditions, self._guard(op)]

    def _guard(self, op: graph.NodeOp) -> list[Any] | None:
        slot = op.guard_slot
        return None if slot is None else [self.places[slot], op.is_negated]

    def _inputs(self, op: graph.LaunchOp) -> list[Any]:
        """The number of memory; or a number, or the memory that holds one."""
        taken = self.kernels[op.kernel_name].function_type.inputs.data
        inputs: list[Any] = []
        for value, kind in zip(op.inputs, taken, strict=True):
            if isinstance(owner := value.owner, d.ConstantOp) and (
                value not in self.places
            ):
                inputs.append({"number": from_attr(owner.value)})
            elif value not in self.places:
                inputs.append({"size": self._size(value)})
            elif isinstance(kind, VTensorType):
                inputs.append(self.places[value])
            else:
                inputs.append({"slot": self.places[value]})
        return inputs

    def _size(self, value: SSAValue) -> int:
        """The step that gives a number which is known before a run."""
        if value not in self.known:
            owner = value.owner
            match owner:
                case d.ConstantOp():
                    step: Step = ("number", from_attr(owner.value))
                case d.DimOp():
                    step = ("dim", self.places[owner.operand], owner.dimension)
                case Operation():
                    name = step_of(owner)
                    assert name is not None
                    step = (name, *map(self._size, owner.operands))
                case _:
                    raise InternalError("an argument is no size")
            self.known[value] = len(self.sizes)
            self.sizes.append(step)
        return self.known[value]

    def _make(self, op: Operation) -> None:
        match op:
            case host.ParamOp():
                self._place(op.result, {"kind": "weight", "path": op.path.data})
            case host.AllocOp():
                is_zero = "zero" in op.attributes
                self._place(op.result, {"kind": "zeros" if is_zero else "buffer"})
            case host.ViewOp():
                of = self.places[op.operand]
                self._place(op.result, {"kind": "view", "of": of})
            case d.ConstantOp(value=DenseIntOrFPElementsAttr() as value):
                data = base64.b64encode(_bytes(value)).decode()
                self._place(op.result, {"kind": "constant", "data": data})
            case graph.KnownOp():
                of = self._size(op.value)
                self._place(op.result, {"kind": "known", "of": of})
            case d.ConstantOp() | d.DimOp():
                pass  # Whoever takes it has it.
            case _ if step_of(op) is not None:
                pass
            case _:
                raise InternalError(f"no graph has {op.name}")


def _bytes(value: DenseIntOrFPElementsAttr) -> bytes:
    """All elements, little-endian; a bool is a byte."""
    count = 1
    for size in value.get_shape():
        count *= size
    elements: Sequence[Any] = value.get_values()
    if value.get_element_type() == i1:
        data = bytes(bool(element) for element in elements)
    else:
        data = bytes(value.data.data)
    return data * count if len(elements) == 1 and count != 1 else data
