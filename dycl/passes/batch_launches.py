"""`dycl-batch-launches`: kernels of a recursion get versions for several calls at once.

Before                          After
------                          -----
%w = dycl.param "fc.weight"     %w = dycl.param "fc.weight"
dycl.local_function "f"(%n) {   dycl.local_function "f"(%n) {
  %a = dycl.local_call "f"(%n)    %a = dycl.local_call "f"(%n)
  %y = dycl.launch @k(%a, %w)     %y = dycl.launch @k(%a, %w) {batched = [@k_x2],
  dycl.local_return %y              rows = array<i64: 0>, tiles = array<i64: 2>,
}                                   work = 32 : i64}
dycl.return %w                    dycl.local_return %y
func.func @k(%a, %w) { .. }     }
                                dycl.return %w
                                func.func @k(%a, %w) { .. }
                                func.func @k_x2(%a_rows, %w) {
                                  %t = torch.aten.t %w
                                  %r = torch.aten.mm %a_rows, %t
                                  func.return %r
                                }

The host in C does not run such a launch at once. It notes it. When a value is read, or
the recursion has ended, launches that wait for no other run together, those of one
kernel, by the versions that fill their rows best; of kernels those with less work
first, of launches those with more work behind them. Interpreter and Python host run
each launch by itself, as before.

Weights are read once for all rows, so kernels without a product have no versions: they
run one by one, once what they are given is there. Where a loop may change what begins
as a literal, as a sum does, there are versions for a loop that was not entered: what
they compute of the literal is the same for all rows, and that of weights alone is made
once. So the products of a leaf with no state of children are none.

Needs:  weights are marked; batch norm is folded.
Leaves: `batched`, the versions for 2, 4, ... `most-rows` rows, `tiles`, for how many
        each is, `rows`, which operands each row has of its own, `work`, the operations
        of its products for one row, on launches in local functions; `on_literals`,
        the same for what a loop begins with.
Skips:  everything, if `most-rows` is below 2; kernels that are given numbers or tensors
        of dynamic size, or nothing of a row's own; that give what the host reads; that
        ask for a backend; what `torch.vmap` cannot do. Literals with many numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.analysis.tracing.batched import batched
from dycl.analysis.tracing.graph import Trace, Untraceable
from dycl.diag import remark
from dycl.ir import ItemOp, LaunchOp, ParamOp
from dycl.ir.batches import ON_LITERALS, Batch, beginning
from dycl.ir.cloning import clone
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.flops import flops_of
from dycl.ir.functions import BACKEND, entry_function
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import erase, insert_after, locate, relocate
from dycl.ir.torch import VTensorLiteralOp, VTensorType
from dycl.ir.walking import walk
from dycl.passes.embed_literals import is_short, write_literals
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
        tiles = [*takewhile(lambda tile: tile <= self.most_rows, _tiles())]
        if entry is None or not tiles:
            return
        versions = _Versions(op, tiles)
        for function in local_functions(entry):
            for inner in walk(function):
                if isinstance(inner, LaunchOp) and inner.results:
                    versions.note(inner)


def _tiles() -> Iterator[int]:
    """2, 3, 4, 6, 8, 12, ...: no more than a quarter of a version's rows is empty."""
    tile = 2
    while True:
        yield from (tile, tile + tile // 2)
        tile *= 2


_Key = tuple[str, tuple[int, ...], tuple[tuple[int, Attribute], ...]]


@dataclass
class _Versions:
    """The kernels for several rows that there are."""

    module: ModuleOp
    tiles: Sequence[int]
    known: dict[_Key, Batch | str] = field(default_factory=dict[_Key, "Batch | str"])
    """Kernel, operands of a row's own, literals -> its versions, or why there are
    none."""

    def note(self, launch: LaunchOp) -> None:
        """Say which versions a launch may be run by."""
        rows = [i for i, v in enumerate(launch.operands) if not _is_shared(v)]
        kernel = self._kernel(launch.kernel_name)
        why = self._cannot(launch, rows, kernel)
        if why is None:
            assert kernel is not None
            found = self._found(kernel, rows, {})
            if isinstance(found, Batch):
                launch.attributes.update(found.attributes)
                self._note_special(launch, kernel, found)
                return
            why = found
        remark(launch, "not batched", why)

    def _note_special(self, launch: LaunchOp, kernel: FuncOp, usual: Batch) -> None:
        """Say the same of launches that are given what a loop begins with."""
        literals: dict[int, VTensorLiteralOp] = {}
        for place in usual.rows:
            literal = beginning(launch.operands[place]).owner
            if isinstance(literal, VTensorLiteralOp) and is_short(literal):
                literals[place] = literal
        rows = [place for place in usual.rows if place not in literals]
        if not literals or not rows or usual.work == 0:
            return
        special = self._found(kernel, rows, literals)
        if isinstance(special, Batch) and special.work < usual.work:
            launch.attributes[ON_LITERALS] = DictionaryAttr(special.attributes)

    def _cannot(
        self, launch: LaunchOp, rows: Sequence[int], kernel: FuncOp | None
    ) -> str | None:
        """Why a launch is run at once, as a sentence."""
        if not rows:
            return "nothing that the kernel is given differs from call to call"
        values = [*launch.operands, *launch.results]
        if not all(map(_is_static, values)):
            return "it is given a number, or a tensor of any size"
        if any(isinstance(u.operation, ItemOp) for r in launch.results for u in r.uses):
            return "the host reads what it gives"
        if kernel is None or BACKEND in kernel.attributes:
            return "its kernel is run by a backend of its own"
        return None

    def _kernel(self, name: str) -> FuncOp | None:
        for op in self.module.ops:
            if isinstance(op, FuncOp) and op.sym_name.data == name:
                return op
        return None

    def _found(
        self,
        kernel: FuncOp,
        rows: Sequence[int],
        literals: Mapping[int, VTensorLiteralOp],
    ) -> Batch | str:
        """The versions of a kernel, which are made if there are none yet."""
        given = tuple((place, one.value) for place, one in literals.items())
        key = kernel.sym_name.data, tuple(rows), given
        if key not in self.known:
            self.known[key] = self._make(kernel, rows, literals)
        return self.known[key]

    def _make(
        self,
        kernel: FuncOp,
        rows: Sequence[int],
        literals: Mapping[int, VTensorLiteralOp],
    ) -> Batch | str:
        """Add the versions of a kernel behind it."""
        name = kernel.sym_name.data
        work = _work_for_row(kernel, rows)
        if work == 0:
            return Batch((self._alone(kernel, literals),), tuple(rows), (1,), 0)
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
            write_literals(version, literals)
            made.append(version)
        self._insert(name, made)
        names = tuple(version.sym_name.data for version in made)
        return Batch(names, tuple(rows), tuple(self.tiles), work)

    def _alone(self, kernel: FuncOp, literals: Mapping[int, VTensorLiteralOp]) -> str:
        """The kernel for launches that run one by one, with literals in it."""
        if not literals:
            return kernel.sym_name.data
        version = clone(kernel)
        name = fresh_label(self._names([]), f"{kernel.sym_name.data}_x1")
        version.sym_name = StringAttr(name)
        write_literals(version, literals)
        self._insert(kernel.sym_name.data, [version])
        return name

    def _insert(self, name: str, made: Sequence[FuncOp]) -> None:
        """Put new kernels behind one."""
        last: Operation | None = self._kernel(name)
        assert last is not None
        for version in made:
            insert_after(last, version)
            last = version

    def _names(self, more: Sequence[FuncOp]) -> dict[str, int]:
        functions = [op for op in self.module.ops if isinstance(op, FuncOp)]
        return {op.sym_name.data: 1 for op in (*functions, *more)}


def _work_for_row(kernel: FuncOp, rows: Sequence[int]) -> int:
    """The operations of the products that a row has of its own."""
    own: set[SSAValue] = {kernel.body.block.args[place] for place in rows}
    total = 0
    for op in kernel.body.block.ops:
        if any(value in own for value in op.operands):
            own.update(op.results)
            total += flops_of(op) or 0
    return total


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
