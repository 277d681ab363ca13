"""`dycl-batch-launches`: kernels of a recursion get versions for several calls at once.

Before                            After
------                            -----
%w = dycl.param "fc.weight"       %w = dycl.param "fc.weight"
dycl.local_function "f"(%n) {     dycl.local_function "f"(%n) {
  %a = dycl.local_call "f"(%n)      %a = dycl.local_call "f"(%n)
  %y = dycl.launch @k(%a, %w)       %y = dycl.launch @k(%a, %w) {batched = [@k_x2],
  dycl.local_return %y                                     rows = array<i64: 0>}
}                                   dycl.local_return %y
dycl.return %w                    }
func.func @k(%a, %w) { .. }       dycl.return %w
                                  func.func @k(%a, %w) { .. }
                                  func.func @k_x2(%a_rows, %w) { .. }

The host in C does not run such a launch at once. It notes it, with its depth: one more
than that of the launches whose results it is given. When a value is read, or the
recursion has ended, launches of one kernel and depth run together, by the versions that
fill their rows best. Interpreter and Python host run each launch by itself, as before.

Needs:  weights are marked; batch norm is folded.
Leaves: `batched`, the versions for 2, 4, ... `most-rows` rows, and `rows`, which
        operands each row has of its own, on launches in local functions.
Skips:  everything, if `most-rows` is below 2; kernels that are given numbers or tensors
        of dynamic size, or nothing of a row's own; that give what the host reads; that
        ask for a backend; what `torch.vmap` cannot do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    ModuleOp,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.analysis.tracing.batched import batched
from dycl.analysis.tracing.graph import Trace, Untraceable
from dycl.diag import remark
from dycl.ir import ItemOp, LaunchOp, ParamOp
from dycl.ir.batches import BATCHED, ROWS
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.functions import BACKEND, entry_function
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import erase, insert_after, locate, relocate
from dycl.ir.torch import VTensorLiteralOp, VTensorType
from dycl.ir.walking import walk
from dycl.passes.expansion.emission import Emitter


@dataclass(frozen=True)
class BatchLaunchesPass(ModulePass):
    """Kernels of a recursion get versions for several calls at once."""

    name = "dycl-batch-launches"

    most_rows: int = 2
    """Rows that the largest version has; below 2: there are none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add kernels, and attributes of launches; raises nothing."""
        entry = entry_function(op)
        tiles = [2**i for i in range(1, self.most_rows.bit_length())]
        if entry is None or not tiles:
            return
        versions = _Versions(op, [t for t in tiles if t <= self.most_rows])
        for function in local_functions(entry):
            for inner in walk(function):
                if isinstance(inner, LaunchOp) and inner.results:
                    versions.note(inner)


@dataclass
class _Versions:
    """The kernels for several rows that there are."""

    module: ModuleOp
    tiles: Sequence[int]
    known: dict[tuple[str, tuple[int, ...]], tuple[str, ...] | str] = field(
        default_factory=dict[tuple[str, tuple[int, ...]], "tuple[str, ...] | str"]
    )
    """Kernel, operands of a row's own -> its versions, or why there are none."""

    def note(self, launch: LaunchOp) -> None:
        """Say which versions a launch may be run by."""
        rows = [i for i, v in enumerate(launch.operands) if not _is_shared(v)]
        why = self._cannot(launch, rows)
        if why is None:
            key = launch.kernel_name, tuple(rows)
            if key not in self.known:
                self.known[key] = self._make(launch, rows)
            found = self.known[key]
            if isinstance(found, tuple):
                names = ArrayAttr(SymbolRefAttr(name) for name in found)
                launch.attributes[BATCHED] = names
                launch.attributes[ROWS] = DenseArrayBase.from_list(i64, rows)
                return
            why = found
        remark(launch, "not batched", why)

    def _cannot(self, launch: LaunchOp, rows: Sequence[int]) -> str | None:
        """Why a launch is run at once, as a sentence."""
        if not rows:
            return "nothing that the kernel is given differs from call to call"
        values = [*launch.operands, *launch.results]
        if not all(map(_is_static, values)):
            return "it is given a number, or a tensor of any size"
        if any(isinstance(u.operation, ItemOp) for r in launch.results for u in r.uses):
            return "the host reads what it gives"
        kernel = self._kernel(launch.kernel_name)
        if kernel is None or BACKEND in kernel.attributes:
            return "its kernel is run by a backend of its own"
        return None

    def _kernel(self, name: str) -> FuncOp | None:
        for op in self.module.ops:
            if isinstance(op, FuncOp) and op.sym_name.data == name:
                return op
        return None

    def _make(self, launch: LaunchOp, rows: Sequence[int]) -> tuple[str, ...] | str:
        """Add the versions of a kernel behind it."""
        kernel = self._kernel(launch.kernel_name)
        assert kernel is not None
        made: list[FuncOp] = []
        for tile in self.tiles:
            own = [i in rows for i in range(len(kernel.body.block.args))]
            found = batched(kernel, own, tile)
            version = found
            if isinstance(found, Trace):
                version = _kernel_of(found, kernel, own, tile, self._names(made))
            if isinstance(version, str):
                return version
            assert isinstance(version, FuncOp)
            made.append(version)
        last: Operation = kernel
        for version in made:
            insert_after(last, version)
            last = version
        return tuple(version.sym_name.data for version in made)

    def _names(self, more: Sequence[FuncOp]) -> dict[str, int]:
        functions = [op for op in self.module.ops if isinstance(op, FuncOp)]
        return {op.sym_name.data: 1 for op in (*functions, *more)}


def _is_shared(value: SSAValue) -> bool:
    """Whether all calls are given the same, in one place."""
    return isinstance(value.owner, (ParamOp, VTensorLiteralOp))


def _is_static(value: SSAValue) -> bool:
    known = from_type(value.type)
    return isinstance(known, Tensor) and known.is_static


def _kernel_of(
    found: Trace, kernel: FuncOp, own: Sequence[bool], tile: int, taken: dict[str, int]
) -> FuncOp | str:
    """The kernel of a trace; why there is none, as a sentence."""
    block = Block()
    for argument, is_row in zip(kernel.body.block.args, own, strict=True):
        new = block.insert_arg(_type(argument, tile if is_row else 0), len(block.args))
        relocate(new, argument)
        new.name_hint = argument.name_hint
        if is_row:
            new.name_hint = f"{argument.name_hint or 'value'}_rows"
    anchor = ReturnOp()
    locate([anchor], kernel.location)
    block.add_op(anchor)
    try:
        emitted = Emitter(block).trace(found, anchor, lambda i: block.args[i], {})
    except Untraceable as why:
        return str(why)
    values = [value for value in emitted if isinstance(value, SSAValue)]
    end = ReturnOp(*values)
    locate([end], kernel.location)
    erase(anchor)
    block.add_op(end)
    name = fresh_label(taken, f"{kernel.sym_name.data}_x{tile}")
    types = [a.type for a in block.args], [v.type for v in values]
    made = FuncOp(name, types, Region(block))
    made.attributes.update(kernel.attributes)
    made.arg_attrs = kernel.arg_attrs
    locate([made], kernel.location)
    return made


def _type(value: SSAValue, rows: int) -> VTensorType:
    """The type of an argument; with `rows`, one more dimension in front."""
    known = from_type(value.type)
    assert isinstance(known, Tensor)
    shape = (rows, *known.shape) if rows else known.shape
    return Tensor.contiguous(shape, known.dtype).type
