"""`cpu-share-nests`: the parts of a nest are handed to a pool of threads.

A kernel knows no threads. It calls what `dycl_pool` points to, which its host sets, and
which calls a task once for each part, and is told how much work it is to judge by
whether to wake other threads for it; where it points to nothing, as in a process that
runs a kernel alone, the task does everything in one part.

Before:
    llvm.call @nest.0(%x, %w, %out, 0, 1)

After:
    llvm.store %x, %arguments[0] ...
    llvm.call @dycl_share(@nest.0.task, %arguments, 40000)

    llvm.func internal @nest.0.task(%arguments, %part, %parts) {
      %x = llvm.load %arguments[0] ...
      llvm.call @nest.0(%x, %w, %out, %part, %parts)

Needs:  the LLVM dialect; `cpu-split-nests`.
Leaves: `dycl_pool`, a pointer that all objects of a program have together.
Skips:  functions that were not split; calls that are to have no other thread
        (`dycl.alone`), which do the whole as they stand.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import callee, ir, ops
from dycl.kernels.cpu.nests.split_nests import (
    ALONE,
    BY_CALL,
    SPLIT,
    THREADS,
    shared_functions,
)

_POOL, _SHARE = "dycl_pool", "dycl_share"


def share_nests(module: Any) -> None:
    """Hand every call of a split nest to the pool."""
    if THREADS in module.operation.attributes:
        del module.operation.attributes[THREADS]
    split = list(shared_functions(module))
    if not split:
        return
    names = [str(func.attributes["sym_name"].value) for func in split]
    works = (int(func.attributes[SPLIT].value) for func in split)
    work_of = dict(zip(names, works, strict=True))
    calls = [
        op
        for op in ops(module.operation)
        if op.name == "llvm.call" and callee(op) in names
    ]
    takes = {callee(op): [value.type for value in op.operands][:-2] for op in calls}
    for call in [op for op in calls if ALONE in op.attributes]:
        del call.attributes[ALONE]
        calls.remove(call)
    with ir.InsertionPoint(module.body), ir.Location.unknown():
        emit = _Emitter()
        emit.pool()
        emit.share()
        for name in names:
            emit.task(name, takes[name])
    for call in calls:
        with call.location:
            _hand_over(emit, call, work_of[callee(call)])
        call.erase()
    for func in split:
        del func.attributes[SPLIT]


def _hand_over(emit: "_Emitter", call: Any, work: int) -> None:
    """Call `dycl_share` instead, with the pointers that the nest takes in memory."""
    pointers = list(call.operands)[:-2]
    func = call.parent
    while func.name != "llvm.func":
        func = func.parent
    entry = func.operation.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(entry):
        memory = emit.memory(len(pointers))
    with ir.InsertionPoint(call):
        for place, value in enumerate(pointers):
            store = [value, emit.slot(memory, place)]
            ir.Operation.create("llvm.store", operands=store)
        task = emit.address(f"{callee(call)}.task")
        amount = pointers[-1] if work == BY_CALL else emit.constant(work)
        emit.call([task, memory, amount], _SHARE)


class _Emitter:
    """Makes ops of the LLVM dialect at the insertion point."""

    def __init__(self):
        self._pointer = ir.Type.parse("!llvm.ptr")
        self._i64 = ir.IntegerType.get_signless(64)
        self._internal = ir.Attribute.parse("#llvm.linkage<internal>")

    def pool(self) -> None:
        """The pointer to what calls a task for each part; weak, so that all objects of
        a program have one."""
        op = ir.Operation.create(
            "llvm.mlir.global",
            attributes={
                "addr_space": build.i32(0),
                "global_type": ir.TypeAttr.get(self._pointer),
                "linkage": ir.Attribute.parse("#llvm.linkage<weak>"),
                "sym_name": ir.StringAttr.get(_POOL),
                "visibility_": build.i64(0),
            },
            regions=1,
        )
        with ir.InsertionPoint(op.regions[0].blocks.append()):
            _return([self._null()])

    def share(self) -> None:
        """Hand a task to the pool; without one, do it here, in one part."""
        pointer = self._pointer
        body = self._function(_SHARE, [pointer, pointer, self._i64])
        task, arguments, work = body.arguments
        alone, together = (body.region.blocks.append() for _ in range(2))
        with ir.InsertionPoint(body):
            pool = self._load(self.address(_POOL))
            is_none = build.op(
                "llvm.icmp",
                [pool, self._null()],
                ir.IntegerType.get_signless(1),
                {"predicate": build.i64(0)},
            )
            ir.Operation.create(
                "llvm.cond_br",
                operands=[is_none],
                successors=[alone, together],
                attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0])},
            )
        with ir.InsertionPoint(alone):
            self.call([task, arguments, self.constant(0), self.constant(1)])
            _return()
        with ir.InsertionPoint(together):
            self.call([pool, task, arguments, work])
            _return()

    def task(self, name: str, takes: Sequence[Any]) -> None:
        """What the pool calls: a nest, with pointers and sizes out of memory."""
        body = self._function(f"{name}.task", [self._pointer, self._i64, self._i64])
        arguments, *part = body.arguments
        with ir.InsertionPoint(body):
            values = [
                self._load(self.slot(arguments, i), kind)
                for i, kind in enumerate(takes)
            ]
            self.call([*values, *part], name)
            _return()

    def memory(self, count: int) -> Any:
        """Room for so many pointers, as long as the function runs."""
        kind = {"elem_type": ir.TypeAttr.get(self._pointer)}
        return build.op("llvm.alloca", [self.constant(count)], self._pointer, kind)

    def slot(self, memory: Any, place: int) -> Any:
        """Where a pointer of that number lies."""
        attributes = {
            "elem_type": ir.TypeAttr.get(self._pointer),
            "rawConstantIndices": ir.DenseI32ArrayAttr.get([place]),
        }
        return build.op("llvm.getelementptr", [memory], self._pointer, attributes)

    def address(self, name: str) -> Any:
        """Where a global or a function is."""
        where = {"global_name": ir.FlatSymbolRefAttr.get(name)}
        return build.op("llvm.mlir.addressof", [], self._pointer, where)

    def constant(self, value: int) -> Any:
        """A number of 64 bits."""
        return build.op(
            "llvm.mlir.constant", [], self._i64, {"value": build.i64(value)}
        )

    def call(self, operands: Sequence[Any], name: str = "") -> None:
        """Call a function by its name; "": by the pointer that is the first operand."""
        attributes = {
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        }
        if name:
            attributes["callee"] = ir.FlatSymbolRefAttr.get(name)
        ir.Operation.create("llvm.call", operands=list(operands), attributes=attributes)

    def _null(self) -> Any:
        return build.op("llvm.mlir.zero", [], self._pointer)

    def _load(self, place: Any, kind: Any = None) -> Any:
        return build.op("llvm.load", [place], kind or self._pointer)

    def _function(self, name: str, takes: Sequence[Any]) -> Any:
        """The block of a new function that gives nothing."""
        kinds = ", ".join(map(str, takes))
        signature = ir.Type.parse(f"!llvm.func<void ({kinds})>")
        op = ir.Operation.create(
            "llvm.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "function_type": ir.TypeAttr.get(signature),
                "linkage": self._internal,
                "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
            },
            regions=1,
        )
        here = ir.Location.current
        return op.regions[0].blocks.append(*takes, arg_locs=[here] * len(takes))


def _return(values: Sequence[Any] = ()) -> None:
    ir.Operation.create("llvm.return", operands=list(values))
