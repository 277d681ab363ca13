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
Skips:  functions that were not split.
"""

from typing import Any

from dycl.kernels.cpu.mlir import callee, ir, ops
from dycl.kernels.cpu.nests.split_nests import SPLIT, THREADS, shared_functions

_SHARE = """
llvm.mlir.global weak @dycl_pool() {addr_space = 0 : i32} : !llvm.ptr {
  %none = llvm.mlir.zero : !llvm.ptr
  llvm.return %none : !llvm.ptr
}
llvm.func internal @dycl_share(%task: !llvm.ptr, %arguments: !llvm.ptr, %work: i64) {
  %place = llvm.mlir.addressof @dycl_pool : !llvm.ptr
  %pool = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %none = llvm.mlir.zero : !llvm.ptr
  %alone = llvm.icmp "eq" %pool, %none : !llvm.ptr
  llvm.cond_br %alone, ^alone, ^together
^alone:
  %part = llvm.mlir.constant(0 : i64) : i64
  %parts = llvm.mlir.constant(1 : i64) : i64
  llvm.call %task(%arguments, %part, %parts) : !llvm.ptr, (!llvm.ptr, i64, i64) -> ()
  llvm.return
^together:
  llvm.call %pool(%task, %arguments, %work)
      : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
"""


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
    counts = [len(func.regions[0].blocks[0].arguments) - 2 for func in split]
    tasks = map(_task, names, counts)
    with ir.Location.unknown():
        made = ir.Module.parse("\n".join([*_declared(split), _SHARE, *tasks]))
    for op in made.body.operations:
        if "dycl.known" not in op.operation.attributes:
            op.operation.clone(ir.InsertionPoint(module.body))
    for call in calls:
        _hand_over(call, work_of[callee(call)])
    for func in split:
        del func.attributes[SPLIT]


def _declared(split: list[Any]) -> list[str]:
    """Declarations of the nests, for the text to be parsed alone."""
    return [
        f"llvm.func @{func.attributes['sym_name'].value}("
        f"{', '.join(['!llvm.ptr'] * (len(func.regions[0].blocks[0].arguments) - 2))}"
        ", i64, i64) attributes {dycl.known}"
        for func in split
    ]


def _task(name: str, count: int) -> str:
    lines = [
        f"llvm.func internal @{name}.task"
        "(%arguments: !llvm.ptr, %part: i64, %parts: i64) {"
    ]
    for i in range(count):
        place = f"llvm.getelementptr %arguments[{i}] : (!llvm.ptr) -> !llvm.ptr"
        lines.append(f"%p{i} = {place}, !llvm.ptr")
        lines.append(f"%a{i} = llvm.load %p{i} : !llvm.ptr -> !llvm.ptr")
    values = ", ".join([*(f"%a{i}" for i in range(count)), "%part", "%parts"])
    types = ", ".join([*["!llvm.ptr"] * count, "i64", "i64"])
    lines.append(f"llvm.call @{name}({values}) : ({types}) -> ()")
    return "\n".join([*lines, "llvm.return", "}"])


def _hand_over(call: Any, work: int) -> None:
    pointers = list(call.operands)[:-2]
    pointer = ir.Type.parse("!llvm.ptr")
    func = call.parent
    while func.name != "llvm.func":
        func = func.parent
    entry = func.operation.regions[0].blocks[0]
    with call.location:
        with ir.InsertionPoint.at_block_begin(entry):
            count = _constant(len(pointers))
            memory = ir.Operation.create(
                "llvm.alloca",
                operands=[count],
                results=[pointer],
                attributes={"elem_type": ir.TypeAttr.get(pointer)},
            ).results[0]
        with ir.InsertionPoint(call):
            for i, value in enumerate(pointers):
                place = ir.Operation.create(
                    "llvm.getelementptr",
                    operands=[memory],
                    results=[pointer],
                    attributes={
                        "elem_type": ir.TypeAttr.get(pointer),
                        "rawConstantIndices": ir.DenseI32ArrayAttr.get([i]),
                    },
                ).results[0]
                ir.Operation.create("llvm.store", operands=[value, place])
            task = ir.Operation.create(
                "llvm.mlir.addressof",
                results=[pointer],
                attributes={
                    "global_name": ir.FlatSymbolRefAttr.get(f"{callee(call)}.task")
                },
            ).results[0]
            ir.Operation.create(
                "llvm.call",
                operands=[task, memory, _constant(work)],
                attributes={
                    "callee": ir.FlatSymbolRefAttr.get("dycl_share"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([3, 0]),
                    "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
                },
            )
    call.erase()


def _constant(value: int) -> Any:
    i64 = ir.IntegerType.get_signless(64)
    return ir.Operation.create(
        "llvm.mlir.constant",
        results=[i64],
        attributes={"value": ir.IntegerAttr.get(i64, value)},
    ).results[0]
